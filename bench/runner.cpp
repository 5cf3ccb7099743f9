// Threads meet at gates: all have connected, all are warm, all have measured. Between the gates they share
// nothing; the main thread looks at the clock, at signals and at the server's processor time.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <respkit/bench/environment.hpp>
#include <respkit/bench/format.hpp>
#include <respkit/bench/prefill.hpp>
#include <respkit/bench/runner.hpp>
#include <respkit/bench/verdict.hpp>
#include <respkit/bench/worker.hpp>

namespace respkit::bench {
namespace {

using namespace std::chrono_literals;

// Opened by the main thread, one gate after the other, once all workers wait in front of it.
class gates {
public:
    explicit gates(std::size_t workers) : workers_(workers) {}

    // A worker arrives and waits; false: it shall go home.
    bool pass() {
        std::unique_lock lock(mutex_);
        auto const mine = opened_;
        ++waiting_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return opened_ != mine || closed_; });
        return !closed_;
    }
    // For the main thread: have all arrived? Waits a moment for it.
    bool all_here() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 50ms, [&] { return waiting_ == workers_; });
    }
    void open() {
        std::lock_guard const lock(mutex_);
        waiting_ = 0;
        ++opened_;
        changed_.notify_all();
    }
    void close() {
        std::lock_guard const lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t const workers_;
    std::size_t waiting_ = 0;
    unsigned opened_ = 0;
    bool closed_ = false;
};

// One thread and what it brings home.
struct crew {
    std::unique_ptr<worker> work;
    std::uint64_t requests = 0, warm_up = 0;
    phase warm, measured;
    std::exception_ptr failure;
};

std::uint64_t share(std::uint64_t all, std::size_t of, std::size_t i) { return all / of + (i < all % of); }

load describe(plan const& p, target& server, workload const& w) {
    load l;
    l.target = server.where();
    l.where = server.resolved();
    l.protocol = p.resp3 ? resp::version::v3 : resp::version::v2;
    l.request = encode(w, p.keyspace > 0);
    l.counts = w.counts;
    l.range = w.range;
    l.keyspace = p.keyspace;
    l.sliding = p.window > 0;
    l.depth = p.window ? p.window : p.pipeline;
    l.keep_alive = p.keep_alive;
    return l;
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

void gather(test_result& t, std::vector<crew> const& all) {
    auto began = phase::clock::time_point::max(), ended = phase::clock::time_point::min();
    for (auto const& c : all) {
        if (!c.requests) continue;
        auto const& m = c.measured;
        began = std::min(began, m.began);
        ended = std::max(ended, m.ended);
        t.replies += m.replies;
        t.latency += m.latency;
        t.client_cpu += m.used;
        t.warm_up += c.warm.sent;
        t.partial |= !m.complete;
    }
    t.seconds = began < ended ? std::chrono::duration<double>(ended - began).count() : 0;
    if (t.seconds > 0) {
        t.per_second = static_cast<double>(t.replies.good()) / t.seconds;
        for (auto const& c : all)
            t.busiest_client =
                std::max(t.busiest_client, static_cast<double>(c.measured.used.total()) / 1e9 / t.seconds);
    }
    t.operations =
        t.replies.replies() + t.replies.protocol_errors + t.replies.timeouts + t.replies.disconnects;
    t.operations = std::min(t.operations, t.requests);  // an unasked reply answers none of ours
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
    t.allowed = p.in_flight();
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
    if (c.warm_up) c.warm = c.work->run(c.warm_up, stop, 10s);
    if (!g.pass()) return;
    if (c.requests) c.measured = c.work->run(c.requests, stop);
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
    auto const warm_up = warm_up_of(p.requests);
    tell(w.label, "filling", 0, 0);
    prefill(server.side(), w, p, p.requests + warm_up, [&] { return signals.seen(); });
    if (signals.seen()) {
        t.partial = true;
        t.trouble = "interrupted before it began";
        return t;
    }

    auto const what = describe(p, server, w);
    std::vector<crew> all(p.threads);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].work = std::make_unique<worker>(what, share(p.connections, p.threads, i), p.seed * 1000 + i);
        all[i].requests = share(p.requests, p.threads, i);
        all[i].warm_up = share(warm_up, p.threads, i);
    }

    gates g(all.size());
    std::atomic<bool> stop = false;
    std::vector<std::jthread> threads;
    std::optional<bench::cpu> before, after;
    try {
        start(threads, all, g, stop);
        wait_for(g, all, stop, signals, [](std::uint64_t) {});
        for (auto const& c : all)
            if (c.failure) std::rethrow_exception(c.failure);
        g.open();
        wait_for(g, all, stop, signals,
                 [&](std::uint64_t done) { tell(w.label, "warming up", done, warm_up); });
        tally warm;
        for (auto const& c : all) warm += c.warm.replies;
        if (stop || warm.broken()) {
            t.partial = true;
            t.trouble = (stop ? "interrupted" : what_broke(warm)) + " during the warm-up";
            g.close();
            return t;
        }
        before = server.cpu();
        g.open();
        wait_for(g, all, stop, signals, [&](std::uint64_t done) { tell(w.label, "", done, p.requests); });
    } catch (...) {
        stop = true;
        g.close();
        throw;
    }
    if (any_alive(all)) {
        after = server.cpu();
        t.server_memory = server.memory();
    }
    t.client_memory = own_memory();
    g.close();
    threads.clear();

    gather(t, all);
    if (t.partial) {
        auto const shown = grouped(t.replies.replies()) + " of " + grouped(t.requests);
        t.trouble = (stop ? "interrupted" : what_broke(t.replies)) + " after " + shown + " requests";
    }
    if (before && after) {
        t.server_cpu = bench::cpu{after->user - before->user, after->system - before->system};
        if (t.seconds > 0) t.server_busy = static_cast<double>(t.server_cpu->total()) / 1e9 / t.seconds;
    }
    if (w.counts != hit::none && t.replies.good())
        t.hit_ratio = static_cast<double>(t.replies.hits) / static_cast<double>(t.replies.good());
    judge(t);
    return t;
}

}  // namespace respkit::bench
