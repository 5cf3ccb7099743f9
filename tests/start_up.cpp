// How long it takes until a mock has answered its first request, beside a bare Asio listener that accepts one
// client and sends it the same seven bytes: start, connect, ask, read, stop, by turns.
//     ./dev build start_up && build/release/bin/start_up
#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <respkit/server/mock.hpp>

namespace {

using std::chrono::steady_clock;
using tcp = boost::asio::ip::tcp;

void check(bool done) {
    if (!done) std::perror("start_up"), std::exit(1);
}

// Asks on a connected socket and closes it.
void ping(int fd) {
    char reply[7];
    check(::send(fd, "PING\r\n", 6, 0) == 6);
    check(::recv(fd, reply, sizeof reply, MSG_WAITALL) == sizeof reply);
    ::close(fd);
}

void ping_port(int port) {
    int const fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(static_cast<std::uint16_t>(port));
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    check(::connect(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0);
    ping(fd);
}

void asio_listener() {
    boost::asio::io_context loop;
    tcp::acceptor listener(loop, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    tcp::socket client(loop);
    char request[6];
    listener.async_accept(client, [&](boost::system::error_code) {
        client.async_receive(boost::asio::buffer(request), [&](boost::system::error_code, std::size_t) {
            boost::asio::write(client, boost::asio::buffer("+PONG\r\n", 7));
        });
    });
    std::thread server([&] { loop.run(); });
    ping_port(listener.local_endpoint().port());
    server.join();
}

void mock_by_port() {
    respkit::mock redis;
    ping_port(redis.port());
}

void mock_by_socket_pair() {
    respkit::mock redis({.tcp = false});
    ping(redis.connect_fd());
}

void mock_by_run() {
    respkit::mock redis({.tcp = false});
    check(redis.run({"PING"}).text == "PONG");
}

}  // namespace

int main() {
    struct contender {
        char const* name;
        void (*run)();
        std::vector<double> microseconds = {};
    } all[] = {{"bare Asio listener", asio_listener},
               {"mock, TCP", mock_by_port},
               {"mock, connect_fd()", mock_by_socket_pair},
               {"mock, run()", mock_by_run}};
    constexpr int warm_up = 50, rounds = 1000;
    for (int i = 0; i < warm_up + rounds; ++i)
        for (auto& c : all) {
            auto const begin = steady_clock::now();
            c.run();
            std::chrono::duration<double, std::micro> const took = steady_clock::now() - begin;
            if (i >= warm_up) c.microseconds.push_back(took.count());
        }
    std::printf("%-20s %10s %10s %8s\n", "start, ask, stop", "median us", "p90 us", "ratio");
    for (auto& c : all) std::sort(c.microseconds.begin(), c.microseconds.end());
    for (auto const& c : all)
        std::printf("%-20s %10.0f %10.0f %8.2f\n", c.name, c.microseconds[rounds / 2],
                    c.microseconds[rounds * 9 / 10],
                    c.microseconds[rounds / 2] / all[0].microseconds[rounds / 2]);
}
