// What has been asked and answered: the last requests of all clients, for a test to look at.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/clock.hpp>

namespace respkit {

class session;

// One request as it came, whatever became of it.
struct recorded_call {
    std::uint64_t sequence = 0;  // from 1 on; those before the oldest that is kept have been forgotten
    clock::time_point time = {};
    std::uint64_t connection = 0;  // CLIENT ID
    std::string client = {};       // CLIENT SETNAME's name
    int db = 0;
    std::vector<std::string> words = {};
    std::string reply = {};  // its bytes; "" while it is waited for, and where there was none
    std::uint64_t rule = 0;  // that has acted on it; 0: none
};

// Which of them; all that is named must match. Patterns as in KEYS.
struct call_filter {
    std::string command = "*";  // "get", "client|kill", in whatever case
    std::string client = "*";
    std::optional<std::uint64_t> connection = {};
    std::optional<int> db = {};
    std::uint64_t after = 0;  // a sequence number

    bool matches(recorded_call const& c) const;
};

// Keeps the newest: no more than `most_calls`, and no more than `most_bytes` of words and replies.
class journal {
public:
    bool on() const { return on_; }
    void start(std::size_t most_calls = 100'000);
    void stop() { on_ = false; }
    void clear();

    // Returns the sequence number under which the reply may be added.
    std::uint64_t add(session const& who, clock::time_point now, std::span<std::string_view const> words);
    void answered(std::uint64_t sequence, std::string_view reply, std::uint64_t rule = 0);

    std::deque<recorded_call> const& calls() const { return calls_; }
    std::vector<recorded_call> select(call_filter const& f) const;
    std::size_t count(call_filter const& f) const;

    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

private:
    void trim();

    std::deque<recorded_call> calls_;
    std::size_t most_calls_ = 0;
    std::size_t bytes_ = 0;
    std::uint64_t last_ = 0;
    bool on_ = false;
};

}  // namespace respkit
