#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sys/un.h>

#include <respkit/client/endpoint.hpp>

namespace respkit {
namespace {

std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number n{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return n;
}

// Takes "user:password@" off the front.
void take_credentials(std::string_view& rest, endpoint& e) {
    auto const at = rest.substr(0, rest.find('/')).rfind('@');
    if (at == std::string_view::npos) return;
    auto const who = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    auto const colon = who.find(':');
    if (colon == std::string_view::npos) {
        e.password = unescape(who);  // as redis-cli: one word is the password
    } else {
        e.user = unescape(who.substr(0, colon));
        e.password = unescape(who.substr(colon + 1));
    }
}

[[noreturn]] void refuse(std::string_view uri, std::string_view why) {
    throw std::invalid_argument("'" + std::string(uri) + "' is not a server's URI: " + std::string(why) +
                                " (redis://user:password@host:port/db or unix:///path)");
}

std::string advice(endpoint const& e, int error) {
    bool const absent = error == ECONNREFUSED || error == ENOENT;
    if (!e.unix_path.empty()) return absent ? "; is a server running there? (-s)" : " (-s)";
    return absent ? "; is a server running there? (-h, -p)" : " (-h, -p)";
}

[[noreturn]] void fail(endpoint const& e, int error) {
    throw connect_error("cannot connect to " + e.name() + ": " + std::strerror(error) + advice(e, error),
                        error);
}

descriptor connect_one(endpoint const& e, address const& a, std::chrono::milliseconds timeout) {
    auto fd = open_socket(a);
    if (::connect(fd.get(), a.get(), a.size) == 0) return fd;
    // A unix socket whose backlog is full answers EAGAIN and cannot be waited for: ask again.
    auto const deadline = std::chrono::steady_clock::now() + timeout;
    while (errno == EAGAIN && std::chrono::steady_clock::now() < deadline) {
        ::poll(nullptr, 0, 1);
        if (::connect(fd.get(), a.get(), a.size) == 0) return fd;
    }
    if (errno != EINPROGRESS) fail(e, errno);
    pollfd wait{fd.get(), POLLOUT, 0};
    int const ready = ::poll(&wait, 1, static_cast<int>(timeout.count()));
    if (ready == 0) fail(e, ETIMEDOUT);
    if (ready < 0) fail(e, errno);
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) fail(e, error);
    return fd;
}

}  // namespace

std::string endpoint::name() const {
    if (!unix_path.empty()) return "unix:" + unix_path;
    bool const v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

endpoint parse_uri(std::string_view uri) {
    endpoint e;
    auto rest = uri;
    auto const take = [&](std::string_view scheme) {
        if (!rest.starts_with(scheme)) return false;
        rest.remove_prefix(scheme.size());
        return true;
    };
    if (take("rediss://")) refuse(uri, "TLS is not supported yet");
    if (take("unix://") || take("redis+unix://")) {
        take_credentials(rest, e);
        auto const query = rest.find('?');
        e.unix_path = unescape(rest.substr(0, query));
        if (e.unix_path.empty()) refuse(uri, "the path is missing");
        if (query == std::string_view::npos) return e;
        auto const argument = rest.substr(query + 1);
        auto const db =
            argument.starts_with("db=") ? number<std::uint32_t>(argument.substr(3)) : std::nullopt;
        if (!db) refuse(uri, "only ?db=NUMBER may follow the path");
        e.db = *db;
        return e;
    }
    if (!take("redis://")) refuse(uri, "it begins with neither redis:// nor unix://");
    take_credentials(rest, e);
    if (auto const slash = rest.find('/'); slash != std::string_view::npos) {
        if (slash + 1 < rest.size()) {
            auto const db = number<std::uint32_t>(rest.substr(slash + 1));
            if (!db) refuse(uri, "the database after '/' is not a number");
            e.db = *db;
        }
        rest = rest.substr(0, slash);
    }
    auto const bracket = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
    auto const colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon != std::string_view::npos) {
        auto const port = number<std::uint16_t>(rest.substr(colon + 1));
        if (!port || *port == 0) refuse(uri, "the port is not a number from 1 to 65535");
        e.port = *port;
    }
    auto host = rest.substr(0, colon);
    if (bracket != std::string_view::npos) host = host.substr(1, host.size() - 2);
    if (!host.empty()) e.host = host;
    return e;
}

std::vector<address> resolve(endpoint const& e) {
    if (!e.unix_path.empty()) {
        address a;
        auto& to = reinterpret_cast<sockaddr_un&>(a.bytes);
        to.sun_family = AF_UNIX;
        if (e.unix_path.size() >= sizeof to.sun_path)
            throw connect_error("the socket's path is longer than " + std::to_string(sizeof to.sun_path - 1) +
                                " bytes: " + e.unix_path + " (-s)");
        std::memcpy(to.sun_path, e.unix_path.c_str(), e.unix_path.size() + 1);
        a.size = sizeof to;
        return {a};
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    int const error = ::getaddrinfo(e.host.c_str(), std::to_string(e.port).c_str(), &hints, &found);
    if (error)
        throw connect_error("cannot look up host '" + e.host + "': " + ::gai_strerror(error) + " (-h)");
    std::unique_ptr<addrinfo, void (*)(addrinfo*)> const owner(found, ::freeaddrinfo);
    std::vector<address> all;
    for (auto const* one = found; one; one = one->ai_next) {
        auto& a = all.emplace_back();
        std::memcpy(&a.bytes, one->ai_addr, one->ai_addrlen);
        a.size = one->ai_addrlen;
    }
    return all;
}

descriptor open_socket(address const& a) {
    descriptor fd(::socket(a.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) {
        int const error = errno;
        throw connect_error(std::string("cannot open a socket: ") + std::strerror(error) +
                                (error == EMFILE ? " (ulimit -n)" : ""),
                            error);
    }
    int const on = 1;
    if (a.bytes.ss_family != AF_UNIX) ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

connection connect_to(endpoint const& e, std::span<address const> at, std::chrono::milliseconds timeout) {
    for (;;) {
        try {
            return {connect_one(e, at.front(), timeout), at.front()};
        } catch (connect_error const&) {
            at = at.subspan(1);
            if (at.empty()) throw;
        }
    }
}

}  // namespace respkit
