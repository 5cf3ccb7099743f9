// RESPKIT commands and the journal, byte for byte.
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "engine_client.hpp"
#include <respkit/resp/text.hpp>

using namespace respkit;
using namespace std::chrono_literals;
using respkit::test::client;
using respkit::test::server;

namespace {

std::string printed(std::string const& bytes) {
    auto const v = resp::parse_value(bytes);
    return v ? resp::print(*v) : "(nothing)";
}

}  // namespace

TEST_CASE("the journal is off until it is asked for, and keeps words and replies") {
    server s;
    client c(s);
    CHECK(c.raw("RESPKIT CALLS\r\n") == "-ERR the journal is off: RESPKIT CALLS ON starts it\r\n");
    CHECK(c.raw("RESPKIT CALLS ON\r\n") == "+OK\r\n");
    s.time.set(clock::time_point(1700000000s));
    c({"CLIENT", "SETNAME", "writer"});
    c({"SELECT", "2"});
    c({"set", "k", std::string_view("\0\r\n", 3)});
    c({"HELLO", "3"});
    CHECK(printed(c.raw("RESPKIT CALLS LIST COMMAND SET\r\n")) ==
          "[{\"sequence\": (integer) 3, \"time\": (integer) 1700000000000000, \"connection\": (integer) 1, "
          "\"client\": \"writer\", \"db\": (integer) 2, \"words\": [\"set\", \"k\", \"\\x00\\r\\n\"], "
          "\"reply\": \"+OK\\r\\n\", \"rule\": (integer) 0}]");
    CHECK(c.raw("RESPKIT CALLS COUNT\r\n") == ":4\r\n");
    CHECK(c.raw("RESPKIT CALLS COUNT COMMAND client|setname\r\n") == ":1\r\n");
    CHECK(c.raw("RESPKIT CALLS COUNT CLIENT wr* DB 2 AFTER 3\r\n") == ":1\r\n");
    CHECK(c.raw("RESPKIT CALLS COUNT CONNECTION 9\r\n") == ":0\r\n");
    CHECK(c.raw("RESPKIT CALLS COUNT COLOUR red\r\n") == "-ERR value is not an integer or out of range\r\n");
    CHECK(c.raw("RESPKIT CALLS COUNT COLOUR 1\r\n") ==
          "-ERR unknown filter 'COLOUR': COMMAND, CLIENT, CONNECTION, DB or AFTER\r\n");
    CHECK(c.raw("RESPKIT CALLS COUNT DB\r\n") == "-ERR DB wants a value\r\n");
    c.raw("RESPKIT CALLS CLEAR\r\nRESPKIT CALLS OFF\r\nPING\r\n");
    c.raw("RESPKIT CALLS ON 2\r\n");
    c.raw("ECHO 1\r\nECHO 2\r\nECHO 3\r\n");
    CHECK(c.raw("RESPKIT CALLS COUNT\r\n") == ":2\r\n");
}

TEST_CASE("the journal has the replies of clients that were blocked, delayed or refused, and the rule") {
    server s({.journal = true});
    client c(s), other(s);
    c({"BLPOP", "q", "0"});
    CHECK(s.core.calls({.command = "blpop"}).at(0).reply == "");
    other({"RPUSH", "q", "x"});
    CHECK(s.core.calls({.command = "blpop"}).at(0).reply == "*2\r\n$1\r\nq\r\n$1\r\nx\r\n");
    c.news();
    other.raw("RESPKIT RULE ADD ON GET DELAY 1ms ERROR \"ERR later\"\r\n");
    c({"GET", "k"});
    s.time.advance(1ms);
    s.core.run_due();
    c.news();
    auto const get = s.core.calls({.command = "get"}).at(0);
    CHECK(get.reply == "-ERR later\r\n");
    CHECK(get.rule == 1);
    c({"BLPOP", "q", "0.1"});
    s.time.advance(200ms);
    s.core.run_due();
    CHECK(s.core.calls({.command = "blpop"}).at(1).reply == "*-1\r\n");
    other({"CLIENT", "PAUSE", "50", "ALL"});
    c.news();
    c({"ECHO", "held"});
    s.time.advance(51ms);
    s.core.run_due();
    CHECK(c.news() == "$4\r\nheld\r\n");
    auto const echo = s.core.calls({.command = "echo"});
    REQUIRE(echo.size() == 1);
    CHECK(echo[0].reply == "$4\r\nheld\r\n");
}

TEST_CASE("the journal is bounded in bytes") {
    server s({.journal = true});
    client c(s);
    std::string const big(std::size_t{1} << 20, 'x');
    for (int i = 0; i < 200; ++i) c({"ECHO", big});
    auto const calls = s.core.calls({});
    CHECK(calls.size() > 20);
    CHECK(calls.size() < 40);
    CHECK(calls.back().words[1] == big);
}

TEST_CASE("RESPKIT WAIT answers once it is so, or in time") {
    server s({.journal = true});
    client c(s), other(s), third(s);
    CHECK(c.raw("RESPKIT WAIT CALLS 0 1s\r\n") == ":1\r\n");
    CHECK(c.raw("RESPKIT WAIT CALLS 2 1s COMMAND get\r\nPING\r\n") == "");
    other({"GET", "a"});
    CHECK(c.news() == "");
    other({"GET", "b"});
    CHECK(c.news() == ":1\r\n+PONG\r\n");
    CHECK(c.raw("RESPKIT WAIT BLOCKED 1 1s\r\n") == "");
    other({"BLPOP", "q", "0"});
    CHECK(c.news() == ":1\r\n");
    CHECK(c.raw("RESPKIT WAIT SUBSCRIBED news 1 1s\r\n") == "");
    third({"SUBSCRIBE", "news"});
    CHECK(c.news() == ":1\r\n");
    CHECK(c.raw("RESPKIT WAIT CONNECTED 4 100ms\r\n") == "");
    s.time.advance(100ms);
    s.core.run_due();
    CHECK(c.news() == ":0\r\n");
    CHECK(c.raw("RESPKIT WAIT CONNECTED 4 100ms\r\n") == "");
    client fourth(s);
    CHECK(c.news() == ":1\r\n");
    CHECK(c.raw("MULTI\r\nRESPKIT WAIT BLOCKED 5 1s\r\nEXEC\r\n") == "+OK\r\n+QUEUED\r\n*1\r\n:0\r\n");
    for (auto const bad : {"RESPKIT WAIT RAIN 1 1s", "RESPKIT WAIT BLOCKED 1 soon", "RESPKIT WAIT CALLS x 1s",
                           "RESPKIT WAIT SUBSCRIBED news 1", "RESPKIT WAIT BLOCKED 1 1s DB 1"})
        CHECK(c.raw(std::string(bad) + "\r\n").starts_with("-ERR "));
    {
        client leaves(s);
        leaves.raw("RESPKIT WAIT BLOCKED 9 1s\r\n");
    }
    s.time.advance(2s);
    s.core.run_due();
}

TEST_CASE("RESPKIT CLOCK moves expiry and blocked clients along") {
    server s;
    client c(s), other(s);
    c({"SET", "k", "v", "PX", "1000"});
    other({"BLPOP", "q", "5"});
    auto const now = std::stoll(c.raw("RESPKIT CLOCK\r\n").substr(1));
    CHECK(c.raw("RESPKIT CLOCK ADVANCE 10s\r\n") == ':' + std::to_string(now + 10'000'000) + "\r\n");
    CHECK(c({"GET", "k"}) == "$-1\r\n");
    CHECK(other.news() == "*-1\r\n");
    CHECK(c.raw("RESPKIT CLOCK SET 5000000\r\nTIME\r\n") == ":5000000\r\n*2\r\n$1\r\n5\r\n$1\r\n0\r\n");
    c.raw("RESPKIT CLOCK RESUME\r\n");
    CHECK_FALSE(s.time.frozen());
    c.raw("RESPKIT CLOCK FREEZE\r\n");
    CHECK(s.time.frozen());
    CHECK(c.raw("RESPKIT CLOCK ADVANCE later\r\n") ==
          "-ERR a time like 250us, 50ms, 1.5s or 2m is wanted, not 'later'\r\n");
    CHECK(c.raw("RESPKIT CLOCK BACK\r\n") ==
          "-ERR RESPKIT CLOCK knows NOW, ADVANCE time, SET microseconds, FREEZE and RESUME\r\n");
}

TEST_CASE("RESPKIT SEED makes picks repeat") {
    server s;
    client c(s);
    auto const picks = [&] {
        c({"FLUSHALL"});
        CHECK(c.raw("RESPKIT SEED 5\r\n") == "+OK\r\n");
        for (int i = 0; i < 50; ++i) c({"SADD", "s", std::to_string(i)});
        std::string all;
        for (int i = 0; i < 10; ++i) all += c({"SRANDMEMBER", "s"});
        return all;
    };
    CHECK(picks() == picks());
    CHECK(c.raw("RESPKIT SEED 5\r\n").starts_with("-ERR respkit: a seed is for a server without keys"));
    CHECK(c.raw("DEL s\r\nSET k v\r\nRESPKIT DUMP 0\r\n").find("k") != std::string::npos);
    CHECK(c.raw("RESPKIT DUMP 99\r\n") == "-ERR RESPKIT DUMP wants a database's number\r\n");
}

TEST_CASE("RESPKIT KILL and RESTART end clients and lose nothing") {
    server s;
    client c(s);
    client a(s), b(s);
    a({"CLIENT", "SETNAME", "worker-1"});
    c({"SET", "k", "v"});
    CHECK(c.raw("RESPKIT KILL CLIENT worker*\r\n") == ":1\r\n");
    a.news();
    CHECK(a.ended);
    CHECK(c.raw("RESPKIT KILL CONNECTION 77\r\n") == ":0\r\n");
    CHECK(c.raw("RESPKIT KILL\r\n") == ":1\r\n");
    b.news();
    CHECK(b.ended);
    client d(s);
    CHECK(c.raw("RESPKIT RESTART\r\nPING\r\n") == "+OK\r\n");
    CHECK(c.ended);
    d.news();
    CHECK(d.ended);
    client e(s);
    CHECK(e({"GET", "k"}) == "$1\r\nv\r\n");
    CHECK(e.raw("MULTI\r\nRESPKIT RESTART\r\nRESPKIT SEED 1\r\nDISCARD\r\n") ==
          "+OK\r\n-ERR Command not allowed inside a transaction\r\n"
          "-ERR Command not allowed inside a transaction\r\n+OK\r\n");
}

TEST_CASE("RESPKIT is for clients on this machine, and in none of Redis' lists") {
    server s;
    client far(s, {.address = "10.1.2.3:4567"});
    CHECK(far.raw("RESPKIT CLOCK\r\n") ==
          "-ERR RESPKIT is for clients on the server's own machine; --remote-control opens it to all\r\n");
    server open({.remote_control = true});
    client welcome(open, {.address = "10.1.2.3:4567"});
    CHECK(welcome.raw("RESPKIT STATE\r\n") == "+normal\r\n");
    client c(s);
    CHECK(c.raw("COMMAND LIST\r\n").find("respkit") == std::string::npos);
    CHECK(c.raw("COMMAND\r\n").find("respkit") == std::string::npos);
    CHECK(c.raw("COMMAND DOCS\r\n").find("$7\r\nrespkit\r\n") == std::string::npos);
    CHECK(c.raw("ACL CAT dangerous\r\n").find("respkit") == std::string::npos);
    CHECK(c.raw("INFO commandstats\r\n").find("respkit") == std::string::npos);
    CHECK(c.raw("RESPKIT HELP\r\n").find("+UNSUPPORTED\r\n") != std::string::npos);
    CHECK(c.raw("RESPKIT\r\n") == "-ERR wrong number of arguments for 'respkit' command\r\n");
    CHECK(c.raw("RESPKIT DANCE\r\n") == "-ERR unknown subcommand 'DANCE'. Try RESPKIT HELP.\r\n");
    CHECK(c.raw("RESPKIT STATE ILL\r\n") ==
          "-ERR a state is NORMAL, LOADING, READONLY, MASTERDOWN, NOREPLICAS or OOM\r\n");
}

TEST_CASE("RESPKIT UNSUPPORTED counts what was asked for and is not here") {
    server s;
    client c(s);
    c.raw("NOSUCH a\r\nnosuch b\r\nCLIENT DANCE\r\n");
    CHECK(c.raw("RESPKIT UNSUPPORTED\r\n") == "*4\r\n$12\r\nclient|dance\r\n:1\r\n$6\r\nnosuch\r\n:2\r\n");
}

TEST_CASE("no rule and no journal meets RESPKIT itself") {
    server s({.journal = true});
    client c(s);
    CHECK(c.raw("RESPKIT RULE ADD ON * ERROR \"ERR all\"\r\nRESPKIT RULE CLEAR\r\nPING\r\n") ==
          ":1\r\n+OK\r\n+PONG\r\n");
    CHECK(s.core.calls({}).size() == 2);  // CLIENT ID and PING
}
