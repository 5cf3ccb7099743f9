// A thread that blocks, as the threads of a program with a connection pool do: it takes a task, borrows a
// connection, sends a batch of operations and waits for their replies. With a depth of one each command is
// awaited before the next is sent, the second command of an operation, too.
#include <algorithm>
#include <deque>
#include <optional>

#include <respkit/bench/names.hpp>
#include <respkit/bench/worker.hpp>
#include <respkit/client/client.hpp>
#include <respkit/client/hiredis_pool.hpp>

namespace respkit::bench {
namespace {

using clock = phase::clock;

std::uint64_t nanoseconds(clock::duration d) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}

void count(hiredis_client::glance const& reply, step const& s, tally& into) {
    if (reply.type == resp::type::error) {
        ++into.error_replies;
        ++into.errors[std::string(reply.text.substr(0, reply.text.find(' ')))];
        if (into.first_error.empty()) into.first_error = reply.text;
        return;
    }
    if (reply.null) {
        ++into.nil;
        return;
    }
    ++into.ok;
    into.hits += s.counts == hit::not_null || (s.counts == hit::not_empty && reply.items) ||
                 (s.counts == hit::whole_range && reply.items == s.range);
}

class pooled final : public worker {
public:
    pooled(load const& l, std::uint64_t seed, lending& from)
        : load_(l), names_(l.names, l.keyspace, seed, l.seed), from_(from) {
        for (auto const& s : l.steps) {
            auto& m = messages_.emplace_back();
            m.bytes = s.request.bytes;
            for (auto const& w : s.request.words) m.words.emplace_back(m.bytes.data() + w.at, w.size);
        }
    }

    void connect() override {}  // the pool does
    phase run(task_list& tasks, std::atomic<bool> const& stop, std::chrono::milliseconds at_most) override;
    std::size_t alive() const override { return alive_ ? 1 : 0; }

private:
    // A step's request with its words, which are views of it.
    struct message {
        std::string bytes;
        std::vector<std::string_view> words;
    };

    void work(task_list& tasks);
    void do_task(task_list::task t);
    void batch(std::uint64_t first, std::uint64_t operations);
    hiredis_pool::lease borrow();
    void one_by_one(hiredis_client& link, std::uint64_t number);
    void all_at_once(hiredis_client& link, std::uint64_t first, std::uint64_t operations);
    void append(hiredis_client& link, std::size_t step, std::uint64_t number);
    void lose(hiredis_client const& link, std::uint64_t waiting);
    bool go_on() const { return !*stop_ && !from_.failed && clock::now() < give_up_; }

    load const& load_;
    std::deque<message> messages_;  // they stay where they are
    namer names_;
    lending& from_;
    bool alive_ = true;

    // The phase under way.
    phase phase_;
    std::atomic<bool> const* stop_ = nullptr;
    clock::time_point give_up_;
    std::optional<hiredis_pool::lease> lease_;  // of the task
};

phase pooled::run(task_list& tasks, std::atomic<bool> const& stop, std::chrono::milliseconds at_most) {
    phase_ = phase{};
    stop_ = &stop;
    done_.store(0, std::memory_order_relaxed);
    auto const before = thread_cpu();
    phase_.began = phase_.ended = clock::now();
    give_up_ =
        at_most == std::chrono::milliseconds::max() ? clock::time_point::max() : phase_.began + at_most;
    try {
        work(tasks);
    } catch (std::runtime_error const& e) {  // no connection to be had, or the one there was is lost
        phase_.trouble = e.what();
        from_.failed = true;
        alive_ = false;
    }
    lease_.reset();
    auto const after = thread_cpu();
    phase_.used = {after.user - before.user, after.system - before.system};
    return std::move(phase_);
}

void pooled::work(task_list& tasks) {
    for (;;) {
        auto const t = tasks.take();
        if (!t.count) break;
        do_task(t);
        if (!go_on()) return;
    }
    phase_.complete = true;
}

void pooled::do_task(task_list::task t) {
    if (from_.when == borrowing::task) lease_.emplace(borrow());
    for (std::uint64_t done = 0; done < t.count && go_on();) {
        auto const n = std::min<std::uint64_t>(load_.depth, t.count - done);
        batch(t.first + done, n);
        done += n;
    }
    lease_.reset();
}

hiredis_pool::lease pooled::borrow() {
    auto const asked = clock::now();
    auto lent = from_.pool->borrow();
    phase_.waits.record(nanoseconds(clock::now() - asked));
    return lent;
}

void pooled::batch(std::uint64_t first, std::uint64_t operations) {
    auto const use = [&](hiredis_client& link) {
        if (load_.depth == 1)
            one_by_one(link, first);
        else
            all_at_once(link, first, operations);
    };
    if (from_.when == borrowing::task) return use(**lease_);
    if (from_.when == borrowing::operation) return use(*borrow());
    hiredis_client own(load_.target, load_.patience);
    own.reset_at_end();
    use(own);
}

void pooled::append(hiredis_client& link, std::size_t step, std::uint64_t number) {
    auto& m = messages_[step];
    names_.fill(m.bytes.data(), load_.steps[step].request.holes, number);
    if (m.words.empty())
        link.append_encoded(m.bytes);
    else
        link.append(m.words);
    ++phase_.sent;
}

void pooled::one_by_one(hiredis_client& link, std::uint64_t number) {
    for (std::size_t s = 0; s < load_.steps.size(); ++s) {
        append(link, s, number);
        auto const sent = clock::now();
        try {
            auto const good = phase_.replies.good();
            auto const reply = link.look();
            phase_.ended = clock::now();
            count(reply, load_.steps[s], phase_.replies);
            if (phase_.replies.good() > good) phase_.latency.record(nanoseconds(phase_.ended - sent));
        } catch (connection_lost const&) {
            lose(link, 1);
            throw;
        }
    }
    done_.store(phase_.replies.replies(), std::memory_order_relaxed);
}

void pooled::all_at_once(hiredis_client& link, std::uint64_t first, std::uint64_t operations) {
    for (std::uint64_t i = 0; i < operations; ++i)
        for (std::size_t s = 0; s < load_.steps.size(); ++s) append(link, s, first + i);
    std::uint64_t waiting = operations * load_.steps.size();
    auto const sent = clock::now();
    try {
        link.flush();
        for (std::size_t s = 0; waiting; s = (s + 1) % load_.steps.size()) {
            auto const good = phase_.replies.good();
            auto const reply = link.look();
            --waiting;
            if (reply.read) phase_.ended = clock::now();
            count(reply, load_.steps[s], phase_.replies);
            if (phase_.replies.good() > good) phase_.latency.record(nanoseconds(phase_.ended - sent));
        }
    } catch (connection_lost const&) {
        lose(link, waiting);
        throw;
    }
    done_.store(phase_.replies.replies(), std::memory_order_relaxed);
}

void pooled::lose(hiredis_client const& link, std::uint64_t waiting) {
    using end = hiredis_client::end;
    auto& r = phase_.replies;
    (link.ended() == end::timeout    ? r.timeouts
     : link.ended() == end::protocol ? r.protocol_errors
                                     : r.disconnects) += waiting;
}

}  // namespace

std::unique_ptr<worker> pool_worker(load const& l, std::uint64_t seed, lending& from) {
    return std::make_unique<pooled>(l, seed, from);
}

}  // namespace respkit::bench
