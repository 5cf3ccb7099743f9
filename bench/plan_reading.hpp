// What plan.cpp and plan_suite.cpp, which read the command line, share.
#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <respkit/bench/format.hpp>
#include <respkit/bench/plan.hpp>

namespace respkit::bench {

class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class Number>
Number whole(std::string const& option, std::string const& text, std::uint64_t low, std::uint64_t high) {
    std::uint64_t n = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    bool const clean = end == text.data() + text.size() && !text.empty();
    if (!clean || (error != std::errc{} && error != std::errc::result_out_of_range))
        throw usage_error(option + " wants a whole number, not '" + text + "'");
    if (error != std::errc{} || n < low || n > high)
        throw usage_error(option + " wants a number from " + grouped(low) + " to " + grouped(high) +
                          ", not " + text);
    return static_cast<Number>(n);
}

// Everything that CLI11 writes to while it parses.
struct reading {
    bench::plan plan;
    std::string uri, user, password, host, socket, tests, readers;
    std::uint16_t port = 0;
    std::uint32_t db = 0;
    bool db_given = false, effectless = false, version = false;
};

// The options that only a suite knows.
void declare_suites(CLI::App& app, reading& r);
// Refuses options that a suite fixes, or that are another suite's; fills in the plan's suite.
void check_suite(reading& r, CLI::App const& app);
// Reads "suite NAME" at that word, and returns where options begin again.
std::size_t take_suite(reading& r, std::vector<std::string> const& words, std::size_t at);

}  // namespace respkit::bench
