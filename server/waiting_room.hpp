// Clients that wait until a key holds something to take.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <respkit/server/blocking.hpp>
#include <respkit/server/session.hpp>

namespace respkit {

// What a client that is blocked waits for: its request, to be tried again.
struct waiting {
    command const* row;
    std::vector<std::string> words;
    int db;
    kind wanted;
    std::int64_t until;  // Unix milliseconds, 0: for ever
    serve_function serve;

    using queue = std::list<session*>;  // first come, first served
    struct place {
        std::string key;
        queue::iterator at;
    };
    std::vector<place> places;                   // one for each key
    void (*timed_out)(resp::writer&) = nullptr;  // what is answered then; null: a null array
};

class waiting_room {
public:
    explicit waiting_room(std::size_t databases) : queues_(databases), ready_(databases) {}

    std::size_t size() const { return size_; }
    std::size_t timeouts() const { return timeouts_.size(); }  // of those who do not wait for ever

    void enter(session& who, waiting what, std::span<std::string_view const> keys);
    void leave(session& who);  // if it waits

    // A key has come into being: whoever waits for it may be served now.
    void added(int db, std::string_view key);
    // All keys of a database have: it has been exchanged for another.
    void renewed(keyspace& db);

    // The keys that have come into being since, in that order.
    struct ready_key {
        int db;
        std::string key;
    };
    bool has_ready() const { return !ready_keys_.empty(); }
    std::vector<ready_key> take_ready();

    // Who waits for a key, first come first; null if nobody does.
    waiting::queue* queue(int db, std::string_view key);

    // The first time-out, and who has reached it.
    std::optional<std::int64_t> next_deadline() const;
    session* overdue(std::int64_t now) const;

private:
    using by_key = std::map<std::string, waiting::queue, std::less<>>;

    std::vector<by_key> queues_;  // by database
    std::vector<std::set<std::string, std::less<>>> ready_;
    std::vector<ready_key> ready_keys_;
    std::set<std::pair<std::int64_t, session*>> timeouts_;
    std::size_t size_ = 0;
};

}  // namespace respkit
