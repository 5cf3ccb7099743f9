// The command line as a plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <respkit/client/endpoint.hpp>

namespace respkit::bench {

struct plan {
    bool embedded = true;  // no target was named: a server of our own, inside this process
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

    std::string command_line;
    std::vector<std::string> warnings;  // for stderr, before anything else

    // The most requests that are ever in flight.
    std::uint64_t in_flight() const {
        auto const all = std::uint64_t{connections} * (window ? window : pipeline);
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
