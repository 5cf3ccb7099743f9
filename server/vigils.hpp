// Waiting for something to have happened, so that tests need not sleep.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>

#include <respkit/server/journal.hpp>

namespace respkit {

class instance;

// That so many calls have come, clients are blocked, have subscribed to a channel or are connected.
struct condition {
    enum class what { calls, blocked, subscribed, connected } kind = what::calls;
    std::size_t count = 1;  // or more
    call_filter filter = {};
    std::string channel = {};
};

// The vigils that are being kept. A condition is looked at after every batch of requests.
class vigils {
public:
    // Called once, when the condition holds (true) or time is up (false).
    using done = std::function<void(bool)>;

    // `until`: Unix milliseconds by the server's clock; 0: for ever. Returns a number to forget it by.
    std::uint64_t keep(condition c, std::int64_t until, done f);
    void forget(std::uint64_t id);

    bool empty() const { return all_.empty(); }
    void look(instance& server);
    std::optional<std::int64_t> next_deadline() const;

private:
    struct vigil {
        std::uint64_t id;
        condition what;
        std::int64_t until;
        done tell;
    };
    std::list<vigil> all_;
    std::uint64_t last_id_ = 0;
};

// Whether it holds now.
bool holds(condition const& c, instance& server);

}  // namespace respkit
