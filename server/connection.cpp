#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <utility>

#include <respkit/server/connection.hpp>

namespace respkit {
namespace {

// Buffers that have grown beyond this are given back once they are empty.
constexpr std::size_t worth_keeping = std::size_t{4} << 20;

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

}  // namespace

connection::connection(int fd, peer who, engine& core, poller& watch, loop_buffers& shared)
    : socket_(fd),
      core_(core),
      session_(core.open(std::move(who), [this] { woken(); })),
      poller_(watch),
      shared_(shared) {}

connection::~connection() {
    if (watched_) poller_.remove(socket_.get(), *this);
}

void connection::start(gone_handler gone) {
    gone_ = std::move(gone);
    poller_.add(socket_.get(), *this, EPOLLIN);
    watched_ = EPOLLIN;
}

void connection::on_ready(std::uint32_t events) {
    try {
        if (events & EPOLLOUT) send_unsent();
        if (draining_ && events & (EPOLLHUP | EPOLLERR)) over_ = true;  // nobody is left to send to
        if (!draining_ && !over_ && events & ~std::uint32_t{EPOLLOUT}) read();
        if (!draining_ && !over_ && !events) run_rest();
        if (!over_) return watch_for();
    } catch (std::bad_alloc const&) {
        // No room for what this client sends or does not read: it goes, the others stay.
        shared_.out.clear();
    }
    auto const gone = std::move(gone_);
    gone();  // this connection is no more
}

// One read per turn, so that the others get theirs: what is left makes the socket ready again.
void connection::read() {
    auto const n = ::recv(socket_.get(), shared_.in.data(), shared_.in.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) {
        over_ = true;
        return;
    }
    if (n == 0) return drain();  // the client has finished sending; what it has asked for, it still gets
    auto const size = static_cast<std::size_t>(n);
    ++core_.counts().reads;
    core_.counts().bytes_in += size;
    std::string_view in(shared_.in.data(), size);
    if (partial_.empty()) {
        partial_.assign(in.substr(run(in)));
    } else {
        partial_.append(in);
        partial_.erase(0, run(partial_));
    }
    if (partial_.size() > core_.options().query_limit) over_ = true;
    if (partial_.empty() && partial_.capacity() > chunk_bytes) std::string().swap(partial_);
}

// Runs before the replies of whoever has caused it are sent: who kills a client and has its answer may rely
// on the other's end having come, as with Redis.
void connection::woken() {
    if (core_.ended(*session_)) ::shutdown(socket_.get(), SHUT_RDWR);
    poller_.wake(*this);
}

// Something has come up without new input: a reply waited for, a message, the end.
void connection::run_rest() {
    auto const used = run(partial_);
    partial_.erase(0, used);
}

void connection::drain() {
    draining_ = true;
    partial_.clear();
    core_.release(*session_);  // who has gone takes nothing and hears nothing
    if (unsent_bytes_ == 0) over_ = true;
}

// The client gets what the socket has taken, then ECONNRESET instead of an orderly end.
void connection::reset() {
    linger const now{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    over_ = true;
}

void connection::watch_for() {
    std::uint32_t const wanted =
        (draining_ ? 0u : std::uint32_t{EPOLLIN}) | (unsent_bytes_ ? std::uint32_t{EPOLLOUT} : 0u);
    if (wanted == watched_) return;
    watched_ = wanted;
    poller_.change(socket_.get(), *this, watched_);
}

// Runs what is complete in `in`, sends the replies, returns how much was used.
std::size_t connection::run(std::string_view in) {
    std::size_t used = 0;
    for (;;) {
        auto const fed = core_.feed(*session_, in.substr(used), shared_.out);
        used += fed.consumed;
        if (fed.what == engine::progress::abort) {
            shared_.out.clear();
            over_ = true;
            return in.size();
        }
        send();
        if (over_ || fed.what == engine::progress::need_more) return used;
        if (fed.what == engine::progress::reset) {
            reset();
            return in.size();
        }
        if (fed.what == engine::progress::close) {
            drain();
            return in.size();
        }
    }
}

// Sends shared_.out, or queues it behind what is unsent already.
void connection::send() {
    std::string_view out = shared_.out;
    if (out.empty()) return;
    if (unsent_bytes_ == 0) {
        auto const n = ::send(socket_.get(), out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR) over_ = true;
        if (n > 0) {
            ++core_.counts().writes;
            core_.counts().bytes_out += static_cast<std::uint64_t>(n);
            out.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    if (!out.empty() && !over_) keep_unsent(out);
    shared_.out.clear();
    if (shared_.out.capacity() > worth_keeping) std::string().swap(shared_.out);
}

void connection::keep_unsent(std::string_view rest) {
    if (!unsent_.empty() && unsent_.back().size() < chunk_bytes)
        unsent_.back().append(rest);
    else
        unsent_.emplace_back(rest);
    unsent_bytes_ += rest.size();
    if (core_.leaves_too_much(*session_, unsent_bytes_)) over_ = true;
}

void connection::send_unsent() {
    while (unsent_bytes_) {
        std::string_view const rest = std::string_view(unsent_.front()).substr(unsent_offset_);
        auto const n = ::send(socket_.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n < 0) {
            over_ = true;
            return;
        }
        ++core_.counts().writes;
        core_.counts().bytes_out += static_cast<std::uint64_t>(n);
        unsent_bytes_ -= static_cast<std::size_t>(n);
        unsent_offset_ += static_cast<std::size_t>(n);
        if (unsent_offset_ < unsent_.front().size()) continue;
        unsent_.pop_front();
        unsent_offset_ = 0;
    }
    if (draining_) over_ = true;
}

}  // namespace respkit
