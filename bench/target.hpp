// The server under load: one of ours inside this process or in one of its own, an engine without sockets, or
// a real one.
#pragma once

#include <memory>
#include <optional>

#include <respkit/bench/child_server.hpp>
#include <respkit/bench/plan.hpp>
#include <respkit/bench/result.hpp>
#include <respkit/client/client.hpp>

namespace respkit {
class engine;
class mock;
}  // namespace respkit

namespace respkit::bench {

class target {
public:
    // Starts the embedded server or reaches the real one. Throws connect_error, or std::system_error if no
    // port can be had.
    explicit target(plan const& p);
    ~target();

    endpoint const& where() const { return endpoint_; }
    address const& resolved() const { return side_->where(); }
    target_info const& info() const { return info_; }
    // Ours, and gone when this is.
    bool embedded() const { return info_.kind == "embedded" || info_.kind == "child" || engine(); }
    // Driver memory's; null for the others.
    respkit::engine* engine() const;

    // A connection for everything but load.
    client& side() { return *side_; }

    // Processor time of the thread that runs commands, until now; nothing if the server does not tell.
    std::optional<bench::cpu> cpu();
    std::optional<std::uint64_t> memory();
    // What its data has taken since this object was made: our own process' resident memory, a named server's
    // used_memory, whose resident memory lags behind.
    std::optional<std::uint64_t> growth();

private:
    // An INFO section; empty if there is none to be had.
    std::string ask(std::string_view section);

    endpoint endpoint_;
    struct in_memory;
    std::unique_ptr<mock> mock_;
    std::unique_ptr<child_server> child_;
    std::unique_ptr<in_memory> memory_;
    std::unique_ptr<client> side_;
    target_info info_;
    std::optional<std::uint64_t> data();
    std::optional<std::uint64_t> data_at_first_;
};

// "field:value" of an INFO text.
std::optional<std::string> info_field(std::string const& text, std::string_view field);

// Does something that speaks RESP answer at 127.0.0.1:6379? Takes a tenth of a second at most.
bool default_redis_answers();

}  // namespace respkit::bench
