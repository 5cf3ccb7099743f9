// A published table as data: which lines, what is run for each, how each is read. `run_suite` does the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <respkit/bench/interrupts.hpp>
#include <respkit/bench/plan.hpp>
#include <respkit/bench/report.hpp>
#include <respkit/bench/result.hpp>
#include <respkit/bench/workload.hpp>

namespace respkit::bench {

// One line of the table.
struct suite_line {
    std::string name;
    bench::plan plan;
    bench::workload work;
    std::vector<published> seed;
    double seconds = 0;         // that it is likely to take
    std::uint64_t records = 0;  // that it leaves on the server
    std::size_t runs = 1;       // the line is the median of so many
};

// A line and what it came to.
struct finished {
    suite_line const* line;
    test_result result;
};

// Lines of one kind. `text` is how the published table puts them, each ends in a line feed; `cells` the same
// as cells under `columns`, for Markdown, with the published figures beside.
struct suite_section {
    std::string head;  // printed above the lines
    std::string title;
    std::vector<std::string> columns;
    std::vector<suite_line> lines;
    std::string (*text)(finished const& f);
    std::vector<std::string> (*cells)(finished const& f);
    std::string (*foot)(std::span<finished const> section) = nullptr;
};

struct suite {
    std::string name, about;
    std::string notes;          // what the published text leaves open, and how it is read
    bool fresh_server = false;  // an empty server for every line
    std::uint64_t bytes_per_record = 100;
    std::vector<suite_section> sections;
    std::string (*foot)(std::span<finished const> all) = nullptr;

    double seconds() const;
    std::uint64_t bytes() const;
};

// By the name and the options of the plan's suite.
suite make_suite(plan const& p);
suite redis_suite(plan const& p);
suite jedis_suite(plan const& p);
suite servicestack_suite(plan const& p);

// A count as --scale makes it: rounded up, not below 1,000 (or what it was before).
std::uint64_t scaled(std::uint64_t count, double scale);
std::string minutes(double seconds);  // "about 3 minutes"

// What is known before the first line: server, machine, needs. UTF-8.
std::string suite_head(suite const& s, plan const& p, report const& r);
// Everything as Markdown.
std::string suite_markdown(suite const& s, plan const& p, report const& r, std::span<finished const> all);

// Runs every line, prints each as it ends, writes what was asked for. Returns the exit code.
int run_suite(plan const& p, interrupts& signals);

}  // namespace respkit::bench
