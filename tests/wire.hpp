// A client of the mock that knows nothing of Redis but bytes.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <respkit/server/mock.hpp>

namespace respkit::test {

// A blocking socket with no manners: sends and receives exactly what a test says. Waits at most 10 s.
class wire {
public:
    explicit wire(mock const& server) : wire(server.port()) {}
    explicit wire(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in a{};
        a.sin_family = AF_INET;
        a.sin_port = htons(static_cast<std::uint16_t>(port));
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        timeval const limit{10, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        REQUIRE(::connect(fd_, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0);
    }
    ~wire() { ::close(fd_); }
    wire(wire const&) = delete;

    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            auto const n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }
    // Exactly n bytes, or fewer if the server closes first.
    std::string receive(std::size_t n) {
        std::string out(n, '\0');
        std::size_t have = 0;
        while (have < n) {
            auto const got = ::recv(fd_, out.data() + have, n - have, 0);
            if (got <= 0) break;
            have += static_cast<std::size_t>(got);
        }
        out.resize(have);
        return out;
    }
    // Whether exactly this is what comes next.
    bool receives(std::string_view bytes) { return receive(bytes.size()) == bytes; }
    // What arrives until the server closes; "(open)" if it does not.
    std::string receive_all() {
        std::string out;
        char buffer[65536];
        for (;;) {
            auto const got = ::recv(fd_, buffer, sizeof buffer, 0);
            if (got == 0) return out;
            if (got < 0) return out + (errno == ECONNRESET ? "(reset)" : "(open)");
            out.append(buffer, static_cast<std::size_t>(got));
        }
    }
    void finish_sending() { ::shutdown(fd_, SHUT_WR); }

private:
    int fd_;
};

}  // namespace respkit::test
