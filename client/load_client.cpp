#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>

#include <respkit/client/load_client.hpp>

namespace respkit {
namespace {

constexpr std::size_t buffer_size = std::size_t{64} << 10;

int new_epoll() {
    int const fd = ::epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
    return fd;
}

}  // namespace

load_group::load_group()
    : epoll_(new_epoll()), buffer_(std::make_unique_for_overwrite<char[]>(buffer_size)) {}

void load_group::wait(std::chrono::milliseconds at_most) {
    epoll_event ready[256];
    int const n = ::epoll_wait(epoll_.get(), ready, 256, static_cast<int>(at_most.count()));
    // A client closes itself only, so that every pointer is good.
    for (int i = 0; i < n; ++i) static_cast<load_client*>(ready[i].data.ptr)->ready(ready[i].events);
}

int load_group::watch(int fd, load_client* who) {
    epoll_event what{};
    what.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    what.data.ptr = who;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &what) == 0 ? 0 : errno;
}

void load_client::open(descriptor connected) {
    fd_ = std::move(connected);
    have_ = 0;
    unsent_.clear();
    if (int const error = group_.watch(fd_.get(), this))
        throw std::system_error(error, std::generic_category(), "epoll_ctl");
}

void load_client::connect(address const& to) {
    try {
        fd_ = open_socket(to);
    } catch (connect_error const& refused) {
        return fail(refused.code());
    }
    have_ = 0;
    unsent_.clear();
    int const error = ::connect(fd_.get(), to.get(), to.size) == 0 ? 0 : errno;
    if (error && error != EINPROGRESS && error != EAGAIN) return fail(error);
    connecting_ = true;
    if (error == EAGAIN) return fd_.reset();  // put_off()
    if (int const unwatched = group_.watch(fd_.get(), this)) fail(unwatched);
}

void load_client::send(std::string_view bytes) {
    if (!unsent_.empty()) {
        unsent_.append(bytes);
        return;
    }
    auto const n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n == static_cast<ssize_t>(bytes.size())) return;
    // A broken connection is told when it is read.
    if (n < 0 && errno != EAGAIN && errno != EINTR) return;
    unsent_.assign(bytes.substr(static_cast<std::size_t>(std::max<ssize_t>(n, 0))));
    sent_ = 0;
}

void load_client::close(bool reset) {
    if (fd_ && reset) {
        linger const at_once{1, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    fd_.reset();
    connecting_ = false;
}

void load_client::ready(std::uint32_t what) {
    if (connecting_) {
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error) return fail(error);
        if (!(what & EPOLLOUT)) return;
        connecting_ = false;
        owner_.on_connected();
    } else if (!unsent_.empty() && (what & EPOLLOUT)) {
        flush();
    }
    if (!(what & ~std::uint32_t{EPOLLOUT})) return;
    // An edge is told once. What a read leaves behind, and an end that came along with bytes, must be read
    // now.
    bool const ending = (what & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    bool more = true;
    while (more && fd_ && !connecting_) more = receive() || ending;
}

// Receives once. True: there may be more at once.
bool load_client::receive() {
    if (have_ && have_ == room_) {
        auto wider = std::make_unique_for_overwrite<char[]>(room_ * 2);
        std::memcpy(wider.get(), held_.get(), have_);
        held_ = std::move(wider);
        room_ *= 2;
    }
    char* const to = have_ ? held_.get() + have_ : group_.buffer_.get();
    std::size_t const room = have_ ? room_ - have_ : buffer_size;
    auto const n = ::recv(fd_.get(), to, room, MSG_DONTWAIT);
    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR)) fail(n == 0 ? 0 : errno);
        return n < 0 && errno == EINTR;
    }
    auto const size = static_cast<std::size_t>(n);
    std::size_t const all = have_ + size;
    char const* const in = have_ ? held_.get() : to;
    int const mine = fd_.get();
    auto const used = owner_.on_bytes({in, all});
    if (fd_.get() != mine || connecting_) return false;  // closed, perhaps opened anew
    keep({in + used, all - used});
    return size == room;
}

// A part of a reply stays until the rest has come.
void load_client::keep(std::string_view rest) {
    have_ = rest.size();
    if (rest.empty()) return;
    if (room_ < rest.size()) {
        room_ = 2 * rest.size();
        held_ = std::make_unique_for_overwrite<char[]>(room_);
    }
    std::memmove(held_.get(), rest.data(), rest.size());
}

void load_client::flush() {
    for (;;) {
        auto const n =
            ::send(fd_.get(), unsent_.data() + sent_, unsent_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n > 0) sent_ += static_cast<std::size_t>(n);
        if (n < 0 || sent_ == unsent_.size()) return unsent_.clear();
    }
}

void load_client::fail(int error) {
    close();
    owner_.on_closed(error);
}

}  // namespace respkit
