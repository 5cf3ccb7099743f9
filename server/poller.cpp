#include <algorithm>
#include <cerrno>
#include <system_error>

#include <boost/asio/post.hpp>

#include <respkit/server/poller.hpp>

namespace respkit {
namespace {

int make_set() {
    int const fd = ::epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "cannot create an epoll set");
    return fd;
}

}  // namespace

poller::poller(boost::asio::io_context& loop) : loop_(loop), set_(loop, make_set()) {}

void poller::add(int descriptor, client& who, std::uint32_t events) {
    if (!control(EPOLL_CTL_ADD, descriptor, who, events))
        throw std::system_error(errno, std::generic_category(), "cannot watch a socket");
}
void poller::change(int descriptor, client& who, std::uint32_t events) {
    if (!control(EPOLL_CTL_MOD, descriptor, who, events))
        throw std::system_error(errno, std::generic_category(), "cannot watch a socket");
}

void poller::remove(int descriptor, client& who) noexcept {
    control(EPOLL_CTL_DEL, descriptor, who, 0);
    std::replace(woken_.begin(), woken_.end(), &who, static_cast<client*>(nullptr));
    for (int i = next_; i < count_; ++i)
        if (batch_[static_cast<std::size_t>(i)].data.ptr == &who)
            batch_[static_cast<std::size_t>(i)].data.ptr = nullptr;
}

bool poller::control(int operation, int descriptor, client& who, std::uint32_t events) noexcept {
    epoll_event e{};
    e.events = events;
    e.data.ptr = &who;
    return ::epoll_ctl(set_.native_handle(), operation, descriptor, &e) == 0;
}

void poller::wait() {
    set_.async_wait(boost::asio::posix::descriptor_base::wait_read, [this](boost::system::error_code error) {
        if (error) return;
        deliver();
        wait();
    });
}

void poller::deliver() {
    count_ = ::epoll_wait(set_.native_handle(), batch_.data(), static_cast<int>(batch_.size()), 0);
    delivering_ = true;
    for (next_ = 0; next_ < count_;) {
        auto const& e = batch_[static_cast<std::size_t>(next_++)];
        if (e.data.ptr) static_cast<client*>(e.data.ptr)->on_ready(e.events);
    }
    count_ = 0;
    deliver_woken();
    delivering_ = false;
}

void poller::wake(client& who) {
    if (!delivering_ && woken_.empty())
        boost::asio::post(loop_, [this] {
            delivering_ = true;
            deliver_woken();
            delivering_ = false;
        });
    woken_.push_back(&who);
}

// Those who are woken by those who have been woken get their turn, too.
void poller::deliver_woken() {
    for (std::size_t i = 0; i < woken_.size(); ++i)
        if (auto* who = woken_[i]) who->on_ready(0);
    woken_.clear();
}

}  // namespace respkit
