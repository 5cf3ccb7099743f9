// Scripts registered in C++: what EVAL makes of them, as clients see it.
#include <stdexcept>

#include <doctest/doctest.h>

#include "engine_client.hpp"
#include <respkit/resp/value.hpp>
#include <respkit/server/digest.hpp>

namespace {

using namespace std::string_literals;
using respkit::script_call;
using respkit::resp::type;
using respkit::resp::value;
using respkit::test::client;
using respkit::test::server;

std::string bulk(std::string const& text) {
    return '$' + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}
std::string place(std::string const& body) {
    return " script: " + respkit::sha1(body) + ", on @user_script:1.\r\n";
}

}  // namespace

TEST_CASE("digests") {
    CHECK(respkit::sha1("return 1") == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
    CHECK(respkit::sha1(std::string(119, 'a')) == "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56");
    CHECK(respkit::sha256("pw") == "30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4");
    CHECK(respkit::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a script that is registered runs, by its text and by its SHA1") {
    server s;
    client a(s);
    auto const sha = s.core.add_script("return redis.call('incrby', KEYS[1], ARGV[1])", [](script_call& c) {
        return c.call({"INCRBY", c.key(0), c.arg(0)});
    });
    CHECK(a({"EVALSHA", sha, "1", "k", "5"}) == ":5\r\n");
    CHECK(a({"EVAL", "return redis.call('incrby', KEYS[1], ARGV[1])", "1", "k", "2"}) == ":7\r\n");
    CHECK(a({"SCRIPT", "EXISTS", sha}) == "*1\r\n:1\r\n");
    CHECK(a({"SCRIPT", "FLUSH"}) == "+OK\r\n");
    CHECK(a({"EVALSHA", sha, "1", "k", "5"}) == "-NOSCRIPT No matching script. Please use EVAL.\r\n");
    CHECK(a({"SCRIPT", "LOAD", "return redis.call('incrby', KEYS[1], ARGV[1])"}) == bulk(sha));
    CHECK(a({"EVALSHA", sha, "1", "k", "1"}) == ":8\r\n");

    CHECK(s.core.add_script("E0E1F9FABFC9D4800C877A703B823AC0578FF8DB", [](script_call&) {
        return value::of("one");
    }) == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
    CHECK(a({"EVAL", "return 1", "0"}) == bulk("one"));
}

TEST_CASE("a script that nobody has registered is refused with its SHA1") {
    server s;
    client a(s);
    auto const refusal =
        "-ERR this server runs no Lua: register what the script does in C++, with "
        "engine::add_script for its SHA1 " +
        respkit::sha1("return 1") + "\r\n";
    CHECK(a({"EVAL", "return 1", "0"}) == refusal);
    CHECK(a({"EVAL_RO", "return 1", "0"}) == refusal);
    CHECK(a({"SCRIPT", "LOAD", "return 1"}) == refusal);
    CHECK(a({"FUNCTION", "LOAD", "#!lua name=x"}).starts_with("-ERR FUNCTION LOAD is not supported: "));
    CHECK(a({"FUNCTION", "RESTORE", "x"}).starts_with("-ERR FUNCTION RESTORE is not supported: "));
    CHECK(s.core.unsupported().at("script " + respkit::sha1("return 1")) == 3);
    CHECK(s.core.unsupported().at("function|load") == 1);
}

TEST_CASE("what a script returns is converted as Lua's values are") {
    server s;
    client two(s), three(s);
    three({"HELLO", "3"});
    value next;
    s.core.add_script("body", [&](script_call&) { return next; });
    auto const both = [&](value v) {
        next = std::move(v);
        return two({"EVAL", "body", "0"}) + three({"EVAL", "body", "0"});
    };
    CHECK(both(value::of(3)) == ":3\r\n:3\r\n");
    CHECK(both(value::of("a\r\nb")) == bulk("a\r\nb") + bulk("a\r\nb"));
    CHECK(both({.null = true}) == "$-1\r\n_\r\n");
    CHECK(both({.type = type::boolean, .integer = 1}) == ":1\r\n:1\r\n");
    CHECK(both({.type = type::boolean}) == "$-1\r\n_\r\n");
    CHECK(both({.type = type::simple, .text = "fi\nne"}) == "+fi ne\r\n+fi ne\r\n");
    CHECK(both({.type = type::error, .text = "MY error"}) == "-MY error\r\n-MY error\r\n");
    CHECK(both({.type = type::real, .text = "3.5"}) == "$3\r\n3.5\r\n,3.5\r\n");
    CHECK(both({.type = type::verbatim, .text = "txt:x"}) == "$1\r\nx\r\n=5\r\ntxt:x\r\n");
    CHECK(both({.type = type::map, .items = {value::of("a"), value::of(1)}}) ==
          "*2\r\n$1\r\na\r\n:1\r\n%1\r\n$1\r\na\r\n:1\r\n");
    CHECK(both({.type = type::array, .items = {value::of(1), {.null = true}}}) ==
          "*2\r\n:1\r\n$-1\r\n*2\r\n:1\r\n_\r\n");
}

TEST_CASE("commands in a script") {
    server s;
    client a(s);
    a({"HELLO", "3"});
    a({"HSET", "h", "f", "v"});
    std::function<value(script_call&)> body;
    s.core.add_script("body", [&](script_call& c) { return body(c); });
    auto const run = [&](std::function<value(script_call&)> f, std::string_view how = "EVAL") {
        body = std::move(f);
        return a({how, "body", "1", "k", "x"});
    };

    // Replies come as RESP2 has them.
    CHECK(run([](script_call& c) { return c.call({"HGETALL", "h"}); }) == "*2\r\n$1\r\nf\r\n$1\r\nv\r\n");
    CHECK(run([](script_call& c) { return c.call({"GET", "none"}); }) == "_\r\n");

    // An error ends the script; pcall returns it.
    CHECK(run([](script_call& c) {
              return c.call({"INCR", "h"});
          }) == "-WRONGTYPE Operation against a key holding the wrong kind of value" + place("body"));
    CHECK(run([](script_call& c) {
              return c.pcall({"INCR", "h"});
          }) == "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n");
    CHECK(run([](script_call& c) { return c.call(std::initializer_list<std::string_view>{}); }) ==
          "-ERR Please specify at least one argument for this redis lib call" + place("body"));
    CHECK(run([](script_call& c) { return c.call({"NOSUCH"}); }) ==
          "-ERR Unknown Redis command called from script" + place("body"));
    CHECK(run([](script_call& c) { return c.call({"GET"}); }) ==
          "-ERR Wrong number of args calling Redis command from script" + place("body"));
    CHECK(run([](script_call& c) { return c.call({"MULTI"}); }) ==
          "-ERR This Redis command is not allowed from script" + place("body"));
    CHECK(run(
              [](script_call& c) {
                  return c.call({"SET", c.key(0), "1"});
              },
              "EVAL_RO") == "-ERR Write commands are not allowed from read-only scripts." + place("body"));
    CHECK(run([](script_call& c) {
              return c.call({"GET", c.key(1)});
          }) == "-ERR Lua redis lib command arguments must be strings or integers" + place("body"));
    CHECK(run([](script_call&) -> value { throw respkit::script_error("MINE no"); }) ==
          "-MINE no" + place("body"));
    CHECK(run([](script_call&) -> value { throw std::runtime_error("no"); }) == "-ERR no" + place("body"));
    CHECK(run([](script_call&) -> value { throw std::bad_alloc(); }).starts_with("-OOM "));

    // It selects for itself, and does not wait.
    CHECK(run([](script_call& c) {
              c.call({"SELECT", "3"});
              return c.call({"SET", "k", "in 3"});
          }) == "+OK\r\n");
    CHECK(a({"EXISTS", "k"}) == ":0\r\n");
    CHECK(run([](script_call& c) {
              return c.call({"BLMOVE", "l", "m", "LEFT", "LEFT", "0"});
          }) == "-ERR This Redis command is not allowed from script" + place("body"));
    CHECK_FALSE(a.waits());
    CHECK(a({"INFO", "errorstats"}).find("errorstat_WRONGTYPE:count=3") != std::string::npos);
}

TEST_CASE("others learn of what a script does") {
    server s;
    client a(s), waiting(s), watching(s), monitoring(s), listening(s);
    s.core.add_script("body", [](script_call& c) { return c.call({"RPUSH", c.key(0), "x"}); });
    a({"CONFIG", "SET", "notify-keyspace-events", "KEA"});
    listening({"SUBSCRIBE", "__keyspace@0__:q"});
    watching({"WATCH", "q"});
    waiting({"BLPOP", "q", "0"});
    monitoring({"MONITOR"});
    CHECK(a({"EVAL", "body", "1", "q"}) == ":1\r\n");
    CHECK(waiting.news() == "*2\r\n$1\r\nq\r\n$1\r\nx\r\n");
    CHECK(listening.news().find("rpush") != std::string::npos);
    auto const seen = monitoring.news();
    auto const eval = seen.find("] \"EVAL\" \"body\" \"1\" \"q\"\r\n"),
               push = seen.find(" [0 lua] \"RPUSH\"");
    CHECK(eval != std::string::npos);
    CHECK((push != std::string::npos && eval < push));
    watching({"MULTI"});
    watching({"PING"});
    CHECK(watching({"EXEC"}) == "*-1\r\n");

    a({"MULTI"});
    a({"EVAL", "body", "1", "p"});
    a({"LLEN", "p"});
    CHECK(a({"EXEC"}) == "*2\r\n:1\r\n:1\r\n");
}

TEST_CASE("what a script reads is tracked") {
    server s;
    client a(s), b(s);
    s.core.add_script("body", [](script_call& c) { return c.call({"GET", "other"}); });
    a({"HELLO", "3"});
    a({"CLIENT", "TRACKING", "ON"});
    a({"EVAL", "body", "1", "k"});
    b({"SET", "k", "1"});
    CHECK(a.news().empty());
    b({"SET", "other", "1"});
    CHECK(a.news() == ">2\r\n$10\r\ninvalidate\r\n*1\r\n$5\r\nother\r\n");
}
