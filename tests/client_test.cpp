#include <arpa/inet.h>
#include <atomic>
#include <cstring>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/bench/worker.hpp>
#include <respkit/client/client.hpp>
#include <respkit/client/hiredis_client.hpp>
#include <respkit/server/mock.hpp>

using namespace respkit;
using namespace std::chrono_literals;

namespace {

// Listens on a port of its own and answers each of its connections by a script: what has to come, what is
// said to it. An exchange that expects nothing is said at once. At the end of a script the connection is
// closed.
struct exchange {
    std::string expect, reply;
};
class scripted_server {
public:
    explicit scripted_server(std::vector<std::vector<exchange>> connections) {
        listener_ = descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&at), size) == 0);
        REQUIRE(::listen(listener_.get(), 16) == 0);
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &size);
        where.port = ntohs(at.sin_port);
        thread_ = std::thread([this, scripts = std::move(connections)] {
            for (auto const& script : scripts) {
                descriptor fd(::accept(listener_.get(), nullptr, nullptr));
                serve(fd.get(), script);
            }
        });
    }
    ~scripted_server() {
        ::shutdown(listener_.get(), SHUT_RDWR);
        thread_.join();
    }

    endpoint where;
    std::string surprise;  // what came instead of what was expected; read it once the server is gone

private:
    void serve(int fd, std::vector<exchange> const& script) {
        for (auto const& step : script) {
            std::string got;
            char c = 0;
            while (got.size() < step.expect.size() && ::recv(fd, &c, 1, 0) == 1) got += c;
            if (got != step.expect) surprise = got;
            if (!step.reply.empty()) ::send(fd, step.reply.data(), step.reply.size(), MSG_NOSIGNAL);
        }
    }

    descriptor listener_;
    std::thread thread_;
};

std::string const ping = "*1\r\n$4\r\nPING\r\n", pong = "+PONG\r\n";
std::string const get = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";

std::string refusal(endpoint const& e, resp::version v = resp::version::v2) {
    try {
        client c(e, v, 2000ms);
    } catch (connect_error const& error) {
        return error.what();
    }
    return "connected";
}

}  // namespace

TEST_CASE("log-in: AUTH, HELLO 3, SELECT, PING in one go") {
    std::string const hello = "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n";
    scripted_server server({{{"*3\r\n$4\r\nAUTH\r\n$3\r\nbob\r\n$2\r\npw\r\n" + hello +
                                  "*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n" + ping,
                              "+OK\r\n%1\r\n$5\r\nproto\r\n:3\r\n+OK\r\n" + pong},
                             {get, ">1\r\n+news\r\n_\r\n"}}});
    auto e = server.where;
    e.user = "bob";
    e.password = "pw";
    e.db = 5;
    client c(e, resp::version::v3, 2000ms);
    CHECK(c.call({"GET", "k"}).null);  // a push in between is no reply
}

TEST_CASE("refusals name cause and mend") {
    struct row {
        std::string said, line;
    };
    for (row const& r : {
             row{"-NOAUTH Authentication required.\r\n",
                 "NOAUTH Authentication required.; give a password (-a)"},
             row{"-ERR max number of clients reached\r\n",
                 "ERR max number of clients reached; use fewer connections (-c) or raise its maxclients"},
             row{"-LOADING Redis is loading the dataset in memory\r\n",
                 "LOADING Redis is loading the dataset in memory"},
         }) {
        scripted_server server({{{ping, r.said}}});
        CHECK(refusal(server.where) == server.where.name() + " refuses the connection: " + r.line);
    }
    scripted_server closing({{{ping, ""}}});
    CHECK(refusal(closing.where) == closing.where.name() + " closed the connection");
    scripted_server other({{{ping, "HTTP/1.1 400 Bad Request\r\n\r\n"}}});
    CHECK(refusal(other.where).starts_with(other.where.name() + " does not speak RESP: "));

    endpoint nobody;
    {
        scripted_server gone({});
        nobody = gone.where;
    }
    CHECK(refusal(nobody) ==
          "cannot connect to " + nobody.name() + ": Connection refused; is a server running there? (-h, -p)");
    endpoint no_socket;
    no_socket.unix_path = "/nonexistent/socket";
    CHECK(refusal(no_socket) ==
          "cannot connect to unix:/nonexistent/socket: No such file or directory; is a server running there? "
          "(-s)");
}

TEST_CASE("all of a host's addresses are tried") {
    std::vector<address> at;
    {
        scripted_server gone({});
        at = resolve(gone.where);
    }
    address never;  // no socket can be had for that one
    never.bytes.ss_family = AF_MAX;
    at.push_back(never);
    CHECK_THROWS_AS(client(endpoint{}, at, resp::version::v2, 2000ms), connect_error);
    scripted_server server({{{ping, pong}}});
    auto const there = resolve(server.where);
    at.push_back(there.front());
    client const c(server.where, at, resp::version::v2, 2000ms);
    CHECK(std::memcmp(&c.where().bytes, &there.front().bytes, there.front().size) == 0);

    try {
        open_socket(never);
        FAIL("a socket of a family that does not exist");
    } catch (connect_error const& error) {
        CHECK(error.code() == EAFNOSUPPORT);
    }
}

TEST_CASE("replies may come in pieces, and several at once") {
    scripted_server server({{{ping, pong}, {get, "$10\r\n0123"}, {"", "456789\r\n:7\r\n"}}});
    client c(server.where, resp::version::v2, 2000ms);
    c.send(get);
    CHECK(c.receive().text == "0123456789");
    CHECK(c.receive().integer == 7);
    CHECK_THROWS_AS(c.receive(), connection_lost);
}

TEST_CASE("a silent server is given up") {
    scripted_server server({{{ping, pong}, {get + get, ""}}});
    client c(server.where, resp::version::v2, 2000ms);
    c.set_timeout(20ms);
    CHECK_THROWS_AS(c.call({"GET", "k"}), connection_lost);
    c.send(get);
}

TEST_CASE("hiredis: logs in as the others do") {
    std::string const hello = "*2\r\n$4\r\nAUTH\r\n$2\r\npw\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n";
    std::string const answers = "+OK\r\n-ERR DB index is out of range\r\n";
    scripted_server server({{{hello, answers}}});
    auto e = server.where;
    e.password = "pw";
    e.db = 5;
    CHECK_THROWS_WITH_AS(hiredis_client{e},
                         (e.name() + " refuses the connection: ERR DB index is out of range").c_str(),
                         connect_error);
}

TEST_CASE("hiredis: the same values") {
    scripted_server server({{{get, "*3\r\n$1\r\na\r\n:2\r\n$-1\r\n"}, {get, "-ERR no\r\n"}}});
    hiredis_client c(server.where);
    auto const list = c.call({"GET", "k"});
    REQUIRE(list.items.size() == 3);
    CHECK(list.items[0].text == "a");
    CHECK(list.items[1].integer == 2);
    CHECK(list.items[2].null);
    CHECK(c.call({"GET", "k"}).text == "ERR no");
    CHECK_THROWS_AS(c.call({"GET", "k"}), std::runtime_error);
}

namespace {

bench::load load_of(scripted_server const& server, std::size_t depth, bool sliding = false) {
    bench::load l;
    l.target = server.where;
    l.where = resolve(server.where).front();
    l.steps = {{bench::encode(bench::custom({"GET", "k"}), bench::naming::none)}};
    l.steps[0].counts = bench::hit::not_null;
    l.depth = depth;
    l.sliding = sliding;
    return l;
}

bench::phase drive(bench::load const& l, std::uint64_t requests) {
    std::atomic<bool> const stop = false;
    auto const w = bench::loop_worker(l, 1, 1);
    w->connect();
    bench::task_list all(0, requests, requests);
    return w->run(all, stop);
}

}  // namespace

TEST_CASE("worker: batches, the last one smaller, exactly n requests") {
    scripted_server server({{{ping, pong},
                             {get + get, "$1\r\na\r\n"},
                             {"", "$-1\r\n"},
                             {get + get, "$1\r\na\r\n-OOM no\r\n"},
                             {get, "$1\r\na\r\n"}}});
    auto const l = load_of(server, 2);
    auto const p = drive(l, 5);
    CHECK(p.complete);
    CHECK(p.sent == 5);
    CHECK(p.replies.ok == 3);
    CHECK(p.replies.nil == 1);
    CHECK(p.replies.hits == 3);
    CHECK(p.replies.errors.at("OOM") == 1);
    CHECK(p.latency.count() == 4);  // errors have no part in it
}

TEST_CASE("worker: a window slides") {
    scripted_server server(
        {{{ping, pong}, {get + get + get, ":1\r\n:1\r\n"}, {get + get, ":1\r\n"}, {"", ":1\r\n:1\r\n"}}});
    auto const l = load_of(server, 3, true);
    auto const p = drive(l, 5);
    CHECK(p.complete);
    CHECK(p.replies.ok == 5);
}

TEST_CASE("worker: a new connection for every batch") {
    scripted_server server({{{ping, pong}, {get, ":1\r\n"}}, {{get, ":2\r\n"}}, {{get, ":3\r\n"}}});
    auto l = load_of(server, 1);
    l.keep_alive = false;
    auto const p = drive(l, 3);
    CHECK(p.complete);
    CHECK(p.replies.ok == 3);
}

TEST_CASE("worker: what goes wrong is counted as what it is") {
    SUBCASE("the server closes") {
        scripted_server server({{{ping, pong}, {get + get, ":1\r\n"}}});
        auto const l = load_of(server, 2);
        auto const p = drive(l, 10);
        CHECK_FALSE(p.complete);
        CHECK(p.replies.ok == 1);
        CHECK(p.replies.disconnects == 1);
    }
    SUBCASE("a reply that nobody asked for") {
        scripted_server server({{{ping, pong}, {get, ":1\r\n:2\r\n"}, {get, ""}}});
        auto const l = load_of(server, 1);
        auto const p = drive(l, 10);
        CHECK(p.replies.ok == 1);
        CHECK(p.replies.protocol_errors == 1);
        CHECK(p.replies.first_error == "a reply that nobody asked for");
    }
    SUBCASE("what is not RESP") {
        scripted_server server({{{ping, pong}, {get, "hello\r\n"}}});
        auto const l = load_of(server, 1);
        auto const p = drive(l, 10);
        CHECK(p.replies.protocol_errors == 1);
    }
    SUBCASE("silence") {
        scripted_server server({{{ping, pong}, {get + get, ""}}});
        auto l = load_of(server, 1);
        l.patience = 1ms;
        auto const p = drive(l, 10);
        CHECK(p.replies.timeouts == 1);
    }
}

TEST_CASE("worker: replies larger than any buffer, sent and received") {
    std::string const big(300'000, 'x');
    scripted_server server({{{ping, pong}, {get, "$300000\r\n" + big + "\r\n"}, {get, ":1\r\n"}}});
    auto const l = load_of(server, 1);
    auto const p = drive(l, 2);
    CHECK(p.complete);
    CHECK(p.replies.hits == 2);

    std::string const value(5'000'000, 'y');
    auto const request = bench::encode(bench::custom({"SET", "k", value}), bench::naming::none);
    scripted_server sink({{{ping, pong}, {request.bytes, "+OK\r\n"}}});
    auto much = load_of(sink, 1);
    much.steps[0].request = request;
    CHECK(drive(much, 1).complete);
}

namespace {

void reply(descriptor const& to, std::string const& expect, std::string const& said) {
    std::string got;
    char c = 0;
    while (got.size() < expect.size() && ::recv(to.get(), &c, 1, 0) == 1) got += c;
    CHECK(got == expect);
    ::send(to.get(), said.data(), said.size(), MSG_NOSIGNAL);
}

}  // namespace

// A backlog that is full keeps a connection connecting for as long as the test likes.
TEST_CASE("worker: who is still connecting when a phase ends begins the next one properly") {
    endpoint where;
    where.unix_path = "client_test." + std::to_string(::getpid()) + ".sock";
    where.db = 1;
    std::string const hello = "*2\r\n$6\r\nSELECT\r\n$1\r\n1\r\n", ok = "+OK\r\n";
    auto const at = resolve(where).front();
    descriptor const listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(listener.get(), at.get(), at.size) == 0);
    REQUIRE(::listen(listener.get(), 0) == 0);
    auto const next = [&] { return descriptor(::accept(listener.get(), nullptr, nullptr)); };

    bench::load l;
    l.target = where;
    l.where = at;
    l.steps = {{bench::encode(bench::custom({"GET", "k"}), bench::naming::none)}};
    l.keep_alive = false;
    auto const w = bench::loop_worker(l, 3, 1);
    std::vector<descriptor> links;
    {
        std::jthread const server([&] {
            for (int i = 0; i < 3; ++i) {
                links.push_back(next());
                reply(links.back(), hello + ping, ok + pong);
            }
        });
        w->connect();
    }
    auto const full = connect_to(where, {&at, 1}, 2000ms);

    std::atomic<bool> stop = false;
    {
        std::jthread const server([&] {
            for (auto const& link : links) {
                reply(link, get, ":1\r\n");
                char c = 0;
                ::recv(link.get(), &c, 1, 0);  // until it closes
            }
            stop = true;
        });
        bench::task_list all(0, 10, 10);
        auto const p = w->run(all, stop);
        CHECK(p.sent == 3);
        CHECK(p.replies.ok == 3);
    }
    CHECK(w->alive() == 3);

    stop = false;
    std::jthread const server([&] {
        next();
        for (int i = 0; i < 7; ++i) reply(next(), hello + get, ok + ":2\r\n");
    });
    bench::task_list all(0, 7, 7);
    auto const p = w->run(all, stop);
    CHECK(p.complete);
    CHECK(p.replies.ok == 7);
    CHECK(p.replies.failures() == 0);
    ::unlink(where.unix_path.c_str());
}
