#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <respkit/server/descriptor.hpp>
#include <respkit/server/listener.hpp>

namespace respkit {
namespace {

constexpr int backlog = 511;  // as Redis

[[noreturn]] void fail(int error, std::string const& what) {
    throw std::system_error(error, std::generic_category(), what);
}

// Whether a port may also be bound by others that say the same, as long as none listens: needed to listen
// where old connections linger, and not wanted while nobody listens.
bool share_port(int fd, bool yes) {
    int const value = yes;
    return ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value) == 0;
}

std::string text(boost::asio::ip::tcp::endpoint const& e) {
    auto const host = e.address().to_string();
    return (e.address().is_v6() ? '[' + host + ']' : host) + ':' + std::to_string(e.port());
}

boost::asio::ip::tcp::endpoint endpoint_of(int fd, int (*ask)(int, sockaddr*, socklen_t*)) {
    boost::asio::ip::tcp::endpoint e;
    auto size = static_cast<socklen_t>(e.capacity());
    if (ask(fd, e.data(), &size) == 0) e.resize(size);
    return e;
}

sockaddr_un unix_address(std::string const& path, std::string const& where) {
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    if (path.size() >= sizeof a.sun_path) fail(ENAMETOOLONG, where);
    std::memcpy(a.sun_path, path.c_str(), path.size() + 1);
    return a;
}

bool somebody_listens(sockaddr_un const& a, std::string const& where) {
    descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (probe.get() < 0) fail(errno, where);
    return ::connect(probe.get(), reinterpret_cast<sockaddr const*>(&a), sizeof a) == 0 || errno == EAGAIN;
}

}  // namespace

listener::listener(boost::asio::io_context& loop, std::string const& address, std::uint16_t port,
                   accepted_handler f)
    : socket_(loop), pause_(loop), accepted_(std::move(f)) {
    std::string const where = "cannot listen on " + address + ':' + std::to_string(port);
    boost::system::error_code bad;
    auto const ip = boost::asio::ip::make_address(address, bad);
    if (bad) fail(EINVAL, where + " (the address must be a literal one, like 127.0.0.1)");
    boost::asio::ip::tcp::endpoint const at(ip, port);

    auto const bind_to = [&](boost::asio::ip::tcp::endpoint const& e) {
        descriptor fd(
            ::socket(e.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
        if (fd.get() < 0 || !share_port(fd.get(), true) ||
            ::bind(fd.get(), e.data(), static_cast<socklen_t>(e.size())))
            fail(errno, where);
        return fd;
    };
    auto fd = bind_to(at);
    // Linux takes a port that it has chosen back when a socket stops listening, one that was asked for not.
    if (port == 0) fd = bind_to(endpoint_of(fd.get(), ::getsockname));
    if (::listen(fd.get(), backlog)) fail(errno, where);
    auto const bound = endpoint_of(fd.get(), ::getsockname);
    address_ = bound.address().to_string();
    port_ = bound.port();
    socket_.assign(fd.release());
}

listener::listener(boost::asio::io_context& loop, std::string const& path, accepted_handler f)
    : socket_(loop), pause_(loop), accepted_(std::move(f)), address_(path), is_unix_(true) {
    socket_.assign(listen_on_path());
}

int listener::listen_on_path() {
    std::string const where = "cannot listen on unix socket " + address_;
    auto const a = unix_address(address_, where);
    struct stat file {};
    if (::lstat(a.sun_path, &file) == 0) {
        if (!S_ISSOCK(file.st_mode)) fail(EEXIST, where);
        if (somebody_listens(a, where)) fail(EADDRINUSE, where);
        ::unlink(a.sun_path);
    }
    descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd.get() < 0 || ::bind(fd.get(), reinterpret_cast<sockaddr const*>(&a), sizeof a) ||
        ::listen(fd.get(), backlog))
        fail(errno, where);
    if (::lstat(a.sun_path, &file) == 0) inode_ = file.st_ino;
    return fd.release();
}

listener::~listener() {
    struct stat file {};
    // Not what somebody else has put in its place.
    if (is_unix_ && ::lstat(address_.c_str(), &file) == 0 && file.st_ino == inode_)
        ::unlink(address_.c_str());
}

void listener::stop() {
    if (std::exchange(stopped_, true)) return;
    pause_.cancel();
    if (is_unix_) return socket_.close();
    socket_.cancel();
    ::shutdown(socket_.native_handle(), SHUT_RDWR);
    share_port(socket_.native_handle(), false);
}

void listener::resume() {
    if (!stopped_) return;
    if (is_unix_)
        socket_.assign(listen_on_path());
    else if (!share_port(socket_.native_handle(), true) || ::listen(socket_.native_handle(), backlog))
        fail(errno, "cannot listen on port " + std::to_string(port_) + " again");
    stopped_ = false;
    wait();
}

void listener::wait() {
    socket_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                       [this](boost::system::error_code error) {
                           if (!error && !stopped_) accept_all();
                       });
}

void listener::accept_all() {
    for (;;) {
        int const fd = ::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && errno == EAGAIN) return wait();
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED || errno == EPROTO)) continue;  // it has gone
        if (fd < 0) {
            // Most likely out of descriptors: the client stays in the backlog until some are free.
            pause_.expires_after(std::chrono::milliseconds(50));
            return pause_.async_wait([this](boost::system::error_code error) {
                if (!error && !stopped_) accept_all();
            });
        }
        peer who;
        who.descriptor = fd;
        who.unix_socket = is_unix_;
        if (is_unix_) {
            who.address = who.local_address = address_ + ":0";
        } else {
            int const on = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            who.address = text(endpoint_of(fd, ::getpeername));
            who.local_address = text(endpoint_of(fd, ::getsockname));
        }
        accepted_(fd, std::move(who));
    }
}

}  // namespace respkit
