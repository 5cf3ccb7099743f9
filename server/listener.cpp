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

sockaddr_un unix_address(std::string const& path) {
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    if (path.size() >= sizeof a.sun_path) fail(ENAMETOOLONG, "cannot listen on unix socket " + path);
    std::memcpy(a.sun_path, path.c_str(), path.size() + 1);
    return a;
}

bool somebody_listens(sockaddr_un const& a) {
    descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return ::connect(probe.get(), reinterpret_cast<sockaddr const*>(&a), sizeof a) == 0 || errno == EAGAIN;
}

}  // namespace

listener::listener(boost::asio::io_context& loop, int descriptor, accepted_handler f)
    : socket_(loop, descriptor), pause_(loop), accepted_(std::move(f)) {}

listener::listener(listener&& other) noexcept
    : socket_(std::move(other.socket_)),
      pause_(std::move(other.pause_)),
      accepted_(std::move(other.accepted_)),
      address_(std::move(other.address_)),
      port_(other.port_),
      is_unix_(std::exchange(other.is_unix_, false)) {}

listener::~listener() {
    if (is_unix_) ::unlink(address_.c_str());
}

listener listener::tcp(boost::asio::io_context& loop, std::string const& address, std::uint16_t port,
                       accepted_handler f) {
    std::string const where = "cannot listen on " + address + ':' + std::to_string(port);
    boost::system::error_code bad;
    auto const ip = boost::asio::ip::make_address(address, bad);
    if (bad) fail(EINVAL, where + " (the address must be a literal one, like 127.0.0.1)");
    boost::asio::ip::tcp::endpoint const at(ip, port);

    descriptor fd(::socket(at.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    int const on = 1;
    if (fd.get() < 0 || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
        ::bind(fd.get(), at.data(), static_cast<socklen_t>(at.size())) || ::listen(fd.get(), backlog))
        fail(errno, where);
    auto const bound = endpoint_of(fd.get(), ::getsockname);
    listener l(loop, fd.release(), std::move(f));
    l.address_ = bound.address().to_string();
    l.port_ = bound.port();
    return l;
}

listener listener::unix_socket(boost::asio::io_context& loop, std::string const& path, accepted_handler f) {
    std::string const where = "cannot listen on unix socket " + path;
    auto const a = unix_address(path);
    struct stat file {};
    if (::lstat(path.c_str(), &file) == 0) {
        if (!S_ISSOCK(file.st_mode)) fail(EEXIST, where);
        if (somebody_listens(a)) fail(EADDRINUSE, where);
        ::unlink(path.c_str());
    }
    descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (fd.get() < 0 || ::bind(fd.get(), reinterpret_cast<sockaddr const*>(&a), sizeof a) ||
        ::listen(fd.get(), backlog))
        fail(errno, where);
    listener l(loop, fd.release(), std::move(f));
    l.address_ = path;
    l.is_unix_ = true;
    return l;
}

void listener::wait() {
    socket_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                       [this](boost::system::error_code error) {
                           if (!error) accept_all();
                       });
}

void listener::accept_all() {
    for (;;) {
        int const fd = ::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            // Out of descriptors: the client stays in the backlog. Try again when some may be free.
            pause_.expires_after(std::chrono::milliseconds(50));
            return pause_.async_wait([this](boost::system::error_code error) {
                if (!error) accept_all();
            });
        }
        if (fd < 0 && errno != EAGAIN) continue;  // that client has gone already
        if (fd < 0) return wait();
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
