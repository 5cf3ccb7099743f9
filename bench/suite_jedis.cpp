// A pool of Jedis connections under a pool of threads, beside redis-benchmark. Ours is a pool of hiredis
// connections in C++; the lines are read alike.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <respkit/bench/environment.hpp>
#include <respkit/bench/format.hpp>
#include <respkit/bench/suite.hpp>
#include <respkit/bench/verdict.hpp>

namespace respkit::bench {
namespace {

// redis-benchmark's lines.
struct bench_row {
    std::string_view test;
    std::size_t pipeline;
    double per_second;
};
constexpr bench_row bench_rows[] = {
    {"SET", 1, 141582.89}, {"LPUSH", 1, 137722.08}, {"SET", 16, 665778.94}, {"GET", 16, 813669.62}};

// The pool's: milliseconds as published, for the mixes x / o, o / x, x / x in turn.
struct pool_row {
    bool piped;
    std::size_t threads;
    std::uint64_t operations;
    std::array<double, 3> milliseconds;
};
constexpr pool_row pool_rows[] = {
    {false, 10, 1000, {102, 71, 114}},
    {false, 10, 500'000, {7363, 6744, 13764}},
    {false, 10, 1'000'000, {14579, 13405, 28031}},
    {false, 20, 1000, {26, 27, 49}},
    {false, 20, 500'000, {7328, 6937, 13937}},
    {false, 20, 1'000'000, {14405, 13647, 28639}},
    {true, 10, 1000, {77, 20, 52}},
    {true, 10, 500'000, {1314, 778, 1718}},
    {true, 10, 1'000'000, {2121, 1597, 3448}},
    {true, 20, 1000, {2, 2, 4}},
    {true, 20, 500'000, {1017, 819, 1705}},
    {true, 20, 1'000'000, {1936, 1663, 3838}},
};
constexpr std::string_view mixes[] = {"x / o", "o / x", "x / x"};

double operations_per_second(test_result const& t) {
    return t.seconds > 0 ? static_cast<double>(t.operations) / t.seconds : 0;
}

std::string milliseconds_text(double seconds) {
    return fmt::format("{:.{}f}", seconds * 1e3, seconds < 0.01 ? 2 : 1);
}

// One task only: one thread works, the others have nothing to do.
bool lonely(test_result const& t) { return t.requests <= t.task_operations; }

std::vector<std::string> pool_cells(finished const& f) {
    auto const& t = f.result;
    return {t.mix,
            std::to_string(t.threads),
            std::to_string(t.requests),
            std::to_string(t.task_operations),
            milliseconds_text(t.seconds),
            fmt::format("{:.0f}", operations_per_second(t)),
            fmt::format("{:.0f}", operations_per_second(t) * static_cast<double>(t.commands)),
            fmt::format("{:.0f}", f.line->seed[1].value),
            fmt::format("{:.0f}", f.line->seed[0].value)};
}

std::string pool_text(finished const& f) {
    auto const c = pool_cells(f);
    return fmt::format("{:<12} | {:>14} | {:>9} | {:>14} | {:>7} | {:>7}{}\n", c[0], c[1], c[2], c[3], c[4],
                       c[5], lonely(f.result) ? " *" : "");
}

std::string pool_foot(std::span<finished const> section) {
    std::string out;
    if (std::any_of(section.begin(), section.end(), [](auto const& f) { return lonely(f.result); }))
        out += "* one task: one thread works and the others wait, as in the seed.\n";
    auto const& last = section.back();
    auto const& t = last.result;
    if (t.commands == 2)
        out += fmt::format("x / x: an op is one SET and one GET, so {} op/s are {} commands/s.\n",
                           grouped(operations_per_second(t), 0), grouped(2 * operations_per_second(t), 0));
    // Published figures, a line for each three of the table.
    for (std::size_t i = 0; i + 3 <= section.size(); i += 3) {
        auto const& r = section[i].result;
        out += fmt::format("seed at {} × {} (Jedis, i5-2450M): {} · {} · {} op/s\n", r.threads,
                           grouped(section[i].line->seed[0].value * section[i].line->seed[1].value / 1e3, 0),
                           grouped(section[i].line->seed[0].value, 0),
                           grouped(section[i + 1].line->seed[0].value, 0),
                           grouped(section[i + 2].line->seed[0].value, 0));
    }
    auto const per_command = [&](cpu const& used) {
        return grouped(static_cast<double>(used.total()) /
                           static_cast<double>(std::max<std::uint64_t>(1, t.operations * t.commands)),
                       0);
    };
    out += fmt::format("verdict  {}: {};\n         {} ns/command here", name(t.verdict),
                       t.verdict_reason.substr(0, t.verdict_reason.find(';')), per_command(t.client_cpu));
    if (t.server_cpu) out += fmt::format(", {} at the server", per_command(*t.server_cpu));
    return out + "\n";
}

std::string bench_text(finished const& f) {
    return fmt::format("{:<48} seed {}\n",
                       fmt::format("{}: {:.2f} requests per second", f.line->work.title, f.result.per_second),
                       grouped(f.line->seed[0].value, 2));
}

std::vector<std::string> bench_cells(finished const& f) {
    return {f.line->work.title, std::to_string(f.result.pipeline), fmt::format("{:.2f}", f.result.per_second),
            fmt::format("{:.2f}", f.line->seed[0].value)};
}

// The best of the pool's lines that satisfy; those of one task only where there are no others.
template <class Holds>
finished const* best(std::span<finished const> all, Holds holds) {
    auto const counts = [&, busy = std::any_of(all.begin(), all.end(), [](auto const& f) {
                                return f.result.driver == "hiredis" && !lonely(f.result);
                            })](test_result const& t) {
        return t.driver == "hiredis" && (!busy || !lonely(t)) && holds(t);
    };
    finished const* found = nullptr;
    for (auto const& f : all)
        if (counts(f.result) &&
            (!found || operations_per_second(f.result) > operations_per_second(found->result)))
            found = &f;
    return found;
}

// The seed's five, filled with what was measured here.
std::string conclusions(std::span<finished const> all) {
    auto const any = [](auto const&) { return true; };
    auto const plain = best(all, [](auto const& t) { return t.pipeline == 1; });
    auto const piped = best(all, [](auto const& t) { return t.pipeline > 1; });
    auto const reads = best(all, [](auto const& t) { return t.mix == "o / x"; });
    auto const writes = best(all, [](auto const& t) { return t.mix == "x / o"; });
    auto const top = best(all, any);
    if (!plain || !piped || !reads || !writes) return "";
    auto const rate = [](finished const* f) { return operations_per_second(f->result); };
    auto const share = [](std::optional<double> part) {
        return part ? fmt::format("{:.0f} %", 100 * *part) : std::string("unknown");
    };
    auto const& t = top->result;
    std::string out = "\nConclusions\n";
    out += fmt::format("a) a pipeline gains {:.1f} × (best {} against {} op/s)\n", rate(piped) / rate(plain),
                       grouped(rate(piped), 0), grouped(rate(plain), 0));
    out += fmt::format("b) at its best: threads {} of a core, server {}, machine {}: {}\n",
                       share(client_cores(t)), share(t.server_busy), share(t.machine_busy), name(t.verdict));
    out += fmt::format("c) best reads  {} op/s (seed 642,674)\n", grouped(rate(reads), 0));
    out += fmt::format("d) best writes {} op/s (seed 516,529)\n", grouped(rate(writes), 0));
    out += fmt::format("e) best of all: {} threads, tasks of {} ops, {} ops in all\n", t.threads,
                       grouped(t.task_operations), grouped(t.requests));
    return out;
}

workload pool_work(std::string_view mix, std::string const& value) {
    auto set = custom({"SET", "key:__rand_int__", value}), get = custom({"GET", "key:__rand_int__"});
    get.counts = hit::not_null;
    if (mix == "x / o") return set;
    if (mix == "x / x") {
        set.then.push_back(get);
        return set;
    }
    get.needs = need::keys;
    return get;
}

std::string about_cpu() {
    std::string out = fmt::format("1. CPU info\nprocessor : {}\n", look_around().cores);
    for (char const* field : {"vendor_id", "cpu family", "model", "model name"})
        out += fmt::format("{} : {}\n", field, cpu_field(field).empty() ? "-" : cpu_field(field));
    return out;
}

suite_line pool_line(plan const& p, pool_row const& r, std::size_t mix) {
    suite_line line;
    auto& run = line.plan = p;
    run.driver = driver::hiredis;
    run.connections = run.threads = r.threads;
    run.requests = scaled(r.operations, p.suite.scale);
    run.task_ops = p.suite.task_ops;
    run.pipeline = r.piped ? p.suite.task_ops : 1;
    run.names = naming::counted;
    run.keyspace = run.requests;
    run.cold = p.suite.cold;
    run.pool.size = p.suite.pool;
    run.pool.borrow = p.suite.borrow;
    run.pool.test_on_borrow = p.suite.test_on_borrow;
    line.work = pool_work(mixes[mix], payload(p.data_size));
    line.name = fmt::format("{}, {} threads, {} ops{}", mixes[mix], r.threads, run.requests,
                            r.piped ? ", piped" : "");
    auto const published_ms = r.milliseconds[mix];
    line.seed = {{"per_second", static_cast<double>(r.operations) * 1e3 / published_ms},
                 {"milliseconds", published_ms}};
    auto const commands = static_cast<double>(run.requests) * (mix == 2 ? 2 : 1);
    line.seconds = commands * (r.piped ? 1.6e-6 : 14e-6) + 0.05;
    line.records = run.requests;
    return line;
}

}  // namespace

suite jedis_suite(plan const& p) {
    suite s;
    s.name = "jedis";
    s.about = "hiredis pool in C++, not Jedis: no JVM in here";
    s.notes = fmt::format(
        "sent     key:000000000000 and on, a key per op, {}-byte values (the seed does not say)\n"
        "pool     {}; borrowed once per {}{}; all connected before the clock\n"
        "         {}\n\n",
        p.data_size,
        p.suite.pool ? fmt::format("{} connections", p.suite.pool)
                     : std::string("a connection for each thread"),
        p.suite.borrow == borrowing::task ? "task" : "op",
        p.suite.test_on_borrow ? ", with a PING before" : "",
        p.suite.cold ? "cold: no warm-up" : "each line warms up first (a tenth of its ops; --cold without)");
    s.foot = conclusions;

    auto const tests = redis_tests(p.data_size, false);
    auto const n = scaled(1'000'000, p.suite.scale);
    auto const bench_section = [&](std::size_t pipeline) {
        suite_section part;
        part.title = pipeline == 1 ? "2. redis bench" : "3. redis bench pipeline";
        part.head = pipeline == 1 ? about_cpu() + fmt::format(
                                                      "2. redis bench\n"
                                                      "respkit-bench -t set,lpush -n {} -q\n",
                                                      n)
                                  : fmt::format(
                                        "3. redis bench pipeline\n"
                                        "respkit-bench -n {} -t set,get -P 16 -q\n",
                                        n);
        part.columns = {"test", "pipeline", "requests per second", "seed"};
        part.text = bench_text;
        part.cells = bench_cells;
        for (auto const& r : bench_rows) {
            if (r.pipeline != pipeline) continue;
            suite_line line;
            line.plan = p;
            line.plan.requests = n;
            line.plan.pipeline = pipeline;
            line.work =
                *std::find_if(tests.begin(), tests.end(), [&](auto const& w) { return w.title == r.test; });
            line.name = fmt::format("{}{}", r.test, pipeline == 1 ? "" : " -P 16");
            line.seed = {{"per_second", r.per_second}};
            line.seconds = 1.1 * static_cast<double>(n) * (pipeline == 1 ? 8e-6 : 1.6e-6);
            line.records = n;
            part.lines.push_back(std::move(line));
        }
        return part;
    };
    auto const pool_section = [&](bool piped) {
        suite_section part;
        part.title = piped ? "5. pool piped" : "4. pool not piped";
        part.head =
            fmt::format("{}   {}\n{:<12} | {} | {:>9} | {} | {:>7} | {:>7}\n", part.title,
                        piped ? "a task is one pipeline: append all, flush, read all"
                              : "one SET, one GET, or a SET + GET pair at a time per thread",
                        "Write / Read", "Number Threads", "Total Ops", "Ops per thread", "Time ms", "Op/sec");
        part.columns = {"Write / Read", "Number Threads", "Total Ops",     "Ops per thread", "Time ms",
                        "Op/sec",       "commands/sec",   "seed: Time ms", "seed: Op/sec"};
        part.text = pool_text;
        part.cells = pool_cells;
        part.foot = pool_foot;
        for (auto const& r : pool_rows)
            for (std::size_t mix = 0; r.piped == piped && mix < 3; ++mix)
                part.lines.push_back(pool_line(p, r, mix));
        return part;
    };
    s.sections = {bench_section(1), bench_section(16), pool_section(false), pool_section(true)};
    return s;
}

}  // namespace respkit::bench
