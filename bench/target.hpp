// The server under load: one of ours inside this process, or a real one.
#pragma once

#include <memory>
#include <optional>

#include <respkit/bench/plan.hpp>
#include <respkit/bench/result.hpp>
#include <respkit/client/client.hpp>

namespace respkit {
class mock;
}

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
    bool embedded() const { return mock_ != nullptr; }

    // A connection for everything but load.
    client& side() { return *side_; }

    // Processor time of the thread that runs commands, until now; nothing if the server does not tell.
    std::optional<bench::cpu> cpu();
    std::optional<std::uint64_t> memory();

private:
    // An INFO section; empty if there is none to be had.
    std::string ask(std::string_view section);

    endpoint endpoint_;
    std::unique_ptr<mock> mock_;
    std::unique_ptr<client> side_;
    target_info info_;
};

// "field:value" of an INFO text.
std::optional<std::string> info_field(std::string const& text, std::string_view field);

// Does something that speaks RESP answer at 127.0.0.1:6379? Takes a tenth of a second at most.
bool default_redis_answers();

}  // namespace respkit::bench
