// What a run has found: plain values, from which every report is drawn. Times are nanoseconds; what is not
// known is absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/bench/histogram.hpp>
#include <respkit/bench/reply_scanner.hpp>

namespace respkit::bench {

// Processor time.
struct cpu {
    std::uint64_t user = 0;
    std::uint64_t system = 0;
    std::uint64_t total() const { return user + system; }
    cpu& operator+=(cpu const& other) {
        user += other.user;
        system += other.system;
        return *this;
    }
};

// A figure of the table that a suite reproduces.
struct published {
    std::string_view what;  // "per_second"
    double value = 0;
};

enum class bound { client, server, both, neither };

// What the service itself took in one second of the window.
struct moment {
    double at = 0;  // seconds since the window began; the end of the second
    double per_second = 0;
    std::uint64_t p50 = 0;
    std::uint64_t p99 = 0;
};

struct test_result {
    std::string name;
    std::string label;
    std::string suite;             // "redis", "jedis", "servicestack", or "custom"
    std::uint64_t requests = 0;    // asked for
    std::uint64_t operations = 0;  // answered, one way or the other; equals requests unless partial
    std::uint64_t warm_up = 0;     // requests sent before the window
    double seconds = 0;            // first request sent → last reply read
    double per_second = 0;         // operations of ok and nil replies, never of errors
    std::size_t commands = 1;      // of an operation
    bool partial = false;
    std::string trouble;  // why it is partial, for people

    std::size_t connections = 0, pipeline = 1, window = 0, data_size = 0, threads = 1;
    std::uint64_t keyspace = 0;
    bool keep_alive = true, resp3 = false;

    tally replies;
    std::optional<double> hit_ratio;
    histogram latency;                    // service time: sent → whole reply
    histogram waits;                      // of driver hiredis' threads, for a connection
    std::size_t opened = 0;               // connections of its pool
    std::uint64_t task_operations = 0;    // that a thread took at a time
    std::string driver = "asio", mix;     // mix: "x / o" in the notation of the suite jedis
    std::vector<std::uint64_t> all_runs;  // a line that is the median of many: the window of each, ns
    std::vector<published> seed;          // what was published; the first figure is comparable to ours
    std::vector<moment> timeline;

    cpu client_cpu;             // of all load threads, inside the window
    double busiest_client = 0;  // of one load thread, as a share of the window
    std::optional<cpu> server_cpu;
    std::optional<double> server_busy;   // as a share of the window
    std::optional<double> machine_busy;  // all its cores together
    unsigned cores = 1;
    std::optional<std::uint64_t> client_memory, server_memory;
    std::optional<std::uint64_t> server_growth;  // by its data, since it was empty

    double outstanding = 0;  // Little's law: per_second × mean
    std::uint64_t allowed = 0;
    bound verdict = bound::neither;
    std::string verdict_reason;
};

struct environment {
    std::string cpu_model, kernel;
    unsigned cores = 1;
    std::optional<std::string> governor;
    std::optional<double> load, steal_percent;
    std::string command_line, started;
    std::uint64_t seed = 0;
};

struct target_info {
    std::string kind;  // embedded, child, memory, tcp, unix
    std::string address;
    std::string server;  // "redis 7.0.15"; empty if it does not say
};

struct report {
    target_info target;
    bench::environment environment;
    std::vector<test_result> tests;
    double seconds = 0;  // all of it
    bool interrupted = false;
};

}  // namespace respkit::bench
