#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "wire.hpp"
#include <respkit/server/dialogue.hpp>

using namespace respkit;
using namespace std::chrono_literals;
using respkit::test::wire;

namespace {

std::string complaint(std::string_view script) {
    try {
        dialogue d(script, "talk");
    } catch (std::invalid_argument const& bad) {
        return bad.what();
    }
    return "(none)";
}

}  // namespace

TEST_CASE("a dialogue goes as it is written") {
    dialogue d(R"(
        # a client that retries
        EXPECT SET user:* ...
        SEND SIMPLE OK
        EXPECT get k
        SEND RAW "$5\r\nhe"
        SLEEP 1ms
        SEND RAW "llo\r\n"
        EXPECT PING
        SEND ERROR "LOADING wait"
        CLOSE
        EXPECT RECONNECT
        EXPECT PING
        SEND INTEGER 7
        SEND NIL
        SEND BULK "a b"
        EXPECT CLOSE
    )");
    {
        wire c(d.port());
        c.send("*4\r\n$3\r\nSET\r\n$6\r\nuser:1\r\n$1\r\nx\r\n$2\r\nNX\r\nGET k\r\n");
        CHECK(c.receives("+OK\r\n$5\r\nhello\r\n"));
        c.send("PING\r\n");
        CHECK(c.receive_all() == "-LOADING wait\r\n");
    }
    {
        wire c(d.port());
        c.send("PING\r\n");
        CHECK(c.receives(":7\r\n$-1\r\n$3\r\na b\r\n"));
    }
    CHECK(d.finish() == std::nullopt);
}

TEST_CASE("RESET is a reset") {
    dialogue d("EXPECT PING\nSEND RAW +PO\nRESET\n");
    wire c(d.port());
    c.send("PING\r\n");
    CHECK(c.receive_all() == "+PO(reset)");
    CHECK(d.finish() == std::nullopt);
}

TEST_CASE("a client that goes its own way is told apart") {
    struct row {
        std::string_view script, sent, complaint;
    };
    for (auto const& r : {
             row{"EXPECT GET k\n", "SET k \"a b\"\r\n", "talk:1: expected GET k, got SET k \"a b\""},
             row{"\nEXPECT GET k ...\n", "GET\r\n", "talk:2: expected GET k ..., got GET"},
             row{"EXPECT GET\n", "*1\r\n+x\r\n",
                 "talk:1: expected GET, got what is no request: \"*1\\r\\n+x\\r\\n\""},
             row{"EXPECT GET\n", "GE", "talk:1: expected GET, the client hung up"},
             row{"EXPECT CLOSE\n", "PING\r\n", "talk:1: expected the client to hang up, got \"PING\\r\\n\""},
         }) {
        dialogue d(r.script, "talk");
        {
            wire c(d.port());
            c.send(r.sent);
            c.finish_sending();
            CHECK(c.receive_all() == "");
        }
        CHECK(d.finish() == r.complaint);
    }
    dialogue nobody("EXPECT PING\n", "talk", {.patience = 1ms});
    CHECK(nobody.finish() == "talk:1: no client came");
    dialogue silence("EXPECT PING\n", "talk", {.patience = 1ms});
    wire c(silence.port());
    CHECK(silence.finish().value_or("").starts_with("talk:1: "));
}

TEST_CASE("a dialogue can be left at any time") {
    auto d = std::make_unique<dialogue>("EXPECT PING\nSEND SIMPLE PONG\nSLEEP 10m\n");
    wire c(d->port());
    c.send("PING\r\n");
    CHECK(c.receives("+PONG\r\n"));
    d.reset();
    CHECK(c.receive_all() == "");
}

TEST_CASE("a script that cannot be read says where and why") {
    CHECK(complaint("EXPECT") == "talk:1:7: EXPECT wants a request's words, CLOSE or RECONNECT");
    CHECK(complaint("\nHELLO") == "talk:2:1: a step is EXPECT, SEND, SLEEP, CLOSE or RESET");
    CHECK(complaint("SEND") == "talk:1:5: SEND wants SIMPLE, ERROR, BULK, INTEGER, NIL or RAW");
    CHECK(complaint("SEND FLOAT 1") == "talk:1:6: SEND wants SIMPLE, ERROR, BULK, INTEGER, NIL or RAW");
    CHECK(complaint("SEND INTEGER x") == "talk:1:14: INTEGER wants a whole number");
    CHECK(complaint("SEND BULK") == "talk:1:10: SEND wants a kind and one text");
    CHECK(complaint("SLEEP long") == "talk:1:7: SLEEP wants a time like 50ms");
    CHECK(complaint("CLOSE now") == "talk:1:1: a step is EXPECT, SEND, SLEEP, CLOSE or RESET");
}
