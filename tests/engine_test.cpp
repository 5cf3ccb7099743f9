#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include <respkit/resp/command.hpp>
#include <respkit/server/engine.hpp>

using namespace respkit;
using namespace std::chrono_literals;

namespace {

struct server {
    respkit::clock time;
    engine core;
    engine::session_handle client;

    explicit server(engine_options o = {})
        : core((time.freeze(), std::move(o)), time), client(core.open({})) {}

    // What comes back for these bytes, all at once.
    std::string raw(std::string_view bytes) {
        std::string out;
        last = core.feed(*client, bytes, out);
        return out;
    }
    std::string operator()(std::initializer_list<std::string_view> words) {
        return raw(resp::command(words));
    }

    engine::fed last{};
};

}  // namespace

TEST_CASE("need more, answered, closed, aborted: four ways for a batch to end") {
    server s;
    CHECK(s.raw("PING\r\nPI") == "+PONG\r\n");
    CHECK(s.last.consumed == 6);
    CHECK(s.last.what == engine::progress::need_more);

    CHECK(s.raw("PING\r\n*1\r\n:1\r\nPING\r\n") == "+PONG\r\n-ERR Protocol error: expected '$', got ':'\r\n");
    CHECK(s.last.what == engine::progress::close);

    server quits;
    CHECK(quits.raw("QUIT\r\nPING\r\n") == "+OK\r\n");
    CHECK(quits.last.what == engine::progress::close);

    server browser;
    browser.raw("GET / HTTP/1.1\r\nHost: x\r\n");
    CHECK(browser.last.what == engine::progress::abort);
}

TEST_CASE("a long output pauses the batch, and the rest runs when it is called again") {
    server s;
    s({"SET", "big", std::string(600000, 'x')});
    auto const request = resp::command({"GET", "big"});
    std::string in;
    for (int i = 0; i < 5; ++i) in += request;
    std::size_t total = 0, rounds = 0, used = 0;
    for (;; ++rounds) {
        std::string out;
        auto const fed = s.core.feed(*s.client, std::string_view(in).substr(used), out);
        total += out.size();
        used += fed.consumed;
        if (fed.what == engine::progress::need_more) break;
        CHECK(fed.what == engine::progress::output_full);
    }
    CHECK(total == 5 * (600000 + 11));
    CHECK(used == in.size());
    CHECK(rounds == 2);
}

TEST_CASE("the clock drives expiry, lazy and active, and TIME") {
    server s;
    s({"SET", "lazy", "v", "PX", "100"});
    s({"SET", "active", "v", "PX", "200"});
    CHECK(s.core.next_deadline() > s.time.now());
    CHECK(s({"PTTL", "lazy"}) == ":100\r\n");
    s.time.advance(100ms);
    CHECK(s({"GET", "lazy"}) == "$1\r\nv\r\n");
    s.time.advance(1ms);
    CHECK(s({"GET", "lazy"}) == "$-1\r\n");
    CHECK(s({"DBSIZE"}) == ":1\r\n");
    s.time.advance(100ms);
    CHECK(s.core.next_deadline() <= s.time.now());
    s.core.run_due();
    CHECK(s({"DBSIZE"}) == ":0\r\n");
    CHECK(s.core.counts().expired_keys == 2);
    CHECK_FALSE(s.core.next_deadline());

    s.time.set(clock::time_point(1234567890s + 42us));
    CHECK(s({"TIME"}) == "*2\r\n$10\r\n1234567890\r\n$2\r\n42\r\n");
}

TEST_CASE("whoever waits for the next deadline is told when it becomes earlier") {
    server s;
    int told = 0;
    s.core.on_deadline([&] { ++told; });
    s({"SET", "k", "v"});
    CHECK(told == 0);
    s({"SET", "k", "v", "EX", "100"});
    CHECK(told == 1);
    s({"SET", "later", "v", "EX", "200"});
    CHECK(told == 1);
    s({"EXPIRE", "later", "50"});
    CHECK(told == 2);
}

TEST_CASE("a deadline that cannot be counted in microseconds never comes") {
    server s;
    CHECK(s({"SET", "k", "v", "PXAT", "9223372036854775807"}) == "+OK\r\n");
    CHECK_FALSE(s.core.next_deadline());
    CHECK(s({"PEXPIRETIME", "k"}) == ":9223372036854775807\r\n");
    CHECK(s({"EXPIRETIME", "k"}) == ":9223372036854776\r\n");
}

TEST_CASE("a password is asked for, and the limits are small until it is given") {
    server s({.password = "secret"});
    CHECK(s({"PING"}) == "-NOAUTH Authentication required.\r\n");
    CHECK(s({"AUTH", "wrong"}).starts_with("-WRONGPASS"));
    server impatient({.password = "secret"});
    CHECK(impatient.raw("*11\r\n") == "-ERR Protocol error: unauthenticated multibulk length\r\n");
    CHECK(s.raw("AUTH secret\r\n*11\r\n") == "+OK\r\n");
    CHECK(s.last.what == engine::progress::need_more);
}

TEST_CASE("sessions are counted, and gone when their handle is") {
    server s;
    CHECK(s.core.sessions() == 1);
    {
        auto const other = s.core.open({.address = "10.0.0.1:5"});
        CHECK(s.core.sessions() == 2);
        CHECK(s({"CLIENT", "LIST"}).find("addr=10.0.0.1:5") != std::string::npos);
    }
    CHECK(s.core.sessions() == 1);
}

TEST_CASE("counts: commands, errors, hits and misses, what is not supported") {
    server s;
    s({"SET", "k", "v"});
    s({"GET", "k"});
    s({"GET", "nosuch"});
    s({"GET"});
    s({"NOSUCH", "x"});
    s({"CLIENT", "NOSUCH"});
    s({"nosuch"});
    auto const& n = s.core.counts();
    CHECK(n.commands == 3);  // as in Redis, those that got past the gates
    CHECK(n.errors == 4);
    CHECK(n.keyspace_hits == 1);
    CHECK(n.keyspace_misses == 1);
    CHECK(s.core.unsupported() == std::map<std::string, std::uint64_t>{{"client|nosuch", 1}, {"nosuch", 2}});
}

TEST_CASE("what would need Redis' file format is refused in words, and counted as not supported") {
    server s;
    CHECK(s({"Dump", "k"}) ==
          "-ERR DUMP is not supported: this server has no RDB format. COPY duplicates a key\r\n");
    CHECK(s({"RESTORE", "k", "0", "x"}) ==
          "-ERR RESTORE is not supported: this server has no RDB format\r\n");
    CHECK(s({"COMMAND", "INFO", "dump"}) == "*1\r\n$-1\r\n");
    s({"MULTI"});
    s({"DUMP", "k"});
    CHECK(s({"EXEC"}).starts_with("-EXECABORT"));
    CHECK(s.core.unsupported() == std::map<std::string, std::uint64_t>{{"dump", 2}, {"restore", 1}});
}

TEST_CASE("the same seed gives the same picks") {
    auto const play = [](std::uint64_t seed) {
        server s({.seed = seed});
        for (int i = 0; i < 100; ++i) s({"SADD", "s", "member:" + std::to_string(i)});
        std::string picks;
        for (int i = 0; i < 20; ++i) picks += s({"SPOP", "s"});
        return picks;
    };
    CHECK(play(1) == play(1));
    CHECK(play(1) != play(2));
}

TEST_CASE("emulating 7.2 changes what 7.2 changed") {
    server old, fresh({.emulate = emulation::redis_7_2});
    CHECK(old({"CLIENT", "SETINFO", "LIB-NAME", "x"}) ==
          "-ERR unknown subcommand 'SETINFO'. Try CLIENT HELP.\r\n");
    CHECK(fresh({"CLIENT", "SETINFO", "LIB-NAME", "x"}) == "+OK\r\n");
    for (auto* s : {&old, &fresh}) (*s)({"ZADD", "z", "3.1", "m"});
    CHECK(old({"ZSCORE", "z", "m"}) == "$18\r\n3.1000000000000001\r\n");
    CHECK(fresh({"ZSCORE", "z", "m"}) == "$3\r\n3.1\r\n");
}

TEST_CASE("SCAN returns every key that stays while others come and go") {
    server s({.seed = 1});
    for (int i = 0; i < 300; ++i) s({"SET", "stay:" + std::to_string(i), "v"});
    std::string cursor = "0", all;
    int fresh = 0;
    do {
        auto const reply = s({"SCAN", cursor, "COUNT", "7"});
        all += reply;
        auto const begin = reply.find("\r\n", 4) + 2;
        cursor = reply.substr(begin, reply.find("\r\n", begin) - begin);
        for (int i = 0; i < 40; ++i) s({"SET", "fresh:" + std::to_string(fresh++), "v"});
        if (fresh % 3 == 0)
            for (int i = 0; i < fresh; ++i) s({"DEL", "fresh:" + std::to_string(i)});
    } while (cursor != "0");
    int found = 0;
    for (int i = 0; i < 300; ++i)
        found += all.find("\r\nstay:" + std::to_string(i) + "\r\n") != std::string::npos;
    CHECK(found == 300);
}
