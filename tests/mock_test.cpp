#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>
#include <hiredis/hiredis.h>

#include "wire.hpp"
#include <respkit/resp/command.hpp>
#include <respkit/resp/text.hpp>
#include <respkit/server/mock.hpp>

using namespace respkit;
using respkit::test::wire;
using namespace std::chrono_literals;

namespace {

using hiredis_link = std::unique_ptr<redisContext, decltype(&redisFree)>;
using answer = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

hiredis_link connect(mock const& server) {
    return {redisConnect(server.host().c_str(), server.port()), &redisFree};
}
answer ask(hiredis_link& to, char const* command) {
    return {static_cast<redisReply*>(redisCommand(to.get(), command)), &freeReplyObject};
}

}  // namespace

TEST_CASE("listening when constructed, on a port of its own, hiredis talks to it") {
    mock redis;
    CHECK(redis.host() == "127.0.0.1");
    CHECK(redis.port() > 0);
    CHECK(redis.url() == "redis://127.0.0.1:" + std::to_string(redis.port()));
    redis.run({"SET", "greeting", "hello"});
    auto to = connect(redis);
    REQUIRE(to);
    REQUIRE(to->err == 0);
    CHECK(std::string(ask(to, "GET greeting")->str) == "hello");
    CHECK(ask(to, "INCR n")->integer == 1);
}

TEST_CASE("run() returns replies, errors included, and keeps its session") {
    mock redis;
    CHECK(resp::print(redis.run({"HSET", "h", "f", "1"})) == "(integer) 1");
    CHECK(resp::print(redis.run({"HGETALL", "h"})) == "{\"f\": \"1\"}");
    CHECK(redis.run({"NOSUCH"}).is_error());
    redis.run({"SELECT", "3"});
    CHECK(resp::print(redis.run({"DBSIZE"})) == "(integer) 0");
    std::vector<std::string> const words{"SET", "k", std::string("\0\r\n", 3)};
    CHECK(resp::print(redis.run(words)) == "OK");
    CHECK(redis.run({"GET", "k"}).text == words[2]);
}

TEST_CASE("run() needs no password and may close its session") {
    mock redis({.server = {.password = "secret"}});
    CHECK(resp::print(redis.run({"PING"})) == "PONG");
    CHECK(resp::print(redis.run({"QUIT"})) == "OK");
    CHECK(resp::print(redis.run({"PING"})) == "PONG");
}

TEST_CASE("run() takes replies and requests of any size") {
    mock redis;
    std::string const big(3'000'000, 'x');
    redis.run({"SET", "k", big});
    CHECK(redis.run({"GET", "k"}).text == big);
    CHECK(redis.run({"MGET", "k", "k", "k"}).items.size() == 3);
}

TEST_CASE("many servers live side by side and share nothing") {
    std::vector<std::unique_ptr<mock>> servers;
    for (int i = 0; i < 20; ++i) {
        servers.push_back(std::make_unique<mock>());
        servers.back()->run({"SET", "who", std::to_string(i)});
    }
    for (int i = 0; i < 20; ++i)
        CHECK(servers[static_cast<std::size_t>(i)]->run({"GET", "who"}).text == std::to_string(i));
}

TEST_CASE("the destructor closes clients and frees the port") {
    int port = 0;
    auto redis = std::make_unique<mock>();
    port = redis->port();
    wire idle(*redis), halfway(*redis);
    idle.send("PING\r\n");
    CHECK(idle.receive(7) == "+PONG\r\n");  // accepted, not merely in the backlog
    halfway.send("*2\r\n$4\r\nECHO\r\n$100\r\nabc");
    redis.reset();
    CHECK(idle.receive_all() == "");
    mock again({.port = static_cast<std::uint16_t>(port)});
    CHECK(again.port() == port);
}

TEST_CASE("a taken port, a bad address and a bad path are named") {
    mock redis;
    CHECK_THROWS_WITH_AS(mock({.port = static_cast<std::uint16_t>(redis.port())}),
                         doctest::Contains(std::to_string(redis.port()).c_str()), std::system_error);
    CHECK_THROWS_WITH_AS(mock({.bind = "localhost"}), doctest::Contains("literal"), std::system_error);
    CHECK_THROWS_WITH_AS(mock({.tcp = false, .unix_path = "/nosuch/dir/s"}),
                         doctest::Contains("/nosuch/dir/s"), std::system_error);
}

TEST_CASE("a unix socket, alone or beside TCP, a stale file is replaced, a live one refused") {
    std::string const path = "/tmp/respkit-test-" + std::to_string(::getpid()) + ".sock";
    {
        mock redis({.tcp = false, .unix_path = path});
        CHECK(redis.port() == 0);
        CHECK(redis.url() == "unix://" + path);
        hiredis_link to(redisConnectUnix(path.c_str()), &redisFree);
        REQUIRE(to->err == 0);
        CHECK(std::string(ask(to, "PING")->str) == "PONG");
        CHECK(std::string(ask(to, "CLIENT INFO")->str).find("flags=U") != std::string::npos);
        CHECK_THROWS_AS(mock({.tcp = false, .unix_path = path}), std::system_error);
    }
    CHECK(::access(path.c_str(), F_OK) != 0);
    {
        int const stale = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un a{};
        a.sun_family = AF_UNIX;
        std::strcpy(a.sun_path, path.c_str());
        REQUIRE(::bind(stale, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0);
        ::close(stale);
        mock redis({.unix_path = path});
        CHECK(redis.port() > 0);
    }
}

TEST_CASE("a client that sends a million GETs before it reads gets every reply") {
    mock redis;
    constexpr std::size_t requests = 1'000'000;
    std::string const value(1024, 'v');
    redis.run({"SET", "k", value});
    auto const request = resp::command({"GET", "k"});
    std::string const reply = "$1024\r\n" + value + "\r\n";
    std::string batch;
    for (int i = 0; i < 1000; ++i) batch += request;

    wire client(redis);
    for (std::size_t sent = 0; sent < requests; sent += 1000) REQUIRE(client.send(batch));
    std::string expected;
    for (int i = 0; i < 1000; ++i) expected += reply;
    for (std::size_t seen = 0; seen < requests; seen += 1000)
        REQUIRE(client.receive(expected.size()) == expected);
}

TEST_CASE("a client that never reads is dropped at the output limit, others are served") {
    mock redis({.server = {.output_limit = std::size_t{8} << 20}});
    redis.run({"SET", "k", std::string(100'000, 'v')});
    wire greedy(redis), polite(redis);
    std::string batch;
    for (int i = 0; i < 1000; ++i) batch += "GET k\r\n";
    // Its replies come to 100 MB: more than the kernel's buffers and the limit together.
    greedy.send(batch);
    CHECK(polite.send("PING\r\n"));
    CHECK(polite.receive(7) == "+PONG\r\n");
    auto const got = greedy.receive_all();
    CHECK(got.size() < 1000u * 100'000u);
}

TEST_CASE("a client that has finished sending still gets its replies") {
    mock redis;
    redis.run({"SET", "k", std::string(1'000'000, 'v')});
    wire client(redis);
    std::string batch;
    for (int i = 0; i < 20; ++i) batch += "GET k\r\n";
    client.send(batch + "*2\r\n$4\r\nECHO");
    client.finish_sending();
    CHECK(client.receive_all().size() == 20u * (1'000'000 + 12));
}

TEST_CASE("errors on the wire close the connection, after what was right is answered") {
    mock redis;
    wire client(redis);
    client.send("PING\r\n*1\r\n$-5\r\nPING\r\n");
    CHECK(client.receive_all() == "+PONG\r\n-ERR Protocol error: invalid bulk length\r\n");
    wire browser(redis);
    browser.send("POST / HTTP/1.1\r\n");
    CHECK(browser.receive_all() == "");
}

TEST_CASE("beyond maxclients a client is told and closed") {
    mock redis({.server = {.max_clients = 2}});
    wire first(redis), second(redis);
    first.send("PING\r\n");
    second.send("PING\r\n");
    CHECK(first.receive(7) + second.receive(7) == "+PONG\r\n+PONG\r\n");
    wire third(redis);
    CHECK(third.receive_all() == "-ERR max number of clients reached\r\n");
    CHECK(redis.counts().rejected_connections == 1);
    CHECK(resp::print(redis.run({"PING"})) == "PONG");  // run() takes no client's place
}

TEST_CASE("a request may arrive in any pieces and of any size") {
    mock redis;
    wire client(redis);
    std::string const value(5'000'000, 'x');
    auto const set = resp::command({"SET", "k", value});
    for (std::size_t at = 0; at < set.size(); at += 700'001)
        client.send(std::string_view(set).substr(at, 700'001));
    CHECK(client.receive(5) == "+OK\r\n");
    for (char const c : resp::command({"STRLEN", "k"})) client.send({&c, 1});
    CHECK(client.receive(10) == ":5000000\r\n");
}

TEST_CASE("keys expire by themselves, in real time and when the clock is moved") {
    mock redis;
    redis.run({"SET", "soon", "v", "PX", "20"});
    redis.run({"SET", "late", "v", "EX", "1000"});
    // In real time: nobody asks for the key, its absence is seen in the counters.
    auto const expired = [&] { return redis.counts().expired_keys; };
    while (expired() == 0) std::this_thread::yield();
    CHECK(expired() == 1);
    redis.clock().advance(1001s);
    CHECK(redis.run({"EXISTS", "late"}).integer == 0);
    CHECK(resp::print(redis.run({"DBSIZE"})) == "(integer) 0");
}

TEST_CASE("any thread may call anything") {
    mock redis;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&redis] {
            for (int i = 0; i < 500; ++i) {
                redis.run({"INCR", "n"});
                if (i % 50 == 0) {
                    redis.clock().advance(1ms);
                    redis.counts();
                    redis.cpu();
                    redis.unsupported();
                }
            }
        });
    for (auto& t : threads) t.join();
    CHECK(redis.run({"GET", "n"}).text == "2000");
}

TEST_CASE("processor time and counters are the server's own") {
    mock redis;
    auto const before = redis.cpu();
    for (int i = 0; i < 2000; ++i) redis.run({"SET", "k", std::to_string(i)});
    auto const after = redis.cpu();
    CHECK(after.user + after.system > before.user + before.system);
    wire client(redis);
    client.send("PING\r\nPING\r\nPING\r\n");
    CHECK(client.receive(21).size() == 21);
    auto const n = redis.counts();
    CHECK(n.bytes_in == 18);
    CHECK(n.bytes_out == 21);
    CHECK(n.reads >= 1);
}

TEST_CASE("a client cannot exhaust the server's memory and end it") {
    mock redis;
    redis.run({"CONFIG", "SET", "proto-max-bulk-len", "9000000000000000000"});
    CHECK(redis.run({"SETRANGE", "k", "8000000000000000000", "x"}).is_error());
    CHECK(resp::print(redis.run({"PING"})) == "PONG");
}

TEST_CASE("run() returns the reply, not the push before it") {
    mock redis;
    CHECK(redis.run({"DEBUG", "PROTOCOL", "push"}).text == "Some real reply following the push reply");
}

TEST_CASE("the password is part of the URL") {
    mock redis({.server = {.password = "a b/c"}});
    CHECK(redis.url() == "redis://:a%20b%2Fc@127.0.0.1:" + std::to_string(redis.port()));
}

TEST_CASE("a storm of connections leaves nothing behind") {
    mock redis;
    for (int round = 0; round < 300; ++round) {
        wire a(redis), b(redis);
        a.send("PING\r\n");
        b.send("*1\r\n$4\r\nPI");
        if (round % 2) CHECK(a.receive(7) == "+PONG\r\n");
    }
    // Their ends are noticed one by one, until run()'s own session is the only one.
    auto const sessions = [&] {
        auto const lines = redis.run({"CLIENT", "LIST"}).text;
        return std::count(lines.begin(), lines.end(), '\n');
    };
    while (redis.counts().connections < 600 || sessions() > 1) std::this_thread::yield();
    CHECK(redis.counts().connections == 601);
}
