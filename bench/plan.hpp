// The command line as a plain value.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <respkit/bench/workload.hpp>
#include <respkit/client/endpoint.hpp>

namespace respkit::bench {

// What sends the requests: an event loop with many connections on a thread; hiredis, blocking, a thread per
// connection; or nothing, bytes go to an engine on the same thread.
enum class driver { asio, hiredis, memory };

// How long a thread of driver hiredis keeps a connection: for a task, for an operation; never: it opens one
// for each batch.
enum class borrowing { task, operation, never };

struct pooling {
    std::size_t size = 0;                // connections; 0: one for each thread
    std::size_t readers = 0;             // connections of a second pool, from which no write borrows
    std::vector<endpoint> reader_hosts;  // where those go, in turn; empty: to the target
    bool eager = true;
    bool eager_readers = false;
    bool test_on_borrow = false;
    bool wake_all = false;
    std::chrono::milliseconds patience{2000};  // of who waits for a connection
    borrowing borrow = borrowing::task;
    bool in_window = false;  // the pool is made while the clock runs
};

// What belongs to `suite NAME`.
struct suite_options {
    std::string name;  // empty: no suite
    double scale = 1;
    std::uint64_t task_ops = 1000;
    std::size_t pool = 0;
    borrowing borrow = borrowing::task;
    bool test_on_borrow = false;
    bool cold = false;
    bool eager = false;
    std::vector<endpoint> readers;
    std::string markdown_path;
};

struct plan {
    bool embedded = true;  // no target was named: a server of our own, inside this process
    bool child = false;    // or in a process of its own
    endpoint target;

    std::vector<std::string> tests;    // -t, lower case; empty: all
    std::vector<std::string> command;  // the user's own, instead of tests
    bool last_word_from_stdin = false;

    std::uint64_t requests = 100'000;
    std::size_t connections = 50;
    std::size_t pipeline = 1;  // requests in a batch: send so many, wait for so many
    std::size_t window = 0;    // instead of batches: keep so many in flight
    std::size_t data_size = 3;
    std::uint64_t keyspace = 0;  // 0: __rand_int__ stays as it is
    bool keep_alive = true;
    std::size_t threads = 1;
    bench::driver driver = driver::asio;
    pooling pool;                 // of driver hiredis
    std::uint64_t task_ops = 0;   // operations that a thread takes at a time; 0: its share of all
    naming names = naming::none;  // with a keyspace: random
    bool cold = false;            // no warm-up
    bool resp3 = false;
    std::uint64_t seed = 1;

    bool loop = false;
    bool idle = false;
    bool quiet = false;
    bool csv = false;
    bool explain = false;
    int precision = 3;  // decimals of a millisecond
    double allow_errors = 0;
    std::string json_path;
    suite_options suite;

    std::string command_line;
    std::vector<std::string> warnings;  // for stderr, before anything else

    // Requests sent before the window, on the same connections: a tenth, for 10 s at most.
    std::uint64_t warm_up() const { return cold ? 0 : requests / 10; }

    // The most requests that are ever in flight.
    std::uint64_t in_flight() const {
        auto const links = driver == bench::driver::memory ? 1 : connections;  // one at a time, on one thread
        auto const all = std::uint64_t{links} * (window ? window : pipeline);
        return all < requests ? all : requests;
    }
};

// Either a plan or what to print instead of running.
struct parsed {
    std::optional<bench::plan> plan;
    int exit_code = 0;
    std::string out;  // for stdout
    std::string err;  // for stderr
};
parsed parse(int argc, char const* const* argv);

}  // namespace respkit::bench
