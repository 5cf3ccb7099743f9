#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "engine_client.hpp"
#include <respkit/server/rule.hpp>
#include <respkit/server/rule_builder.hpp>

using namespace respkit;
using namespace std::chrono_literals;
using respkit::test::client;
using respkit::test::server;

namespace {

// A rule set through the wire, as "ON GET ERROR …".
std::string set(client& c, std::string_view text) {
    return c.raw("RESPKIT RULE ADD " + std::string(text) + "\r\n");
}

rule parsed(std::string_view line) { return parse_rules(line, "rules").at(0); }

std::string complaint(std::string_view text) {
    try {
        parse_rules(text, "rules");
    } catch (std::invalid_argument const& bad) {
        return bad.what();
    }
    return "(none)";
}

constexpr std::string_view loading = "-LOADING Redis is loading the dataset in memory\r\n";

}  // namespace

TEST_CASE("a rule acts so many times, then the server answers as ever") {
    server s;
    client c(s);
    c({"SET", "user:1", "ann"});
    CHECK(set(c, "ON GET TIMES 2 ERROR \"LOADING Redis is loading the dataset in memory\"") == ":1\r\n");
    CHECK(c({"GET", "user:1"}) == loading);
    CHECK(c({"get", "user:1"}) == loading);
    CHECK(c({"GET", "user:1"}) == "$3\r\nann\r\n");
}

TEST_CASE("the first rule that matches and still may acts, and the others do not hear of it") {
    server s;
    client c(s);
    set(c, "ON GET TIMES 1 ERROR \"ERR first\"");
    set(c, "ON G* TIMES 1 ERROR \"ERR second\"");
    set(c, "ON * ERROR \"ERR third\"");
    CHECK(c({"GET", "k"}) == "-ERR first\r\n");
    CHECK(c({"GET", "k"}) == "-ERR second\r\n");
    CHECK(c({"GET", "k"}) == "-ERR third\r\n");
    CHECK(c.raw("RESPKIT RULE LIST\r\n").find("$7\r\nmatched\r\n:1\r\n$5\r\nacted\r\n:1\r\n") !=
          std::string::npos);
    CHECK(c.raw("RESPKIT RULE DELETE 3\r\nRESPKIT RULE DELETE 3\r\n") == ":1\r\n:0\r\n");
    CHECK(c({"GET", "k"}) == "$-1\r\n");
}

TEST_CASE("which requests: by key, argument, name, connection, database and subcommand") {
    struct row {
        std::string_view rule;
        std::vector<std::string_view> met, not_met;
    };
    for (auto const& r : {
             row{"ON GET KEY user:*", {"GET user:1"}, {"GET x", "SET user:1 y", "GET"}},
             row{"ON SET ARG 2 secret", {"SET k secret"}, {"SET k open", "SET secret open"}},
             row{"ON client|getname", {"CLIENT GETNAME", "client getname"}, {"CLIENT ID"}},
             row{"ON client", {"CLIENT GETNAME", "CLIENT ID"}, {"PING"}},
             row{"ON h?et", {"HSET h f v", "HGET h f"}, {"HGETALL h"}},
             row{"ON nosuch", {"NOSUCH x"}, {"PING"}},
         }) {
        server s;
        client c(s);
        set(c, std::string(r.rule) + " SIMPLE met");
        for (auto const words : r.met) CHECK(c.raw(std::string(words) + "\r\n") == "+met\r\n");
        for (auto const words : r.not_met) CHECK(c.raw(std::string(words) + "\r\n") != "+met\r\n");
    }
    server s;
    client a(s), b(s);
    b({"CLIENT", "SETNAME", "worker-1"});
    set(a, "ON ECHO CLIENT worker* SIMPLE worker");
    set(a, "ON ECHO DB 3 SIMPLE third");
    set(a, "ON ECHO CONNECTION " + a.id + " SIMPLE me");
    CHECK(b({"ECHO", "x"}) == "+worker\r\n");
    CHECK(a({"ECHO", "x"}) == "+me\r\n");
    a({"SELECT", "3"});
    CHECK(a({"ECHO", "x"}) == "+third\r\n");
}

TEST_CASE("which of them: the nth, a seeded share, one thing after the other") {
    server s({.seed = 7});
    client c(s);
    set(c, "ON PING NTH 3 SIMPLE third");
    CHECK(c.raw("PING\r\nPING\r\nPING\r\nPING\r\n") == "+PONG\r\n+PONG\r\n+third\r\n+PONG\r\n");
    set(c, "ON ECHO SIMPLE one THEN BULK two THEN PROCEED");
    CHECK(c.raw("ECHO x\r\nECHO x\r\nECHO x\r\nECHO x\r\n") == "+one\r\n$3\r\ntwo\r\n$1\r\nx\r\n$1\r\nx\r\n");
    set(c, "ON GET CHANCE 25% SIMPLE hit");
    int hits = 0;
    for (int i = 0; i < 1000; ++i) hits += c({"GET", "k"}) == "+hit\r\n";
    CHECK(hits > 200);
    CHECK(hits < 300);
}

TEST_CASE("answers of every kind, spelled for the protocol") {
    server s;
    client c(s);
    set(c,
        "ON PING ERROR \"ERR no\" THEN SIMPLE yes THEN BULK \"a\\r\\nb\" THEN INTEGER -7 THEN NIL THEN "
        "RAW \"*1\\r\\n:1\\r\\n\" THEN NOREPLY THEN PUSH \">1\\r\\n+hi\\r\\n\"");
    c({"HELLO", "3"});
    std::string all;
    for (int i = 0; i < 8; ++i) all += c({"PING"});
    CHECK(all == "-ERR no\r\n+yes\r\n$4\r\na\r\nb\r\n:-7\r\n_\r\n*1\r\n:1\r\n>1\r\n+hi\r\n+PONG\r\n");
    c({"HELLO", "2"});
    set(c, "ON PING NIL");
    CHECK(c({"PING"}) == "$-1\r\n");
}

TEST_CASE("a delay holds its own client's later requests and nobody else's") {
    server s;
    client slow(s), other(s);
    set(slow, "ON SET DELAY 50ms");
    CHECK(slow.raw("SET k 1\r\nGET k\r\n") == "");
    CHECK(slow.waits());
    CHECK(other({"GET", "k"}) == "$-1\r\n");  // not run yet
    s.time.advance(49ms);
    s.core.run_due();
    CHECK(slow.news() == "");
    s.time.advance(1ms);
    s.core.run_due();
    CHECK(slow.wakes > 0);
    CHECK(slow.news() == "+OK\r\n$1\r\n1\r\n");
}

TEST_CASE("a reply that is held back has been worked out before") {
    server s;
    client slow(s), other(s);
    set(slow, "ON INCR HOLD 10ms..20ms");
    CHECK(slow({"INCR", "n"}) == "");
    CHECK(other({"GET", "n"}) == "$1\r\n1\r\n");
    s.time.advance(20ms);
    s.core.run_due();
    CHECK(slow.news() == ":1\r\n");
}

TEST_CASE("a reply is cut, and the connection ends behind it") {
    for (std::string_view const ending : {"CLOSE", "RESET"}) {
        server s;
        client setter(s), c(s);
        setter({"SET", "k", "value"});
        set(setter, "ON GET PREFIX 7 " + std::string(ending));
        c.raw("PING\r\nGET k\r\nPING\r\n");
        CHECK_FALSE(c.ended);
        CHECK(c.news() == "$5\r\nval");
        CHECK(c.ended);
        CHECK(c.reset == (ending == "RESET"));
    }
}

TEST_CASE("a reply comes in pieces, and nothing gets between them") {
    server s;
    client c(s), other(s);
    c({"HELLO", "3"});
    c({"SUBSCRIBE", "news"});
    set(other, "ON ECHO SPLIT 3 GAP 1ms");
    CHECK(c.raw("ECHO hello\r\nPING\r\n") == "");
    CHECK(c.news() == "$5\r");
    other({"PUBLISH", "news", "late"});
    CHECK(c.news() == "");
    std::string rest;
    for (int i = 0; i < 10; ++i) {
        s.time.advance(1ms);
        s.core.run_due();
        rest += c.news();
    }
    CHECK(rest == "\nhello\r\n+PONG\r\n>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$4\r\nlate\r\n");
}

TEST_CASE("without a gap a piece goes out at every turn") {
    server s;
    client c(s);
    set(c, "ON PING SPLIT 1");
    c({"PING"});
    std::string pieces;
    while (c.waits()) pieces += c.news() + '|';
    CHECK(pieces == "+|P|O|N|G|\r|\n|");
}

TEST_CASE("inside MULTI a rule meets requests where they arrive, and an error spoils the transaction") {
    server s;
    client c(s);
    set(c, "ON SET TIMES 1 ERROR \"OOM command not allowed when used memory > 'maxmemory'.\"");
    CHECK(c.raw("MULTI\r\nSET k 1\r\nSET k 2\r\nEXEC\r\n") ==
          "+OK\r\n-OOM command not allowed when used memory > 'maxmemory'.\r\n+QUEUED\r\n"
          "-EXECABORT Transaction discarded because of previous errors.\r\n");
}

TEST_CASE("a blocked client is served as it is, once the delay before is over") {
    server s;
    client c(s), other(s);
    set(c, "ON BLPOP DELAY 5ms SPLIT 1");
    CHECK(c({"BLPOP", "q", "0"}) == "");
    s.time.advance(5ms);
    s.core.run_due();
    CHECK(c.news() == "");
    other({"RPUSH", "q", "x"});
    CHECK(c.news() == "*2\r\n$1\r\nq\r\n$1\r\nx\r\n");
}

TEST_CASE("a rule of a connection's own ends with it, a client that is held up may leave") {
    server s;
    client a(s);
    {
        client b(s);
        set(b, "ON PING MINE ERROR \"ERR mine\"");
        set(a, "ON ECHO DELAY 1s");
        CHECK(a({"PING"}) == "-ERR mine\r\n");
        b({"ECHO", "x"});
        CHECK(b.waits());
    }
    CHECK(a({"PING"}) == "+PONG\r\n");
    s.time.advance(2s);
    s.core.run_due();
}

TEST_CASE("CLIENT PAUSE and a rule: each request is met once") {
    server s;
    client a(s), b(s);
    set(a, "ON SET SIMPLE never TIMES 1 NTH 2");
    a({"CLIENT", "PAUSE", "100"});
    CHECK(b({"SET", "k", "1"}) == "");
    s.time.advance(101ms);
    s.core.run_due();
    CHECK(b.news() == "+OK\r\n");
    CHECK(b({"SET", "k", "2"}) == "+never\r\n");
}

TEST_CASE("states refuse what Redis refuses in them") {
    struct row {
        std::string_view state, request, reply;
    };
    constexpr std::string_view down =
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n";
    constexpr std::string_view readonly = "-READONLY You can't write against a read only replica.\r\n";
    constexpr std::string_view replicas = "-NOREPLICAS Not enough good replicas to write.\r\n";
    constexpr std::string_view oom = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
    constexpr std::string_view aborted = "-EXECABORT Transaction discarded because of previous errors.\r\n";
    auto const in_multi = [&](std::string_view refusal) {
        return "+OK\r\n" + std::string(refusal) + std::string(aborted);
    };
    for (auto const& r : {
             row{"LOADING", "GET k", loading},
             row{"LOADING", "PING", loading},
             row{"LOADING", "ECHO x", "$1\r\nx\r\n"},
             row{"LOADING", "PUBLISH a b", ":0\r\n"},
             row{"READONLY", "SET k 1", readonly},
             row{"READONLY", "GET k", "$-1\r\n"},
             row{"READONLY", "PUBLISH a b", ":0\r\n"},
             row{"MASTERDOWN", "GET k", down},
             row{"MASTERDOWN", "PING", down},
             row{"MASTERDOWN", "SET k 1", readonly},
             row{"MASTERDOWN", "ECHO x", "$1\r\nx\r\n"},
             row{"NOREPLICAS", "SET k 1", replicas},
             row{"NOREPLICAS", "GET k", "$-1\r\n"},
             row{"OOM", "SET k 1", oom},
             row{"OOM", "GET k", "$-1\r\n"},
             row{"OOM", "DEL k", ":0\r\n"},
         }) {
        server s;
        client c(s);
        CHECK(c({"RESPKIT", "STATE", r.state}) == "+OK\r\n");
        CHECK_MESSAGE(c.raw(std::string(r.request) + "\r\n") == r.reply, r.state, ": ", r.request);
        c({"RESPKIT", "STATE", "NORMAL"});
        CHECK(c({"GET", "k"}) == "$-1\r\n");
    }
    server s;
    client c(s);
    c({"RESPKIT", "STATE", "OOM"});
    CHECK(c.raw("MULTI\r\nGET k\r\nEXEC\r\n") == in_multi(oom));
    c({"RESPKIT", "STATE", "NOREPLICAS"});
    CHECK(c.raw("MULTI\r\nSET k 1\r\nEXEC\r\n") == in_multi(replicas));
    CHECK(c.raw("MULTI\r\nGET k\r\nEXEC\r\n") == "+OK\r\n+QUEUED\r\n*1\r\n$-1\r\n");
}

TEST_CASE("a rule reads back as it is printed") {
    for (std::string_view const line : {
             "ON * PROCEED",
             "ON get KEY user:* TIMES 1 ERROR \"LOADING Redis is loading\"",
             "ON client|kill ARG 2 \"a b\" CLIENT w* CONNECTION 7 DB 3 NTH 2 CHANCE 0.25 TIMES 4 EXPECT 2 "
             "MINE DELAY 5ms..20ms PUSH \">0\\r\\n\" RAW \"\\x00\\r\\n\" HOLD EXP 1500us PREFIX 0 SPLIT 1 "
             "GAP 1s RESET",
             "ON ping TIMES 3 SIMPLE a THEN NIL THEN INTEGER -5 CLOSE",
             "ON ping BULK \"\"",
             "ON ping NOREPLY",
         })
        CHECK(print_rule(parsed(line)) == line);
    CHECK(print_rule(parsed("on PING chance 10% delay 50 bandwidth 1000")) ==
          "ON ping CHANCE 0.1 DELAY 50ms PROCEED SPLIT 10 GAP 10ms");
}

TEST_CASE("a rule that cannot be read says where and why") {
    CHECK(complaint("# rules\n\n  ON GET ERROR \"ERR x\"\r\n") == "(none)");
    CHECK(complaint("GET ERROR x") == "rules:1:1: a rule begins with ON and a command");
    CHECK(complaint("*1") == "rules:1:1: a rule begins with ON and a command");
    CHECK(complaint("\nON") == "rules:2:3: ON wants a command's name or pattern");
    CHECK(complaint("ON GET ERROR \"x\ny\"") ==
          "rules:1:16: a quote is not closed, or text follows a closing quote");
    CHECK(complaint("ON GET TIMES 0") == "rules:1:14: TIMES wants a number of 1 or more, not '0'");
    CHECK(complaint("ON GET DELAY soon") == "rules:1:14: DELAY wants a time like 50ms, not 'soon'");
    CHECK(complaint("ON GET DELAY 9ms..1ms") == "rules:1:14: DELAY wants the shorter time first");
    CHECK(complaint("ON GET CHANCE 110%") == "rules:1:15: CHANCE wants a share like 10% or 0.1, not '110%'");
    CHECK(complaint("ON GET INTEGER x") == "rules:1:16: INTEGER wants a whole number, not 'x'");
    CHECK(complaint("ON GET ERROR \"a\\nb\"") ==
          "rules:1:14: a line end in a reply of one line: RAW sends any bytes");
    CHECK(complaint("ON GET NIL BULK x") ==
          "rules:1:12: one answer to a request: this is the second; THEN separates what happens in turn");
    CHECK(complaint("ON GET NIL THEN") == "rules:1:16: THEN wants an action behind it");
    CHECK(complaint("ON GET PUSH") == "rules:1:12: PUSH wants the bytes of a RESP3 frame");
    CHECK(complaint("ON \"a b\" \"c\\\" d\" NIL").starts_with("rules:1:10: unknown word 'c\" d'"));
    server s;
    client c(s);
    CHECK(set(c, "ON GET TIMES x") ==
          "-ERR word 4 of the rule: TIMES wants a number of 1 or more, not 'x'\r\n");
}

TEST_CASE("times are written with their unit, or mean milliseconds") {
    CHECK(parse_duration("250us") == 250us);
    CHECK(parse_duration("1.5s") == 1500ms);
    CHECK(parse_duration("2m") == 120s);
    CHECK(parse_duration("7") == 7ms);
    for (auto const bad : {"", "ms", "-1ms", "1h", "nan", "1e300s", "1 s"}) CHECK_FALSE(parse_duration(bad));
}

TEST_CASE("rules are told of when they have not happened") {
    server s;
    client c(s);
    set(c, "ON SET EXPECT 2");
    set(c, "ON GET TIMES 1 EXPECT 1 NIL");
    c({"SET", "k", "v"});
    c({"GET", "k"});
    CHECK(s.core.unmet() ==
          std::vector<std::string>{"expected 2 times, happened 1: ON set EXPECT 2 PROCEED"});
    c({"SET", "k", "v"});
    CHECK(c.raw("RESPKIT RULE UNMET\r\n") == "*0\r\n");
}

TEST_CASE("a rule said in C++ is the rule said in words") {
    std::string said;
    auto const keep = [&](rule r) {
        said = print_rule(r);
        return std::uint64_t{5};
    };
    rule_builder("GET", keep)
        .key("user:*")
        .db(2)
        .times(1)
        .expect(1)
        .delay(5ms, 20ms)
        .error("ERR x")
        .prefix(3)
        .reset();
    CHECK(said == "ON get KEY user:* DB 2 TIMES 1 EXPECT 1 DELAY 5ms..20ms ERROR \"ERR x\" PREFIX 3 RESET");
    CHECK(rule_builder("*", keep).nil().then().raw("\r").split(2, 1ms).set() == 5);
    CHECK(said == "ON * TIMES 2 NIL THEN RAW \"\\r\" SPLIT 2 GAP 1ms");
    CHECK_THROWS_AS(rule_builder("*", keep).error("a\nb"), std::invalid_argument);
    CHECK_THROWS_AS(rule_builder("*", {}).set(), std::logic_error);
}
