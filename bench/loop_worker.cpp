#include <algorithm>
#include <deque>
#include <vector>

#include <respkit/bench/names.hpp>
#include <respkit/bench/worker.hpp>
#include <respkit/client/client.hpp>
#include <respkit/client/load_client.hpp>

namespace respkit::bench {
namespace {

using clock = phase::clock;
using namespace std::chrono_literals;

constexpr auto tick = 50ms;

std::uint64_t nanoseconds(clock::duration d) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}

class event_loop final : public worker {
public:
    event_loop(load const& l, std::size_t connections, std::uint64_t seed);

    void connect() override;
    phase run(task_list& tasks, std::atomic<bool> const& stop, std::chrono::milliseconds at_most) override;
    std::size_t alive() const override { return alive_; }

private:
    class link;

    std::size_t send(link& l, std::size_t most);
    void finish_if_done();
    void on_tick(clock::time_point now);
    void end_second(clock::time_point now);
    void settle(clock::time_point sent, clock::time_point now, std::uint64_t good) {
        if (good) second_.record(nanoseconds(now - sent), good);
    }

    load const& load_;
    request const batch_;
    std::string patched_;  // the batch that is being sent, with its numbers in place
    std::size_t const request_size_;
    greeting const greeting_;
    namer names_;
    std::uint64_t number_ = 0;  // of the next operation

    // One thread runs it and all that hangs on it: no locks anywhere.
    load_group group_;
    bool finished_ = true;
    std::deque<link> links_;
    std::size_t alive_ = 0;

    // The phase under way.
    phase phase_;
    histogram second_;  // good replies of the second under way
    std::uint64_t to_send_ = 0;
    std::uint64_t in_flight_ = 0;
    std::atomic<bool> const* stop_ = nullptr;
    clock::time_point give_up_;
    clock::time_point last_reply_;
};

// One connection and what it waits for.
class event_loop::link final : public load_client::events {
public:
    explicit link(event_loop& owner) : owner_(owner), client_(owner.group_, *this), scanner_(fresh()) {}

    void open(descriptor fd) {
        client_.open(std::move(fd));
        alive_ = true;
    }
    bool alive() const { return alive_; }
    // A phase begins: true if a batch may be sent. Who is still connecting sends one when that is done.
    bool begin(clock::time_point now) {
        sent_ = now;
        return alive_ && client_.is_connected();
    }

    // `count` requests go out in one write.
    void send(std::string_view bytes, std::size_t count) {
        sent_ = clock::now();
        writes_.push_back({sent_, count});
        waiting_ += count;
        client_.send(bytes);
    }

    std::size_t on_bytes(std::string_view in) override;
    void on_closed(int) override { lose(&tally::disconnects, 0); }
    void on_connected() override;
    void on_tick(clock::time_point now) {
        bool const waits = waiting_ || (alive_ && !client_.is_connected());
        if (waits && now - std::max(sent_, last_reply_) > owner_.load_.patience)
            lose(&tally::timeouts, 0);
        else if (client_.put_off())
            client_.connect(owner_.load_.where);
    }

private:
    struct write {
        clock::time_point at;
        std::size_t left;  // requests of it that are still unanswered
    };

    reply_scanner fresh() const { return {owner_.load_.steps[0].counts, owner_.load_.steps[0].range}; }
    bool greeted(std::string_view in, std::size_t& used);
    void answer(std::size_t requests);
    void next(std::size_t answered);
    // The connection is of no use any more; what it waits for is counted as `what`, at least `least`.
    void lose(std::uint64_t tally::*what, std::uint64_t least);

    event_loop& owner_;
    load_client client_;
    reply_scanner scanner_;
    std::vector<write> writes_;
    std::size_t oldest_ = 0;  // of writes_ that is not answered yet
    std::uint64_t waiting_ = 0;
    std::size_t greetings_ = 0;  // replies to the greeting that are still to come
    bool alive_ = false;
    clock::time_point sent_, last_reply_;
};

event_loop::event_loop(load const& l, std::size_t connections, std::uint64_t seed)
    : load_(l),
      batch_(repeat(l.steps[0].request, l.depth)),
      patched_(batch_.bytes),
      request_size_(l.steps[0].request.bytes.size()),
      greeting_(greet(l.target, l.protocol)),
      names_(l.names, l.keyspace, seed, l.seed) {
    for (std::size_t i = 0; i < connections; ++i) links_.emplace_back(*this);
}

void event_loop::connect() {
    for (auto& l : links_) {
        client greeter(load_.target, {&load_.where, 1}, load_.protocol, client::default_timeout);
        l.open(greeter.release());
        ++alive_;
    }
}

phase event_loop::run(task_list& tasks, std::atomic<bool> const& stop, std::chrono::milliseconds at_most) {
    auto const all = tasks.take();
    phase_ = phase{};
    second_.clear();
    to_send_ = all.count;
    number_ = all.first;
    stop_ = &stop;
    done_.store(0, std::memory_order_relaxed);
    finished_ = false;

    auto const before = thread_cpu();
    phase_.began = last_reply_ = clock::now();
    give_up_ =
        at_most == std::chrono::milliseconds::max() ? clock::time_point::max() : phase_.began + at_most;
    for (auto& l : links_)
        if (l.begin(phase_.began)) send(l, load_.depth);
    finish_if_done();
    for (auto due = phase_.began + tick; !finished_;) {
        group_.wait(tick);
        auto const now = clock::now();
        if (now < due) continue;
        on_tick(now);
        due = now + tick;
    }
    phase_.ended = last_reply_;
    auto const after = thread_cpu();
    phase_.used = {after.user - before.user, after.system - before.system};
    end_second(phase_.ended);
    phase_.complete = phase_.sent == all.count && in_flight_ == 0;
    return std::move(phase_);
}

// Sends at most that many requests in one write, fewer if that completes the phase. Returns how many.
std::size_t event_loop::send(link& l, std::size_t most) {
    auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(most, to_send_));
    if (!count) return 0;
    std::size_t const size = count * request_size_;
    if (auto const each = load_.steps[0].request.holes.size())
        for (std::size_t i = 0; i < count; ++i)
            names_.fill(patched_.data(), std::span(batch_.holes).subspan(i * each, each), number_ + i);
    number_ += count;
    to_send_ -= count;
    in_flight_ += count;
    phase_.sent += count;
    l.send({patched_.data(), size}, count);
    return count;
}

void event_loop::finish_if_done() {
    if (!in_flight_ && (!to_send_ || !alive_)) finished_ = true;
}

void event_loop::on_tick(clock::time_point now) {
    done_.store(phase_.replies.replies(), std::memory_order_relaxed);
    finished_ |= stop_->load(std::memory_order_relaxed);
    if (now >= give_up_) to_send_ = 0;
    for (auto& l : links_) l.on_tick(now);
    if (now - phase_.began >= std::chrono::seconds(phase_.seconds.size() + 1)) end_second(now);
    finish_if_done();
}

void event_loop::end_second(clock::time_point now) {
    auto const ends = std::chrono::duration<double>(now - phase_.began).count();
    phase_.seconds.push_back({ends, second_.used()});
    phase_.latency += second_;
    second_.clear();
}

std::size_t event_loop::link::on_bytes(std::string_view in) {
    auto const now = clock::now();
    std::size_t used = 0;
    if (greetings_ && !greeted(in, used)) return used;
    std::size_t answered = 0;
    auto& replies = owner_.phase_.replies;
    while (used < in.size()) {
        std::size_t const most = writes_.empty() ? 0 : writes_[oldest_].left;
        auto const good = replies.good();
        auto const r = scanner_.scan(in.substr(used), most, replies);
        used += r.consumed;
        if (r.replies) {
            answered += r.replies;
            owner_.settle(writes_[oldest_].at, now, replies.good() - good);
            answer(r.replies);
        }
        if (r.why != resp::fault::none || (r.unasked && writes_.empty())) {
            if (replies.first_error.empty())
                replies.first_error = r.unasked ? "a reply that nobody asked for" : resp::describe(r.why);
            waiting_ -= answered;
            owner_.in_flight_ -= answered;
            lose(&tally::protocol_errors, 1);
            return in.size();
        }
        if (!r.unasked) break;  // the rest is part of a reply
    }
    if (!answered) return used;
    last_reply_ = owner_.last_reply_ = now;
    waiting_ -= answered;
    owner_.in_flight_ -= answered;
    next(answered);
    return used;
}

// Takes those off the oldest write. The answered ones leave writes_ once they are half of it.
void event_loop::link::answer(std::size_t requests) {
    if (writes_[oldest_].left -= requests) return;
    if (++oldest_ * 2 < writes_.size()) return;
    writes_.erase(writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    oldest_ = 0;
}

// Requests follow what has been answered.
void event_loop::link::next(std::size_t answered) {
    auto const& l = owner_.load_;
    if (!l.sliding && waiting_) return;
    if (!owner_.to_send_) return owner_.finish_if_done();
    if (l.keep_alive) {
        owner_.send(*this, l.sliding ? answered : l.depth);
        return;
    }
    client_.close(true);
    scanner_ = fresh();
    sent_ = last_reply_;
    client_.connect(l.where);
}

void event_loop::link::on_connected() {
    greetings_ = owner_.greeting_.replies;
    if (greetings_) client_.send(owner_.greeting_.bytes);
    // Another connection may have sent the last request meanwhile.
    if (!owner_.send(*this, owner_.load_.depth)) owner_.finish_if_done();
}

// Reads the replies to the greeting; true once all are in. They were accepted when the run began.
bool event_loop::link::greeted(std::string_view in, std::size_t& used) {
    tally ignored;
    auto const r = scanner_.scan(in, greetings_, ignored);
    used = r.consumed;
    greetings_ -= r.replies;
    if (!greetings_) scanner_ = fresh();
    return !greetings_;
}

void event_loop::link::lose(std::uint64_t tally::*what, std::uint64_t least) {
    owner_.phase_.replies.*what += std::max(waiting_, least);
    owner_.in_flight_ -= waiting_;
    waiting_ = 0;
    writes_.clear();
    oldest_ = 0;
    client_.close();
    owner_.alive_ -= alive_;
    alive_ = false;
    owner_.finish_if_done();
}

}  // namespace

std::unique_ptr<worker> loop_worker(load const& l, std::size_t connections, std::uint64_t seed) {
    return std::make_unique<event_loop>(l, connections, seed);
}

}  // namespace respkit::bench
