// Servers that behave badly, reached through real sockets.
#include <atomic>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>

#include <respkit/fixtures/check.hpp>
#include <respkit/fixtures/socket.hpp>
#include <respkit/resp/request.hpp>

namespace {

using namespace respkit::fixtures;
using namespace std::chrono_literals;

using words = std::vector<std::string>;

// Listens on a free port. For each request `answer` says what is sent back; "CLOSE" closes, "DIE" stops
// listening, too.
class bad_server {
public:
    explicit bad_server(std::function<std::string(words const&)> answer) : answer_(std::move(answer)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in a{};
        a.sin_family = AF_INET;
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof a;
        REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&a), size) == 0);
        REQUIRE(::listen(listener_, 64) == 0);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&a), &size);
        port_ = ntohs(a.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    ~bad_server() {
        die();
        acceptor_.join();
        for (auto& each : serving_) each.join();
        for (int const fd : open_) ::close(fd);
        ::close(listener_);
    }
    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    void die() {
        stopping_ = true;
        ::shutdown(listener_, SHUT_RDWR);
        std::lock_guard const one(opening_);
        for (int const fd : open_) ::shutdown(fd, SHUT_RDWR);
    }

    void accept_all() {
        for (;;) {
            int const fd = ::accept(listener_, nullptr, nullptr);
            if (fd < 0) return;
            std::lock_guard const one(opening_);
            if (stopping_) ::shutdown(fd, SHUT_RDWR);
            open_.push_back(fd);
            serving_.emplace_back([this, fd] { serve(fd); });
        }
    }

    void serve(int fd) {
        std::string in;
        respkit::resp::request_reader reader;
        char buffer[4096];
        for (bool open = true; open && !stopping_;) {
            auto const n = ::recv(fd, buffer, sizeof buffer, 0);
            if (n <= 0) break;
            in.append(buffer, static_cast<std::size_t>(n));
            for (;;) {
                auto const step = reader.next(in);
                if (step.what != respkit::resp::request_reader::status::ready) break;
                auto const reply = answer_({reader.words().begin(), reader.words().end()});
                in.erase(0, step.consumed);
                open = reply != "CLOSE" && reply != "DIE" && send_all(fd, reply);
                if (reply == "DIE") ::shutdown(listener_, SHUT_RDWR), stopping_ = true;
                if (!open) break;
            }
        }
        ::shutdown(fd, SHUT_RDWR);
    }

    // "FLOOD" goes on until the other side has had enough.
    bool send_all(int fd, std::string const& reply) const {
        bool const flood = reply == "FLOOD";
        std::string const bytes = flood ? std::string(1 << 16, 'x') : reply;
        do {
            if (!bytes.empty() && ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) <= 0) return false;
        } while (flood && !stopping_);
        return true;
    }

    std::function<std::string(words const&)> answer_;
    int listener_ = -1;
    int port_ = 0;
    std::atomic<bool> stopping_{false};
    std::mutex opening_;
    std::vector<int> open_;
    std::vector<std::thread> serving_;
    std::thread acceptor_;
};

// A server that is what it should be, but for GET, which `get` answers.
std::function<std::string(words const&)> good_but_for_get(std::string get) {
    return [get = std::move(get)](words const& w) -> std::string {
        if (w[0] == "PING") return "+PONG\r\n";
        if (w[0] == "DBSIZE") return ":0\r\n";
        if (w[0] == "INFO") return "$22\r\nredis_version:7.0.15\r\n\r\n";
        if (w[0] == "RESET") return "+RESET\r\n";
        if (w[0] == "GET") return get;
        if (w[0] == "DEBUG") return "-ERR no\r\n";
        return "+OK\r\n";
    };
}

check_options quick() {
    check_options o;
    o.patience = 500ms;
    return o;
}

std::string refused(std::string const& address, check_options const& o = quick()) {
    try {
        socket_exchange server(address, o.patience);
        look_at(server, o);
    } catch (std::exception const& error) {
        return error.what();
    }
    return "accepted";
}

report run_on(std::string const& address, std::vector<test_case> const& cases, std::size_t jobs = 1) {
    auto o = quick();
    o.jobs = jobs;
    socket_exchange first(address, o.patience);
    auto t = look_at(first, o);
    t.options.most = 1 << 20;
    report r;
    run_cases(
        r, cases, [&] { return std::make_unique<socket_exchange>(address, o.patience); }, t, jobs);
    return r;
}

std::vector<test_case> const two_cases =
    parse("case f/x/get\n> GET k\n< (nil)\n\ncase f/x/ping\n> PING\n< PONG\n", "f/x.rt", "f/x").cases;

}  // namespace

TEST_CASE("a server that does what it should passes, one case or two at a time") {
    bad_server const server(good_but_for_get("$-1\r\n"));
    for (std::size_t const jobs : {1, 2}) {
        auto const r = run_on(server.address(), two_cases, jobs);
        CHECK(r.stopped == "");
        CHECK(count(r).passed == 2);
    }
}

TEST_CASE("a server that cannot be checked is refused with one line") {
    {
        bad_server const silent([](words const&) { return ""; });
        CHECK(refused(silent.address()) == "the server does not answer PING");
    }
    {
        bad_server const garbage([](words const&) { return "HTTP/1.1 400\r\n"; });
        CHECK(refused(garbage.address()) ==
              "the server does not answer PING with a reply of the Redis protocol");
    }
    {
        bad_server const closing([](words const&) { return "CLOSE"; });
        CHECK(refused(closing.address()) == "the server closes the connection instead of answering PING");
    }
    {
        bad_server const flooding([](words const&) { return "FLOOD"; });
        CHECK(refused(flooding.address()) == "the server sends more than an answer to PING");
    }
    {
        bad_server const full([](words const& w) { return w[0] == "DBSIZE" ? ":1\r\n" : "+PONG\r\n"; });
        CHECK(refused(full.address()).find("--allow-flush permits it") != std::string::npos);
        auto o = quick();
        o.allow_flush = true;
        CHECK(refused(full.address(), o) == "accepted");
        o = quick();
        o.look_only = true;
        CHECK(refused(full.address(), o) == "accepted");
    }
    std::string nobody;
    {
        bad_server const gone([](words const&) { return ""; });
        nobody = gone.address();
    }
    CHECK(refused(nobody).find("cannot connect to 127.0.0.1:") == 0);
    CHECK(refused("nonsense").find("is no address") != std::string::npos);
    CHECK(refused("unix:/nonexistent/socket").find("cannot connect to unix:") == 0);
}

TEST_CASE("a case that is not answered costs its time once, and the run goes on") {
    bad_server const server(good_but_for_get(""));
    auto const r = run_on(server.address(), two_cases);
    CHECK(r.stopped == "");
    REQUIRE(count(r).failed == 1);
    CHECK(count(r).passed == 1);
    auto const& f = r.cases[0].result.failures;
    REQUIRE(f.size() == 1);  // not once more for each way
    CHECK(f[0].late);
    CHECK(f[0].note.find("no more within ") == 0);
}

TEST_CASE("the time of a case is not prolonged by each byte") {
    std::atomic<int> asked{0};
    bad_server const server([&](words const& w) {
        if (w[0] != "GET") return good_but_for_get("")(w);
        ++asked;
        return std::string("$1000000\r\nx");  // more never comes
    });
    auto const r =
        run_on(server.address(), parse("case f/x/a\n> GET k\n< \"x\"*1000000\n", "f", "f/x").cases);
    CHECK(count(r).failed == 1);
    CHECK(asked == 1);
}

TEST_CASE("a flood is cut off") {
    bad_server const server(good_but_for_get("FLOOD"));
    auto const r =
        run_on(server.address(), parse("case f/x/a\n> GET k\n<< \"x\"*40000000\n", "f", "f/x").cases);
    REQUIRE(count(r).failed == 1);
    CHECK(r.cases[0].result.failures[0].note == "more than 1048576 bytes");
}

TEST_CASE("more than was expected is told") {
    bad_server const server(good_but_for_get("$-1\r\n:1\r\n"));
    auto const r = run_on(server.address(), {two_cases[0]});
    REQUIRE(count(r).failed == 1);
    CHECK(r.cases[0].result.failures[0].found == ":1\r\n");
}

TEST_CASE("a server that closes fails the case, one that dies ends the run") {
    {
        bad_server const server(good_but_for_get("CLOSE"));
        auto const r = run_on(server.address(), two_cases);
        CHECK(r.stopped == "");
        CHECK(count(r).failed == 1);
        CHECK(r.cases[0].result.failures[0].found_closed);
    }
    {
        bad_server const server(good_but_for_get("DIE"));
        auto const r = run_on(server.address(), two_cases);
        CHECK(r.stopped.find("f/x/") == 0);
        CHECK_FALSE(passed(r));
        CHECK(count(r).passed == 0);
    }
}

TEST_CASE("a server that stops answering ends the run") {
    std::atomic<bool> silent{false};
    bad_server const server([&](words const& w) {
        if (w[0] == "GET") silent = true;
        return silent ? std::string() : good_but_for_get("")(w);
    });
    auto const r = run_on(server.address(), two_cases);
    CHECK(r.stopped == "f/x/ping: the server does not answer");
    CHECK_FALSE(passed(r));
}
