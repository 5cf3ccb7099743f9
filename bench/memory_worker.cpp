// Requests and replies change hands as bytes, on one thread: what is left of an operation without sockets.
#include <algorithm>
#include <vector>

#include <respkit/bench/names.hpp>
#include <respkit/bench/worker.hpp>
#include <respkit/client/client.hpp>
#include <respkit/server/engine.hpp>

namespace respkit::bench {
namespace {

using clock = phase::clock;

class in_memory final : public worker {
public:
    in_memory(load const& l, std::size_t connections, std::uint64_t seed, engine& e)
        : load_(l),
          batch_(repeat(l.steps[0].request, l.depth)),
          names_(l.names, l.keyspace, seed, l.seed),
          engine_(e),
          connections_(connections) {}

    void connect() override {
        auto const first = greet(load_.target, load_.protocol);
        for (std::size_t i = 0; i < connections_; ++i) {
            auto& s = sessions_.emplace_back(engine_.open({}));
            std::string out;
            engine_.feed(*s, first.bytes, out);
        }
    }
    phase run(task_list& tasks, std::atomic<bool> const& stop, std::chrono::milliseconds at_most) override;
    std::size_t alive() const override { return sessions_.size(); }

private:
    bool exchange(phase& p, session& with, std::uint64_t first, std::size_t count);

    load const& load_;
    request batch_;
    namer names_;
    engine& engine_;
    std::size_t const connections_;
    std::vector<engine::session_handle> sessions_;
    std::string out_;
};

phase in_memory::run(task_list& tasks, std::atomic<bool> const& stop, std::chrono::milliseconds at_most) {
    phase p;
    auto const all = tasks.take();
    auto const before = thread_cpu();
    p.began = p.ended = clock::now();
    bool const endless = at_most == std::chrono::milliseconds::max();
    auto const give_up = endless ? clock::time_point::max() : p.began + at_most;
    std::size_t turn = 0;
    while (p.sent < all.count && !stop && p.ended < give_up) {
        auto const n = static_cast<std::size_t>(std::min<std::uint64_t>(load_.depth, all.count - p.sent));
        if (!exchange(p, *sessions_[turn], all.first + p.sent, n)) break;
        turn = (turn + 1) % sessions_.size();
        done_.store(p.sent, std::memory_order_relaxed);
    }
    auto const after = thread_cpu();
    p.used = {after.user - before.user, after.system - before.system};
    p.complete = p.replies.replies() == all.count;
    return p;
}

// A batch and its replies. False: the engine has hung up.
bool in_memory::exchange(phase& p, session& with, std::uint64_t first, std::size_t count) {
    auto const each = load_.steps[0].request.holes.size();
    for (std::size_t i = 0; each && i < count; ++i)
        names_.fill(batch_.bytes.data(), std::span(batch_.holes).subspan(i * each, each), first + i);
    std::string_view in(batch_.bytes.data(), count * load_.steps[0].request.bytes.size());
    auto const sent = clock::now();
    p.sent += count;
    for (reply_scanner scanner(load_.steps[0].counts, load_.steps[0].range);;) {
        auto const fed = engine_.feed(with, in, out_);
        in.remove_prefix(fed.consumed);
        auto const good = p.replies.good();
        auto const r = scanner.scan(out_, count, p.replies);
        out_.erase(0, r.consumed);
        count -= r.replies;
        p.ended = clock::now();
        if (auto const more = p.replies.good() - good)
            p.latency.record(static_cast<std::uint64_t>((p.ended - sent) / std::chrono::nanoseconds(1)),
                             more);
        if (!count) return true;
        if (fed.what == engine::progress::output_full) continue;
        p.replies.disconnects += count;
        return false;
    }
}

}  // namespace

std::unique_ptr<worker> memory_worker(load const& l, std::size_t connections, std::uint64_t seed, engine& e) {
    return std::make_unique<in_memory>(l, connections, seed, e);
}

}  // namespace respkit::bench
