// Who makes load: one thread, its connections, random numbers, histogram and counts. While it runs it shares
// with others a list of tasks and two flags.
//
// Closed loop. A connection sends a batch, waits for all of its replies and sends the next. The clock is read
// once per write and once per read; every request of a write, every reply of a read shares the reading. A
// reply's time is when its last byte was read. Latency counts good replies (ok and nil) only.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <respkit/bench/plan.hpp>
#include <respkit/bench/result.hpp>
#include <respkit/bench/workload.hpp>
#include <respkit/client/endpoint.hpp>
#include <respkit/resp/protocol.hpp>

namespace respkit {
class engine;
class hiredis_pool;
}  // namespace respkit

namespace respkit::bench {

// One command of an operation.
struct step {
    bench::request request;
    hit counts = hit::none;
    std::size_t range = 0;
};

// What every worker of a run is told.
struct load {
    endpoint target;
    address where;  // of the target's, the one that answers
    resp::version protocol = resp::version::v2;
    std::vector<step> steps;  // of one operation; for the event loop and the engine: one
    naming names = naming::none;
    std::uint64_t keyspace = 0;
    std::uint64_t seed = 1;  // of the records' GUIDs
    std::size_t depth = 1;   // operations in flight per connection
    bool sliding = false;    // refill at once instead of batch by batch
    bool keep_alive = true;
    std::chrono::milliseconds patience{
        10'000};  // a reply that takes longer is a time-out; its connection is closed
};

// Operations that are still to be done, numbered, given out a task at a time. Any thread may ask.
class task_list {
public:
    struct task {
        std::uint64_t first = 0, count = 0;  // count 0: there is no more to do
    };
    task_list(std::uint64_t first, std::uint64_t operations, std::uint64_t size)
        : next_(first), end_(first + operations), size_(size) {}

    task take() {
        auto const at = next_.fetch_add(size_, std::memory_order_relaxed);
        return at < end_ ? task{at, std::min(size_, end_ - at)} : task{};
    }

private:
    std::atomic<std::uint64_t> next_;
    std::uint64_t const end_, size_;
};

// What one phase of a worker came to.
struct phase {
    using clock = std::chrono::steady_clock;

    tally replies;
    std::uint64_t sent = 0;
    histogram latency;
    histogram waits;                 // for a connection of the pool
    clock::time_point began, ended;  // first request sent, last reply read
    cpu used;
    bool complete = false;  // all requests were answered
    std::string trouble;    // what the worker has to say about that, if anything

    // Good replies second by second, counted from `began`.
    struct second {
        double ends = 0;
        std::vector<histogram::cell> cells;
    };
    std::vector<second> seconds;
};

class worker {
public:
    virtual ~worker() = default;

    // Opens and greets all connections. Throws connect_error.
    virtual void connect() = 0;
    // Does tasks of the list until there are none, or `stop` is set, or the time is over, or all connections
    // are lost, and waits for the replies.
    virtual phase run(task_list& tasks, std::atomic<bool> const& stop,
                      std::chrono::milliseconds at_most = std::chrono::milliseconds::max()) = 0;
    // Connections that are still of use.
    virtual std::size_t alive() const = 0;

    // Replies of the phase under way, a moment old; for progress lines. Any thread may ask.
    std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }

protected:
    std::atomic<std::uint64_t> done_{0};
};

// Driver asio: an event loop with that many connections. It takes one task in a phase.
std::unique_ptr<worker> loop_worker(load const& l, std::size_t connections, std::uint64_t seed);

// Driver memory: no sockets; the engine's sessions, on this thread, which nobody else uses meanwhile.
std::unique_ptr<worker> memory_worker(load const& l, std::size_t connections, std::uint64_t seed, engine& e);

// Driver hiredis: a blocking thread that borrows its connections.
struct lending {
    borrowing when = borrowing::task;
    std::unique_ptr<hiredis_pool> pool;  // null with borrowing::never
    std::vector<std::unique_ptr<hiredis_pool>> readers;
    std::atomic<bool> failed = false;  // one thread gave up: all do
};
std::unique_ptr<worker> pool_worker(load const& l, std::uint64_t seed, lending& from);

// Processor time of the calling thread, until now.
cpu thread_cpu();

}  // namespace respkit::bench
