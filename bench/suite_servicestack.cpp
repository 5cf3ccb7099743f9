// Loading records with ServiceStack.Redis and BookSleeve, and what a connection pool costs.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <respkit/bench/format.hpp>
#include <respkit/bench/suite.hpp>
#include <respkit/bench/verdict.hpp>

namespace respkit::bench {
namespace {

constexpr std::string_view alphabet = "_ABCDEFGHIGKLMNOPQRSTYVWXYZ";  // as the seed spells it
constexpr std::size_t parallelism = 32;

// Tests 1 and 2: records by so many threads or callers; as published.
struct load_row {
    bool shared;  // callers share one connection
    std::uint64_t records;
    std::size_t callers;
    double seconds, server_kilobytes, client_kilobytes;
    double microseconds;  // of a record here, roughly
};
constexpr load_row load_rows[] = {
    {false, 1'000'000, 1, 31, 365152, 34596, 40},    {false, 1'000'000, 32, 15, 364664, 39512, 16},
    {false, 10'000'000, 1, 350, 3608376, 69960, 40}, {false, 10'000'000, 32, 180, 3609368, 76963, 16},
    {true, 1'000'000, 1, 74, 365156, 34196, 25},     {true, 1'000'000, 32, 35, 365328, 34376, 4},
    {true, 10'000'000, 1, 852, 3606096, 69500, 25},  {true, 10'000'000, 32, 416, 3606100, 70064, 4},
};

// Tests 3 and 4: a pool of so many writers and readers; none: a connection per item. 0 s: not published.
struct pool_row {
    std::uint64_t items;
    std::size_t writers, readers;
    double seconds;
    double microseconds;
};
constexpr pool_row pool_rows[] = {
    {96, 1, 2, 0.228, 200},       {96, 10, 10, 0.257, 200}, {320'000, 1, 2, 16.139, 60},
    {320'000, 10, 10, 6.079, 20}, {320'000, 0, 0, 0, 110},
};

// hh:mm:ss and `digits` decimals.
std::string elapsed(double seconds, int digits) {
    double const unit = digits == 7 ? 1e7 : digits == 3 ? 1e3 : 1;
    auto const all = static_cast<std::uint64_t>(seconds * unit + 0.5);
    auto const whole = all / static_cast<std::uint64_t>(unit);
    auto const text = fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    if (!digits) return text;
    return fmt::format("{}.{:0{}}", text, all % static_cast<std::uint64_t>(unit), digits);
}

std::string kilobytes(std::optional<std::uint64_t> bytes) {
    return bytes ? grouped(*bytes / 1024) + " K" : std::string("-");
}

bool is_shared(finished const& f) { return f.result.driver == "asio"; }
std::size_t callers(finished const& f) { return is_shared(f) ? f.result.window : f.result.threads; }

std::string bytes_a_record(test_result const& t) {
    if (!t.server_growth) return "-";
    return fmt::format("{:.0f}", static_cast<double>(*t.server_growth) /
                                     static_cast<double>(std::max<std::uint64_t>(1, t.operations)));
}

std::string load_text(finished const& f) {
    auto const& t = f.result;
    auto const& seed = f.line->seed;
    auto const n = callers(f);
    return fmt::format(
        "{} records ({} {}{}) - {} (Server RAM - {}; Client RAM - {})\n"
        "    {} bytes a record above empty · {} · seed {}, {} K, {} K\n",
        grouped(t.requests), n, is_shared(f) ? "caller" : "thread", n == 1 ? "" : "s", elapsed(t.seconds, 3),
        kilobytes(t.server_memory), kilobytes(t.client_memory), bytes_a_record(t), name(t.verdict),
        elapsed(seed[0].value, 0), grouped(seed[1].value, 0), grouped(seed[2].value, 0));
}

std::vector<std::string> load_cells(finished const& f) {
    auto const& t = f.result;
    auto const& seed = f.line->seed;
    return {grouped(t.requests),
            std::to_string(callers(f)),
            elapsed(t.seconds, 3),
            kilobytes(t.server_memory),
            kilobytes(t.client_memory),
            bytes_a_record(t),
            elapsed(seed[0].value, 0),
            fmt::format("{} K", grouped(seed[1].value, 0)),
            fmt::format("{} K", grouped(seed[2].value, 0))};
}

std::string pool_title(finished const& f) {
    auto const& pool = f.line->plan.pool;
    if (pool.borrow == borrowing::never) return "No pool, a connection for each item";
    return fmt::format("Pool with {} write master and {} readonly slave ({} opened)", pool.size, pool.readers,
                       f.result.opened);
}

// The lowest and highest tenth of all runs.
std::string range(test_result const& t) {
    auto all = t.all_runs;
    if (all.size() < 2) return "";
    std::sort(all.begin(), all.end());
    auto const at = [&](std::size_t tenths) {
        return static_cast<double>(all[(all.size() - 1) * tenths / 10]) / 1e6;
    };
    return fmt::format("{:.1f} .. {:.1f}", at(1), at(9));
}

std::string pool_text(finished const& f) {
    auto const& t = f.result;
    auto out = fmt::format("{}:\nInserted {} data items with degree of parallelism {}. Elapsed time: {}",
                           pool_title(f), t.requests, t.threads, elapsed(t.seconds, 7));
    if (auto const r = range(t); !r.empty()) out += " (" + r + ")";
    out += f.line->seed.empty() ? "\n    not in the seed's table\n"
                                : fmt::format("\n    seed {}\n", elapsed(f.line->seed[0].value, 7));
    return out;
}

std::vector<std::string> pool_cells(finished const& f) {
    return {pool_title(f), std::to_string(f.result.requests), elapsed(f.result.seconds, 7), range(f.result),
            f.line->seed.empty() ? "-" : elapsed(f.line->seed[0].value, 7)};
}

std::string pool_foot(std::span<finished const> section) {
    if (section.size() < 2 || section[0].result.requests == 96) return "";
    auto const& small = section[0].result;
    auto const& large = section[1].result;
    return fmt::format(
        "    1 + 2 takes {:.1f} × (seed 2.7 ×): with {} threads one has the connection and the others\n"
        "    wait for it, p50 {} ms, p99 {} ms\n",
        large.seconds > 0 ? small.seconds / large.seconds : 0, small.threads,
        milliseconds(static_cast<double>(small.waits.percentile(50)), 2),
        milliseconds(static_cast<double>(small.waits.percentile(99)), 2));
}

workload record() {
    std::string const guid(request::record_placeholder);
    std::string value = guid;
    for (int i = 0; i < 8; ++i) value += alphabet;
    auto w = custom({"SET", guid, value});
    w.title = w.label = "SET record";
    return w;
}

plan blank(plan const& p) {
    auto run = p;
    run.names = naming::record;
    run.cold = true;  // the clock runs from the first SET to the last reply
    run.driver = driver::hiredis;
    return run;
}

suite_line load_line(plan const& p, load_row const& r) {
    suite_line line;
    auto& run = line.plan = blank(p);
    run.requests = scaled(r.records, p.suite.scale);
    if (r.shared) {
        run.driver = driver::asio;
        run.connections = run.threads = 1;
        run.window = r.callers;
    } else {
        run.connections = run.threads = r.callers;
    }
    line.work = record();
    line.name = fmt::format("test {}, {} records, {} {}", r.shared ? 2 : 1, run.requests, r.callers,
                            r.shared ? "callers" : "threads");
    line.seed = {{"seconds", r.seconds},
                 {"server_kilobytes", r.server_kilobytes},
                 {"client_kilobytes", r.client_kilobytes}};
    line.seconds = static_cast<double>(run.requests) * r.microseconds / 1e6 + 0.1;
    line.records = run.requests;
    return line;
}

suite_line pool_line(plan const& p, pool_row const& r) {
    suite_line line;
    auto& run = line.plan = blank(p);
    run.requests = r.items == 96 ? 96 : scaled(r.items, p.suite.scale);
    run.connections = run.threads = parallelism;
    run.pool.size = r.writers;
    run.pool.readers = r.readers;
    run.pool.reader_hosts = p.suite.readers;
    run.pool.eager = run.pool.eager_readers = p.suite.eager;
    run.pool.borrow = r.writers ? borrowing::operation : borrowing::never;
    run.pool.wake_all = true;
    run.pool.in_window = true;
    line.work = record();
    line.name =
        fmt::format("test {}, {} items, {}", r.items == 96 ? 3 : 4, run.requests,
                    r.writers ? fmt::format("pool {} + {}", r.writers, r.readers) : std::string("no pool"));
    if (r.seconds > 0) line.seed = {{"seconds", r.seconds}};
    line.runs = r.items == 96 ? 20 : 1;
    line.seconds = static_cast<double>(run.requests * line.runs) * r.microseconds / 1e6 + 0.1;
    line.records = run.requests;
    return line;
}

}  // namespace

suite servicestack_suite(plan const& p) {
    suite s;
    s.name = "servicestack";
    s.about = "loading records, and the price of a pool";
    s.notes = fmt::format(
        "record   key GUID, 36; value GUID + 8 × \"{}\", 252 bytes\n"
        "pools    sizes are connections to one server; opened when first needed{}; who waits is\n"
        "         woken at every return; 2 s of patience\n",
        alphabet, p.suite.eager ? ": no, at once (--eager)" : "");
    s.fresh_server = true;
    s.bytes_per_record = 410;
    auto const section = [&](char const* title, char const* about) -> suite_section& {
        auto& part = s.sections.emplace_back();
        part.title = title;
        part.head = fmt::format("\n{} {}\n", title, about);
        return part;
    };
    auto const loads = [&](bool shared, char const* title, char const* about) {
        auto& part = section(title, about);
        part.columns = {"records",       "threads",          "elapsed",
                        "Server RAM",    "Client RAM",       "bytes a record",
                        "seed: elapsed", "seed: Server RAM", "seed: Client RAM"};
        part.text = load_text;
        part.cells = load_cells;
        for (auto const& r : load_rows)
            if (r.shared == shared) part.lines.push_back(load_line(p, r));
    };
    auto const pools = [&](bool warm_up, char const* title, char const* about) {
        auto& part = section(title, about);
        part.columns = {"pool", "items", "elapsed", "p10 .. p90, ms", "seed: elapsed"};
        part.text = pool_text;
        part.cells = pool_cells;
        part.foot = pool_foot;
        for (auto const& r : pool_rows)
            if ((r.items == 96) == warm_up) part.lines.push_back(pool_line(p, r));
    };
    loads(false, "Test #1.", "hiredis, a blocking connection per thread (seed: ServiceStack.Redis)");
    loads(true, "Test #2.", "asio, callers share one connection (seed: BookSleeve)");
    pools(true, "Test #3.", "Warm-up of a pool, connecting included: median of 20 (p10 .. p90, ms)");
    pools(false, "Test #4.", "The price of a minimal pool (or of none)");
    return s;
}

}  // namespace respkit::bench
