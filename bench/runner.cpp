// Threads meet at gates: all have connected, all are warm, all have measured. Between the gates they share
// nothing; the main thread looks at the clock, at signals and at the server's processor time.
#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <respkit/bench/environment.hpp>
#include <respkit/bench/format.hpp>
#include <respkit/bench/gates.hpp>
#include <respkit/bench/prefill.hpp>
#include <respkit/bench/runner.hpp>
#include <respkit/bench/verdict.hpp>
#include <respkit/bench/worker.hpp>
#include <respkit/client/hiredis_pool.hpp>

namespace respkit::bench {
namespace {

using namespace std::chrono_literals;

// One thread and what it brings home.
struct crew {
    std::unique_ptr<worker> work;
    task_list* warm_up = nullptr;
    task_list* tasks = nullptr;
    phase warm, measured;
    std::exception_ptr failure;
};

std::uint64_t share(std::uint64_t all, std::size_t of, std::size_t i) { return all / of + (i < all % of); }

load describe(plan const& p, target& server, workload const& w) {
    load l;
    l.target = server.where();
    l.where = server.resolved();
    l.protocol = p.resp3 ? resp::version::v3 : resp::version::v2;
    l.names = p.names == naming::none && p.keyspace ? naming::random : p.names;
    l.steps.push_back({encode(w, l.names), w.counts, w.range});
    for (auto const& next : w.then) l.steps.push_back({encode(next, l.names), next.counts, next.range});
    l.keyspace = p.keyspace;
    l.seed = p.seed;
    l.sliding = p.window > 0;
    l.depth = p.window ? p.window : p.pipeline;
    l.keep_alive = p.keep_alive;
    return l;
}

// Makes the pools of driver hiredis.
void fill(lending& l, plan const& p, load const& what) {
    pool_options o;
    o.size = p.pool.size ? p.pool.size : p.threads;
    o.eager = p.pool.eager;
    o.test_on_borrow = p.pool.test_on_borrow;
    o.wake_all = p.pool.wake_all;
    o.patience = p.pool.patience;
    o.timeout = what.patience;
    l.when = p.pool.borrow;
    if (l.when == borrowing::never) return;
    l.pool = std::make_unique<hiredis_pool>(what.target, o);
    o.eager = p.pool.eager_readers;
    std::size_t const hosts = std::max<std::size_t>(p.pool.reader_hosts.size(), 1);
    for (std::size_t i = 0; i < hosts; ++i) {
        o.size = p.pool.readers;  // of each host, as ServiceStack.Redis counts
        auto const& where = p.pool.reader_hosts.empty() ? what.target : p.pool.reader_hosts[i];
        if (o.size) l.readers.push_back(std::make_unique<hiredis_pool>(where, o));
    }
}

// The lists that threads take tasks from: one for all, or one for each with its share.
class work_plan {
public:
    work_plan(std::uint64_t operations, std::uint64_t task_ops, std::size_t threads) : all_(task_ops > 0) {
        if (all_) lists_.emplace_back(0, operations, task_ops);
        std::uint64_t first = 0;
        for (std::size_t i = 0; !all_ && i < threads; ++i) {
            auto const mine = share(operations, threads, i);
            lists_.emplace_back(first, mine, std::max<std::uint64_t>(mine, 1));
            first += mine;
        }
    }
    task_list* of(std::size_t thread) { return &lists_[all_ ? 0 : thread]; }

private:
    bool all_;
    std::deque<task_list> lists_;
};

std::unique_ptr<worker> make_worker(plan const& p, load const& what, target& server, lending& pool,
                                    std::size_t i) {
    auto const seed = p.seed * 1000 + i;
    auto const connections = share(p.connections, p.threads, i);
    switch (p.driver) {
        case driver::asio:
            break;
        case driver::hiredis:
            return pool_worker(what, seed, pool);
        case driver::memory:
            return memory_worker(what, connections, seed, *server.engine());
    }
    return loop_worker(what, connections, seed);
}

std::vector<moment> merge_seconds(std::vector<crew> const& all) {
    std::size_t most = 0;
    for (auto const& c : all) most = std::max(most, c.measured.seconds.size());
    std::vector<moment> line;
    double before = 0;
    for (std::size_t i = 0; i < most; ++i) {
        histogram h;
        double ends = 0;
        for (auto const& c : all)
            if (i < c.measured.seconds.size()) {
                h.add(c.measured.seconds[i].cells);
                ends = std::max(ends, c.measured.seconds[i].ends);
            }
        if (ends <= before) continue;
        line.push_back(
            {ends, static_cast<double>(h.count()) / (ends - before), h.percentile(50), h.percentile(99)});
        before = ends;
    }
    return line;
}

// `began`: when the window began, if that was before the first request.
void gather(test_result& t, std::vector<crew> const& all, phase::clock::time_point began) {
    auto ended = phase::clock::time_point::min();
    for (auto const& c : all) {
        auto const& m = c.measured;
        t.partial |= !m.complete;
        if (t.trouble.empty()) t.trouble = m.trouble;
        if (!m.sent) continue;
        began = std::min(began, m.began);
        ended = std::max(ended, m.ended);
        t.replies += m.replies;
        t.latency += m.latency;
        t.client_cpu += m.used;
        t.waits += m.waits;
        t.warm_up += c.warm.sent;
    }
    t.seconds = began < ended ? std::chrono::duration<double>(ended - began).count() : 0;
    if (t.seconds > 0) {
        t.per_second = static_cast<double>(t.replies.good()) / static_cast<double>(t.commands) / t.seconds;
        for (auto const& c : all)
            t.busiest_client =
                std::max(t.busiest_client, static_cast<double>(c.measured.used.total()) / 1e9 / t.seconds);
    }
    t.operations =
        t.replies.replies() + t.replies.protocol_errors + t.replies.timeouts + t.replies.disconnects;
    t.operations = std::min(t.operations / t.commands, t.requests);  // an unasked reply answers none of ours
    t.timeline = merge_seconds(all);
}

test_result blank(plan const& p, workload const& w) {
    test_result t;
    t.name = w.title;
    t.label = w.label;
    t.suite = p.command.empty() ? "redis" : "custom";
    t.requests = p.requests;
    t.connections = p.connections;
    t.pipeline = p.pipeline;
    t.window = p.window;
    t.data_size = p.data_size;
    t.threads = p.threads;
    t.keyspace = p.keyspace;
    t.keep_alive = p.keep_alive;
    t.resp3 = p.resp3;
    t.commands = 1 + w.then.size();
    t.allowed = p.in_flight() * (p.pipeline > 1 ? t.commands : 1);
    t.task_operations = p.task_ops;
    t.driver = p.driver == driver::asio ? "asio" : p.driver == driver::hiredis ? "hiredis" : "memory";
    t.cores = std::max(1U, std::thread::hardware_concurrency());
    return t;
}

bool any_alive(std::vector<crew> const& all) {
    return std::any_of(all.begin(), all.end(), [](crew const& c) { return c.work->alive() > 0; });
}

std::string what_broke(tally const& t) {
    if (t.protocol_errors) return "server broke the protocol (" + t.first_error + ")";
    if (t.timeouts) return "server had not answered for 10 s";
    return "server went away";
}

// Until all workers stand at the next gate.
void wait_for(gates& g, std::vector<crew> const& all, std::atomic<bool>& stop, interrupts& signals,
              std::function<void(std::uint64_t)> const& tell) {
    while (!g.all_here()) {
        if (signals.seen()) stop = true;
        std::uint64_t done = 0;
        for (auto const& c : all) done += c.work->done();
        tell(done);
    }
}

void serve(crew& c, gates& g, std::atomic<bool> const& stop) {
    try {
        c.work->connect();
    } catch (...) {
        c.failure = std::current_exception();
    }
    if (!g.pass()) return;
    c.warm = c.work->run(*c.warm_up, stop, 10s);
    if (!g.pass()) return;
    c.measured = c.work->run(*c.tasks, stop);
    g.pass();
}

void start(std::vector<std::jthread>& threads, std::vector<crew>& all, gates& g,
           std::atomic<bool> const& stop) {
    try {
        for (auto& c : all) threads.emplace_back([&c, &g, &stop] { serve(c, g, stop); });
    } catch (std::system_error const& error) {
        throw std::runtime_error(
            fmt::format("cannot start {} threads: {} (--threads)", all.size(), error.code().message()));
    }
}

}  // namespace

test_result run_test(plan const& p, target& server, workload const& w, interrupts& signals,
                     progress const& tell) {
    auto t = blank(p, w);
    tell(w.label, "filling", 0, 0);
    auto const fill_for = [&](workload const& command) {
        prefill(server.side(), command, p, p.requests + p.warm_up(), [&] { return signals.seen(); });
    };
    fill_for(w);
    for (auto const& next : w.then) fill_for(next);
    if (signals.seen()) {
        t.partial = true;
        t.trouble = "interrupted before it began";
        return t;
    }

    auto const what = describe(p, server, w);
    lending pool;
    if (p.driver == driver::hiredis && !p.pool.in_window) fill(pool, p, what);
    work_plan warm_up(p.warm_up(), 0, p.threads), tasks(p.requests, p.task_ops, p.threads);
    std::vector<crew> all(p.threads);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].work = make_worker(p, what, server, pool, i);
        all[i].warm_up = warm_up.of(i);
        all[i].tasks = tasks.of(i);
    }

    gates g(all.size());
    std::atomic<bool> stop = false;
    std::vector<std::jthread> threads;
    std::optional<bench::cpu> before, after;
    std::optional<machine_ticks> ticks_before;
    auto began = phase::clock::time_point::max();
    try {
        start(threads, all, g, stop);
        wait_for(g, all, stop, signals, [](std::uint64_t) {});
        for (auto const& c : all)
            if (c.failure) std::rethrow_exception(c.failure);
        g.open();
        wait_for(g, all, stop, signals,
                 [&](std::uint64_t done) { tell(w.label, "warming up", done, p.warm_up()); });
        tally warm;
        std::string trouble;
        for (auto const& c : all) {
            warm += c.warm.replies;
            if (trouble.empty()) trouble = c.warm.trouble;
        }
        if (stop || warm.broken() || !trouble.empty()) {
            t.partial = true;
            t.trouble = (stop              ? "interrupted"
                         : trouble.empty() ? what_broke(warm)
                                           : trouble) +
                        " during the warm-up";
            g.close();
            return t;
        }
        before = server.cpu();
        ticks_before = ticks();
        if (p.driver == driver::hiredis && p.pool.in_window) {
            began = phase::clock::now();
            fill(pool, p, what);
        }
        g.open();
        wait_for(g, all, stop, signals,
                 [&](std::uint64_t done) { tell(w.label, "", done / t.commands, p.requests); });
    } catch (...) {
        stop = true;
        g.close();
        throw;
    }
    auto const ticks_after = ticks();
    if (any_alive(all)) {
        after = server.cpu();
        t.server_memory = server.memory();
        t.server_growth = server.growth();
    }
    t.client_memory = own_memory();
    g.close();
    threads.clear();

    gather(t, all, began);
    if (pool.pool) t.opened = pool.pool->stats().opened;
    for (auto const& r : pool.readers) t.opened += r->stats().opened;
    if (t.partial) {
        auto const shown = grouped(t.operations) + " of " + grouped(t.requests);
        auto const why = stop ? "interrupted" : t.trouble.empty() ? what_broke(t.replies) : t.trouble;
        t.trouble = why + " after " + shown + " requests";
    }
    if (before && after) {
        t.server_cpu = bench::cpu{after->user - before->user, after->system - before->system};
        if (t.seconds > 0) t.server_busy = static_cast<double>(t.server_cpu->total()) / 1e9 / t.seconds;
    }
    if (ticks_before && ticks_after && ticks_after->all > ticks_before->all)
        t.machine_busy = 1 - static_cast<double>(ticks_after->idle - ticks_before->idle) /
                                 static_cast<double>(ticks_after->all - ticks_before->all);
    std::uint64_t counting = 0;  // commands of an operation that can hit
    for (auto const& s : what.steps) counting += s.counts != hit::none;
    if (counting && t.replies.good())
        t.hit_ratio = static_cast<double>(t.replies.hits * t.commands) /
                      static_cast<double>(t.replies.good() * counting);
    judge(t);
    return t;
}

}  // namespace respkit::bench
