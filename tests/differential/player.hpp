// Plays a round on both servers and compares what comes back, reply by reply.
#pragma once

#include <functional>
#include <optional>

#include "generator.hpp"
#include "peer.hpp"
#include <respkit/fixtures/case.hpp>

namespace respkit::differential {

struct difference {
    std::size_t step = 0;  // in script::steps
    request what;          // the request it is about; for what came unasked, the last one before it
    std::size_t connection = 0;
    std::string expected, found;
    std::string row;  // of the command; of the one inside it, if EXEC differs
};

class player {
public:
    // `seen` hears of every request on whose reply the two agree.
    using listener = std::function<void(request const&, std::string_view reply)>;
    player(peer& reference, peer& mock, ground const& g, listener seen);

    // Until the first difference. `pipelined`: many requests on one connection in one go.
    std::optional<difference> play(script const& r, bool pipelined);

    // What the last round sent and what the reference answered.
    std::vector<fixtures::step> const& transcript() const { return transcript_; }
    std::uint64_t compared() const { return compared_; }

private:
    // What is known of a connection from the replies so far.
    struct state {
        bool multi = false, subscribed = false, over = false;
        request const* waiting = nullptr;  // has no reply yet
        std::vector<request const*> queued;
    };

    struct sent {
        std::size_t step;
        request const* what;
    };

    void settle(int times);
    void drain(std::size_t connection);
    bool fits(script const& r, step const& s) const;
    bool alone(step const& s) const;
    std::size_t reach(script const& r, std::size_t first, bool pipelined) const;
    std::vector<sent> send(script const& r, std::size_t first, std::size_t end);
    bool burst(script const& r, std::size_t first, std::size_t end);
    bool by_itself(script const& r, std::size_t at);
    bool everybody(script const& r, std::size_t at);
    bool compare(std::size_t connection, std::vector<sent> const& all);
    bool parted(state const& s, request const& of, std::string_view expected, std::string_view found) const;
    bool agree(state& s, request const& of, std::string_view expected, std::string_view found);
    bool agree_on_scan(std::size_t connection, request const& of);
    bool differ(sent const& about, std::size_t connection, std::string_view expected, std::string_view found);
    void note(std::size_t connection, std::string_view received);

    peer& reference_;
    peer& mock_;
    listener seen_;
    std::vector<std::string> defaults_;
    std::vector<state> states_;
    std::optional<difference> difference_;
    std::vector<fixtures::step> transcript_;
    bool recording_ = false;
    bool abandoned_ = false;  // the servers have rightly parted
    bool settled_ = false;    // since the last step
    std::uint64_t compared_ = 0;
};

}  // namespace respkit::differential
