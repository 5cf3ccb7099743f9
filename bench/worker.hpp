// One load thread: its own event loop, connections, random numbers, histogram and counts. While it runs it
// shares nothing with anybody but two flags.
//
// Closed loop. A connection sends a batch, waits for all of its replies and sends the next (or, with a
// window, replaces what has been answered at once). The clock is read once per write and once per read;
// every request of a write, every reply of a read shares the reading. A reply's time is when its last byte
// was read. Latency counts good replies (ok and nil) only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <respkit/bench/result.hpp>
#include <respkit/bench/workload.hpp>
#include <respkit/client/endpoint.hpp>
#include <respkit/resp/protocol.hpp>

namespace respkit::bench {

// What every worker of a run is told.
struct load {
    endpoint target;
    address where;  // of the target's, the one that answers
    resp::version protocol = resp::version::v2;
    bench::request request;
    hit counts = hit::none;
    std::size_t range = 0;
    std::uint64_t keyspace = 0;
    std::size_t depth = 1;  // requests in flight per connection
    bool sliding = false;   // refill at once instead of batch by batch
    bool keep_alive = true;
    std::chrono::milliseconds patience{
        10'000};  // a reply that takes longer is a time-out; its connection is closed
};

// What one phase of a worker came to.
struct phase {
    using clock = std::chrono::steady_clock;

    tally replies;
    std::uint64_t sent = 0;
    histogram latency;
    clock::time_point began, ended;  // first request sent, last reply read
    cpu used;
    bool complete = false;  // all requests were answered

    // Good replies second by second, counted from `began`.
    struct second {
        double ends = 0;
        std::vector<histogram::cell> cells;
    };
    std::vector<second> seconds;
};

class worker {
public:
    worker(load const& l, std::size_t connections, std::uint64_t seed);
    ~worker();
    worker(worker const&) = delete;
    worker& operator=(worker const&) = delete;

    // Opens and greets all connections. Throws connect_error.
    void connect();
    // Sends that many requests and waits for their replies; begins no new ones once `stop` is set or the time
    // is over. Ends early if every connection is lost.
    phase run(std::uint64_t requests, std::atomic<bool> const& stop,
              std::chrono::milliseconds at_most = std::chrono::milliseconds::max());
    // Connections that are still of use.
    std::size_t alive() const;

    // Replies of the phase under way, a moment old; for progress lines. Any thread may ask.
    std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }

private:
    class state;
    std::unique_ptr<state> state_;
    std::atomic<std::uint64_t> done_{0};
};

}  // namespace respkit::bench
