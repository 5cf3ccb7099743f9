// CLIENT PAUSE: for a time, requests are held up, all of them or those that might change something.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <respkit/server/session.hpp>

namespace respkit {

class pause {
public:
    bool on() const { return until_ != 0; }
    bool overdue(std::int64_t now) const { return on() && now > until_; }
    bool applies(bool writes) const { return on() && (all_ || writes); }

    // Until then, Unix milliseconds; of two pauses the longer time and the stronger mode hold.
    void begin(std::int64_t until, bool all) {
        until_ = std::max(until_, until);
        all_ |= all;
    }
    // Returns who has been held up, first come first.
    std::vector<session*> end() {
        until_ = 0;
        all_ = false;
        return std::exchange(held_, {});
    }

    bool has(session const& who) const { return std::find(held_.begin(), held_.end(), &who) != held_.end(); }
    void enter(session& who) { held_.push_back(&who); }
    void leave(session& who) {
        std::erase(held_, &who);
        who.held.reset();
    }
    std::size_t size() const { return held_.size(); }

    // When somebody will have been held up long enough.
    std::optional<std::int64_t> next_deadline() const {
        if (held_.empty()) return {};
        return until_ + 1;
    }

private:
    std::int64_t until_ = 0;  // 0: no pause
    bool all_ = false;
    std::vector<session*> held_;
};

}  // namespace respkit
