// Clients that a rule holds up: before their request is run, or while its reply goes out.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <respkit/server/rule.hpp>

namespace respkit {

class session;

// What one client waits for. Meanwhile its requests rest, and what others send it waits, too, so that
// nothing gets between the pieces of a reply.
struct stall {
    std::int64_t until_us = 0;            // Unix microseconds
    std::uint64_t call = 0;               // in the journal; 0: it is off
    std::uint64_t rule = 0;               // that holds it up
    std::vector<std::string> words = {};  // the request, to be run when it is time; none: it has been
    action what = {};
    std::string rest = {};  // of the reply
    bool begun = false;     // a part of the reply is out
};

class stalls {
public:
    void enter(session& who, stall s);
    void again(session& who, std::int64_t until_us);  // the next piece
    void leave(session& who);                         // if it is held up

    std::optional<std::int64_t> next_deadline_us() const {
        if (by_time_.empty()) return {};
        return by_time_.begin()->first;
    }
    // Takes out of the queue, but not out of its stall, whoever has waited long enough; null: nobody.
    session* take_due(std::int64_t now_us);

private:
    std::set<std::pair<std::int64_t, session*>> by_time_;
};

}  // namespace respkit
