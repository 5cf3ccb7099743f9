// Rules, journal and waiting through respkit::mock and real sockets.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "wire.hpp"
#include <respkit/server/mock.hpp>

using namespace respkit;
using namespace std::chrono_literals;
using respkit::test::wire;

TEST_CASE("an error once, then the value, and both calls are in the journal") {
    mock redis;
    redis.run({"SET", "greeting", "hello"});
    redis.on("GET").times(1).error("LOADING Redis is loading the dataset in memory");
    wire c(redis);
    c.send("GET greeting\r\n");
    CHECK(c.receives("-LOADING Redis is loading the dataset in memory\r\n"));
    c.send("GET greeting\r\n");
    CHECK(c.receives("$5\r\nhello\r\n"));
    auto const calls = redis.calls("GET");
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].rule == 1);
    CHECK(calls[1].reply == "$5\r\nhello\r\n");
    CHECK(redis.calls("SET").empty());  // run() is the test's own
}

TEST_CASE("a reply breaks off, in order or with a reset") {
    mock redis;
    redis.on("GET").times(1).bulk("hello").prefix(6).close();
    redis.on("GET").times(1).bulk("hello").prefix(6).reset();
    wire a(redis), b(redis);
    a.send("GET k\r\n");
    CHECK(a.receive_all() == "$5\r\nhe");
    b.send("GET k\r\n");
    CHECK(b.receive_all() == "$5\r\nhe(reset)");
}

TEST_CASE("pieces, gaps and delays in real time") {
    mock redis;
    redis.on("ECHO").split(1, 1ms);
    redis.on("PING").delay(1ms, 3ms);
    wire c(redis);
    c.send("ECHO hello\r\nPING\r\nECHO x\r\n");
    CHECK(c.receives("$5\r\nhello\r\n+PONG\r\n$1\r\nx\r\n"));
}

TEST_CASE("a black hole swallows requests and stays") {
    mock redis;
    redis.on("GET").no_reply();
    wire c(redis);
    c.send("GET k\r\nPING\r\n");
    CHECK(c.receives("+PONG\r\n"));
    CHECK(redis.wait_calls("GET"));
}

TEST_CASE("waiting for what other threads do") {
    mock redis;
    std::thread others([&] {
        wire a(redis), b(redis);
        a.send("BLPOP q 0\r\n");
        b.send("SUBSCRIBE news\r\n");
        CHECK(a.receives("*2\r\n$1\r\nq\r\n$1\r\nx\r\n"));
        b.receive_all();
    });
    CHECK(redis.wait_connected(2));
    CHECK(redis.wait_blocked());
    CHECK(redis.wait_subscribed("news"));
    CHECK(redis.wait_calls("BLPOP"));
    CHECK_FALSE(redis.wait_calls("BLPOP", 2, 1ms));
    redis.run({"RPUSH", "q", "x"});
    redis.run({"CLIENT", "KILL", "TYPE", "pubsub"});
    others.join();
}

TEST_CASE("what has not happened is told at the end") {
    std::vector<std::string> told;
    {
        mock redis;
        redis.on_failure([&](std::string_view line) { told.emplace_back(line); });
        redis.on("SET").expect(1);
        auto const id = redis.on("GET").expect(1).set();
        wire c(redis);
        c.send("NOSUCH\r\nSET k v\r\n");
        CHECK(c.receives("-ERR unknown command 'NOSUCH', with args beginning with: \r\n+OK\r\n"));
        CHECK(redis.remove_rule(id));
        CHECK_FALSE(redis.remove_rule(id));
        redis.on("DEL").expect(2);
    }
    CHECK(told == std::vector<std::string>{"expected 2 times, happened 0: ON del EXPECT 2 PROCEED",
                                           "not supported here: nosuch (1 times)"});
}

TEST_CASE("a server that pretends") {
    mock redis;
    redis.pretend(server_state::loading);
    wire c(redis);
    c.send("GET k\r\n");
    CHECK(c.receives("-LOADING Redis is loading the dataset in memory\r\n"));
    redis.pretend(server_state::normal);
    c.send("GET k\r\n");
    CHECK(c.receives("$-1\r\n"));
}

TEST_CASE("a restart and a reset let in whom the start let in") {
    mock redis({.server = {.users = {"default on >pw ~* &* +@all"}}});
    redis.run({"ACL", "SETUSER", "bob", "on", "nopass", "~*", "+@all"});
    auto const asks = [&] {
        wire c(redis);
        c.send("PING\r\n");
        return c.receives("-NOAUTH Authentication required.\r\n");
    };
    CHECK(asks());
    redis.restart();
    CHECK(asks());
    redis.run({"ACL", "SETUSER", "bob", "on", "nopass", "~*", "+@all"});
    redis.run({"ACL", "SETUSER", "default", "nopass"});
    redis.reset();
    CHECK(asks());
    CHECK(redis.run({"ACL", "USERS"}).items.size() == 1);
}

TEST_CASE("a script is refused what its server refuses") {
    mock redis;
    auto const sha = redis.add_script("return redis.call('SET', 'k', 'v')", [](script_call& c) {
        return c.call({"SET", "k", "v"});
    });
    wire c(redis);
    redis.pretend(server_state::readonly);
    c.send("EVALSHA " + sha + " 0\r\n");
    CHECK(c.receives("-READONLY You can't write against a read only replica."));
    redis.pretend(server_state::normal);
    CHECK(redis.expect_missing("k"));
}

TEST_CASE("rules and waiting from many threads at once") {
    mock redis;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            std::string const name = "k" + std::to_string(t);
            for (int i = 0; i < 20; ++i) {
                redis.on("GET").key(name).times(1).bulk(name);
                wire c(redis);
                c.send("GET " + name + "\r\n");
                CHECK(c.receives("$2\r\n" + name + "\r\n"));
                redis.wait_calls("GET", static_cast<std::size_t>(i + 1));
                redis.calls();
            }
        });
    for (auto& t : threads) t.join();
    CHECK(redis.calls("GET").size() == 160);
}
