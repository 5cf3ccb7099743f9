// What clients do to each other and are told of each other: CLIENT KILL, PAUSE, TRACKING with REDIRECT,
// MONITOR.
#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "engine_client.hpp"
#include "wire.hpp"
#include <respkit/resp/command.hpp>
#include <respkit/server/engine.hpp>
#include <respkit/server/mock.hpp>

using namespace respkit;
using respkit::test::client;
using respkit::test::server;
using respkit::test::wire;
using namespace std::chrono_literals;

namespace {

std::string invalidate(std::string const& key) {
    return ">2\r\n$10\r\ninvalidate\r\n*1\r\n$" + std::to_string(key.size()) + "\r\n" + key + "\r\n";
}
std::string message(std::string const& key) {
    return "*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n*1\r\n$" + std::to_string(key.size()) +
           "\r\n" + key + "\r\n";
}

}  // namespace

TEST_CASE("who is killed by number is woken, gets nothing more and takes nothing") {
    server s;
    client killer(s), waiter(s), listener(s);
    waiter({"BLPOP", "q", "0"});
    listener({"SUBSCRIBE", "c"});
    CHECK(killer({"CLIENT", "KILL", "ID", waiter.id}) == ":1\r\n");
    CHECK(killer({"CLIENT", "KILL", "ID", waiter.id}) == ":0\r\n");
    CHECK(waiter.wakes == 1);
    CHECK(killer({"RPUSH", "q", "a"}) == ":1\r\n");
    CHECK(killer({"CLIENT", "KILL", "ID", listener.id, "TYPE", "normal"}) == ":0\r\n");
    CHECK(killer({"PUBLISH", "c", "x"}) == ":1\r\n");
    CHECK(killer({"CLIENT", "KILL", "ID", listener.id, "TYPE", "pubsub"}) == ":1\r\n");
    CHECK(killer({"PUBLISH", "c", "x"}) == ":0\r\n");
    CHECK(killer({"LLEN", "q"}) == ":1\r\n");
    CHECK(waiter({"PING"}).empty());
    CHECK(waiter.ended);
    listener.news();
    CHECK(listener.ended);
    CHECK(killer({"CLIENT", "LIST"}).find("id=" + waiter.id + " ") == std::string::npos);
    CHECK_FALSE(killer.ended);
}

TEST_CASE("CLIENT KILL by address, the old way and the new one") {
    server s;
    client killer(s, {.address = "1.1.1.1:1", .local_address = "9.9.9.9:9"});
    client first(s, {.address = "2.2.2.2:2", .local_address = "9.9.9.9:9"});
    client second(s, {.address = "3.3.3.3:3", .local_address = "9.9.9.9:9"});
    CHECK(killer({"CLIENT", "KILL", "2.2.2.2:2"}) == "+OK\r\n");
    CHECK(killer({"CLIENT", "KILL", "ADDR", "2.2.2.2:2"}) == ":0\r\n");
    CHECK(killer({"CLIENT", "KILL", "LADDR", "9.9.9.9:9", "USER", "default"}) == ":1\r\n");
    second.news();
    CHECK(second.ended);
    CHECK(killer({"CLIENT", "KILL", "LADDR", "9.9.9.9:9"}) == ":0\r\n");
    CHECK(killer({"CLIENT", "KILL", "1.1.1.1:1"}) == "+OK\r\n");
    CHECK(killer.ended);
}

TEST_CASE("CLIENT PAUSE ends by the server's clock, in the order in which clients were held up") {
    server s;
    s.time.set(respkit::clock::time_point(1700000000000ms));
    client first(s), second(s);
    CHECK(first({"CLIENT", "PAUSE", "100"}) == "+OK\r\n");
    CHECK_FALSE(s.core.next_deadline());
    CHECK(first({"INCR", "n"}).empty());
    CHECK(second.raw(resp::command({"INCR", "n"}) + resp::command({"GET", "n"})).empty());
    REQUIRE(s.core.next_deadline());
    CHECK(*s.core.next_deadline() == s.time.now() + 101ms);
    s.time.advance(100ms);
    s.core.run_due();
    CHECK(first.wakes == 0);
    s.time.advance(1ms);
    s.core.run_due();
    CHECK(first.wakes == 1);
    CHECK(first.news() == ":1\r\n");
    CHECK(second.news() == ":2\r\n$1\r\n2\r\n");
    CHECK_FALSE(s.core.next_deadline());
}

TEST_CASE("a held request of a client that is killed or leaves is never run") {
    server s;
    client admin(s), killed(s);
    admin({"CLIENT", "PAUSE", "100000", "WRITE"});
    CHECK(killed({"SET", "k", "v"}).empty());
    {
        client leaves(s);
        CHECK(leaves({"SET", "k", "w"}).empty());
    }
    CHECK(admin({"CLIENT", "KILL", "ID", killed.id}) == ":1\r\n");
    CHECK(admin({"CLIENT", "UNPAUSE"}) == "+OK\r\n");
    CHECK(killed.news().empty());
    CHECK(admin({"GET", "k"}) == "$-1\r\n");
}

TEST_CASE("tracking by REDIRECT: RESP2 subscribers get messages, RESP3 pushes, and a lost one is reported") {
    server s;
    client tracker(s), other(s);
    auto ear = std::make_unique<client>(s);
    CHECK(tracker({"CLIENT", "TRACKING", "ON", "REDIRECT", ear->id, "REDIRECT", ear->id}) ==
          "-ERR A client can only redirect to a single other client\r\n");
    CHECK(tracker({"CLIENT", "TRACKING", "ON", "REDIRECT", ear->id}) == "+OK\r\n");
    CHECK(tracker({"CLIENT", "GETREDIR"}) == ':' + ear->id + "\r\n");

    tracker({"GET", "k"});
    other({"SET", "k", "v"});
    CHECK(ear->news().empty());  // it has not subscribed to anything

    (*ear)({"SUBSCRIBE", "__redis__:invalidate"});
    tracker({"GET", "k"});
    other({"SET", "k", "w"});
    CHECK(ear->news() == message("k"));
    other({"FLUSHALL"});
    CHECK(ear->news() == "*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n$-1\r\n");

    (*ear)({"UNSUBSCRIBE"});
    (*ear)({"HELLO", "3"});
    tracker({"GET", "k"});
    CHECK(tracker({"SET", "k", "x"}) == "+OK\r\n");
    CHECK(ear->news() == invalidate("k"));

    tracker({"HELLO", "3"});
    tracker({"GET", "k"});
    auto const gone = ear->id;
    ear.reset();
    other({"SET", "k", "y"});
    CHECK(tracker.news() == ">2\r\n$21\r\ntracking-redir-broken\r\n:" + gone + "\r\n");
    CHECK(tracker({"CLIENT", "TRACKINGINFO"}).find("broken_redirect") != std::string::npos);
}

TEST_CASE("a key that expires by itself is told") {
    server s;
    client tracker(s);
    tracker({"HELLO", "3"});
    tracker({"SET", "k", "v", "PX", "10"});
    tracker({"CLIENT", "TRACKING", "ON"});
    tracker({"GET", "k"});
    s.time.advance(11ms);
    s.core.run_due();
    CHECK(tracker.wakes == 1);
    CHECK(tracker.news() == invalidate("k"));
}

TEST_CASE("no more keys are tracked than tracking-table-max-keys allows: the rest is invalidated") {
    server s({.config = {{"tracking-table-max-keys", "2"}}});
    client tracker(s);
    tracker({"HELLO", "3"});
    tracker({"CLIENT", "TRACKING", "ON"});
    CHECK(tracker({"MGET", "a", "b", "c"}) == "*3\r\n_\r\n_\r\n_\r\n" + invalidate("a"));
    CHECK(tracker({"INFO", "stats"}).find("tracking_total_keys:2\r\n") != std::string::npos);
}

TEST_CASE("MONITOR shows who has asked for what, administration left out, until RESET") {
    server s;
    client watcher(s);
    client asker(s, {.address = "1.2.3.4:5"});
    s.time.set(respkit::clock::time_point(1700000000000123us));
    CHECK(watcher({"MONITOR"}) == "+OK\r\n");
    CHECK(watcher({"MONITOR"}).empty());
    asker({"SET", "k", std::string_view("\a\b\n\"\0\xff", 6)});
    CHECK(watcher.news() == "+1700000000.000123 [0 1.2.3.4:5] \"SET\" \"k\" \"\\a\\b\\n\\\"\\x00\\xff\"\r\n");
    asker({"SELECT", "3"});
    CHECK(watcher.news() == "+1700000000.000123 [3 1.2.3.4:5] \"SELECT\" \"3\"\r\n");
    asker({"CONFIG", "GET", "port"});
    asker({"NOSUCH"});
    CHECK(watcher.news().empty());
    asker({"MULTI"});
    asker({"PING"});
    asker({"EXEC"});
    std::string const from = "+1700000000.000123 [3 1.2.3.4:5] ";
    CHECK(watcher.news() == from + "\"MULTI\"\r\n" + from + "\"PING\"\r\n" + from + "\"EXEC\"\r\n");
    CHECK(watcher({"RESET"}).starts_with("+RESET\r\n"));
    asker({"PING"});
    CHECK(watcher.news().empty());
}

TEST_CASE("SHUTDOWN is refused where nothing says how to end") {
    server s;
    client c(s);
    CHECK(c({"SHUTDOWN", "NOSAVE"}) == "-ERR this server ends with the program that it is part of\r\n");
    int ends = 0;
    server alone({.on_shutdown = [&] { ++ends; }});
    client last(alone);
    CHECK(last({"SHUTDOWN", "SAVE"}) == "-ERR this server cannot save: SHUTDOWN NOSAVE ends it\r\n");
    CHECK(ends == 0);
    CHECK(last({"SHUTDOWN", "NOSAVE", "NOW"}).empty());
    CHECK(ends == 1);
    CHECK(last.ended);
}

TEST_CASE("WAIT for replicas that do not exist lasts its time") {
    server s;
    client c(s), other(s);
    CHECK(c({"WAIT", "1", "50"}).empty());
    s.time.advance(51ms);
    s.core.run_due();
    CHECK(c.news() == ":0\r\n");
    CHECK(c({"WAIT", "1", "0"}).empty());
    CHECK(other({"CLIENT", "UNBLOCK", c.id}) == ":1\r\n");
    CHECK(c.news() == ":0\r\n");
    CHECK(c({"WAIT", "1", "0"}).empty());
    CHECK(other({"CLIENT", "UNBLOCK", c.id, "ERROR"}) == ":1\r\n");
    CHECK(c.news() == "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n");
}

TEST_CASE("the embedded server's own client comes back when it has been killed") {
    mock server;
    auto const id = std::to_string(server.run({"CLIENT", "ID"}).integer);
    wire other(server);
    other.send(resp::command({"CLIENT", "KILL", "ID", id}));
    CHECK(other.receive(4) == ":1\r\n");
    CHECK(server.run({"PING"}).text == "PONG");
}
