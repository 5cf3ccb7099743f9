// Redis 2.4.2 against 2.6.2: redis-benchmark -c 10 -n 100000 -q, one run of each.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <respkit/bench/format.hpp>
#include <respkit/bench/suite.hpp>
#include <respkit/bench/verdict.hpp>

namespace respkit::bench {
namespace {

struct row {
    std::string_view test;   // of redis_tests()
    std::string_view title;  // as redis-benchmark printed it then
    double in_2_4, in_2_6;   // requests per second
    double microseconds;     // of a request, roughly
};

constexpr row rows[] = {
    {"PING_INLINE", "PING_INLINE", 41305.25, 40849.67, 8},
    {"PING_MBULK", "PING_BULK", 41649.31, 40371.42, 8},
    {"SET", "SET", 42016.81, 41339.39, 8},
    {"GET", "GET", 41788.55, 41118.42, 8},
    {"INCR", "INCR", 41823.50, 41169.21, 8},
    {"LPUSH", "LPUSH", 36179.45, 40144.52, 8},
    {"LPOP", "LPOP", 41067.76, 41580.04, 9},
    {"SADD", "SADD", 41823.50, 42069.84, 8},
    {"SPOP", "SPOP", 41305.25, 42462.84, 9},
    {"LPUSH (needed to benchmark LRANGE)", "LPUSH (needed to benchmark LRANGE)", 41254.12, 41511.00, 8},
    {"LRANGE_100 (first 100 elements)", "LRANGE_100 (first 100 elements)", 17618.04, 17337.03, 13},
    {"LRANGE_300 (first 300 elements)", "LRANGE_300 (first 300 elements)", 6311.94, 6483.82, 22},
    {"LRANGE_500 (first 500 elements)", "LRANGE_500 (first 450 elements)", 4240.16, 4253.15, 28},
    {"LRANGE_600 (first 600 elements)", "LRANGE_600 (first 600 elements)", 3283.75, 2835.27, 34},
    {"MSET (10 keys)", "MSET (10 keys)", 24667.00, 19047.62, 10},
};

constexpr double same = 0.05;  // of a ratio: below it nobody would speak of a difference

std::string text(finished const& f) {
    return fmt::format("{}: {:.2f} requests per second\n", f.line->name, f.result.per_second);
}

double seed_ratio(finished const& f) { return f.line->seed[0].value / f.line->seed[1].value; }

std::string seed_verdict(finished const& f) {
    return std::abs(seed_ratio(f) - 1) <= same ? "same within 5 %" : "one run each: cannot tell";
}

std::vector<std::string> cells(finished const& f) {
    return {f.line->name,
            fmt::format("{:.2f}", f.result.per_second),
            fmt::format("{:.2f}", f.line->seed[1].value),
            fmt::format("{:.2f}", f.line->seed[0].value),
            fmt::format("{:.2f}", seed_ratio(f)),
            seed_verdict(f),
            std::string(name(f.result.verdict))};
}

std::string foot(std::span<finished const> all) {
    auto out = fmt::format("\n{:<16}{:>10}{:>9}{:>9}{:>9}  {}\n", "beside the seed", "here", "2.4.2", "2.6.2",
                           "2.6÷2.4", "2.4.2 and 2.6.2");
    for (auto const& f : all)
        out += fmt::format("{:<16}{:>10}{:>9}{:>9}{:>8.2f}  {}\n", f.result.label,
                           grouped(f.result.per_second, 0), grouped(f.line->seed[1].value, 0),
                           grouped(f.line->seed[0].value, 0), seed_ratio(f), seed_verdict(f));
    std::map<std::string_view, int> verdicts;
    for (auto const& f : all) ++verdicts[name(f.result.verdict)];
    out += "verdict ";
    for (auto const& [verdict, lines] : verdicts)
        out += fmt::format("{} {} in {} of {}", verdict == verdicts.begin()->first ? "" : ",", verdict, lines,
                           all.size());
    out += ".\n         Where the client was full, read ours as \"at least\".\n";
    out += "seed     Xeon 2.80 GHz, 4 cores, 2 GB; redis-benchmark, one run of each version\n";
    return out;
}

}  // namespace

suite redis_suite(plan const& p) {
    suite s;
    s.name = "redis";
    s.about = "redis-benchmark -c 10 -n 100000 -q, as for Redis 2.4.2 and 2.6.2";
    s.notes =
        "sent     keys and values as redis-benchmark 7.0 sends them (of 2.4's time: foo:rand:…, xxx);\n"
        "         keys and lists are filled before, a tenth more is sent to warm up\n\n";
    s.foot = foot;
    suite_section only;
    only.title = "Requests per second";
    only.columns = {"test", "here", "2.4.2", "2.6.2", "2.6 ÷ 2.4", "2.4.2 and 2.6.2", "here, bound by"};
    only.text = text;
    only.cells = cells;
    auto const tests = redis_tests(p.data_size, false);
    for (auto const& r : rows) {
        suite_line line;
        line.name = r.title;
        line.plan = p;
        line.plan.connections = 10;
        line.plan.requests = scaled(100'000, p.suite.scale);
        line.work =
            *std::find_if(tests.begin(), tests.end(), [&](auto const& w) { return w.title == r.test; });
        line.work.title = r.title;
        if (r.title == "PING_BULK") line.work.label = r.title;
        if (r.title.find("450") != std::string_view::npos) {
            line.work.words[3] = "449";
            line.work.range = 450;
        }
        line.seed = {{"per_second, redis 2.6.2", r.in_2_6}, {"per_second, redis 2.4.2", r.in_2_4}};
        line.seconds = 1.1 * static_cast<double>(line.plan.requests) * r.microseconds / 1e6;
        line.records = line.plan.requests;
        only.lines.push_back(std::move(line));
    }
    s.sections.push_back(std::move(only));
    return s;
}

}  // namespace respkit::bench
