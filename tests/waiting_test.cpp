// What clients get without asking for it in that moment: elements waited for, time-outs, messages.
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>

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

std::string element(std::string const& key, std::string const& value) {
    return "*2\r\n$" + std::to_string(key.size()) + "\r\n" + key + "\r\n$" + std::to_string(value.size()) +
           "\r\n" + value + "\r\n";
}

}  // namespace

TEST_CASE("who waits is woken once, gets its element, and its input rests until then") {
    server s;
    client waiter(s), other(s);
    CHECK(waiter.raw(resp::command({"BLPOP", "q", "0"}) + resp::command({"PING"})).empty());
    CHECK(waiter.waits());
    CHECK(waiter.raw(resp::command({"ECHO", "x"})).empty());
    CHECK(other({"RPUSH", "q", "a"}) == ":1\r\n");
    CHECK(waiter.wakes == 1);
    CHECK(waiter.news() == element("q", "a") + "+PONG\r\n$1\r\nx\r\n");
    CHECK_FALSE(waiter.waits());
    CHECK(other({"EXISTS", "q"}) == ":0\r\n");
}

TEST_CASE("thousands wait and are served in the order in which they came") {
    server s;
    client pusher(s);
    std::deque<client> waiters;
    constexpr int count = 3000;
    for (int i = 0; i < count; ++i) {
        auto& w = waiters.emplace_back(s);
        CHECK(w({i % 2 ? "BRPOP" : "BLPOP", "other", "q", "0"}).empty());
    }
    std::string pushes;
    for (int i = 0; i < count; ++i) pushes += resp::command({"RPUSH", "q", std::to_string(i)});
    pusher.raw(pushes);
    int wrong = 0;
    for (int i = 0; i < count; ++i)
        wrong += waiters[static_cast<std::size_t>(i)].news() != element("q", std::to_string(i));
    CHECK(wrong == 0);
}

TEST_CASE("who has gone takes nothing") {
    server s;
    client first(s), second(s), pusher(s);
    first({"BLPOP", "q", "0"});
    second({"BLPOP", "q", "0"});
    first.leave();
    CHECK(pusher({"RPUSH", "q", "a"}) == ":1\r\n");
    CHECK(second.news() == element("q", "a"));
    second({"BLPOP", "q", "0"});
    second.leave();
    CHECK(pusher({"RPUSH", "q", "b"}) == ":1\r\n");
    CHECK(pusher({"LLEN", "q"}) == ":1\r\n");
}

TEST_CASE("a moved clock ends waits: in their order, and each with its protocol's null") {
    server s;
    client two(s), three(s), forever(s);
    three({"HELLO", "3"});
    two({"BLPOP", "q", "0.5"});
    three({"BLPOP", "q", "0.25"});
    forever({"BLPOP", "q", "0"});
    REQUIRE(s.core.next_deadline().has_value());
    CHECK(*s.core.next_deadline() - s.time.now() <= 251ms);
    s.time.advance(300ms);
    s.core.run_due();
    CHECK(three.wakes == 1);
    CHECK(three.news() == "_\r\n");
    CHECK(two.news().empty());
    s.time.advance(300ms);
    s.core.run_due();
    CHECK(two.news() == "*-1\r\n");
    s.time.advance(1000h);
    s.core.run_due();
    CHECK(forever.waits());
    CHECK_FALSE(s.core.next_deadline().has_value());
}

TEST_CASE("an embedder is told of a deadline that a blocked client brings") {
    server s;
    client waiter(s);
    int told = 0;
    s.core.on_deadline([&] { ++told; });
    waiter({"BLPOP", "q", "0"});
    CHECK(told == 0);
    client limited(s);
    limited({"BLPOP", "q", "1"});
    CHECK(told == 1);
}

TEST_CASE("a chain of waiters is served in one go") {
    server s;
    client a(s), b(s), pusher(s);
    a({"BRPOPLPUSH", "one", "two", "0"});
    b({"BLMOVE", "two", "three", "LEFT", "LEFT", "0"});
    pusher({"LPUSH", "one", "x"});
    CHECK(a.news() == "$1\r\nx\r\n");
    CHECK(b.news() == "$1\r\nx\r\n");
    CHECK(pusher({"LRANGE", "three", "0", "-1"}) == "*1\r\n$1\r\nx\r\n");
}

TEST_CASE("messages reach subscribers without their asking, and their own in their own replies") {
    server s;
    client listener(s), speaker(s);
    speaker({"HELLO", "3"});
    speaker({"SUBSCRIBE", "c"});
    listener({"SUBSCRIBE", "c"});
    CHECK(speaker({"PUBLISH", "c", "hi"}) == ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n:2\r\n");
    CHECK(listener.wakes == 1);
    CHECK(listener.news() == "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n");
    listener.leave();
    CHECK(speaker({"PUBLISH", "c", "x"}).ends_with(":1\r\n"));
}

TEST_CASE("a subscriber that does not read is ended, whatever one batch publishes") {
    server s({.config = {{"client-output-buffer-limit", "pubsub 1000 0 0"}}});
    client slow(s), speaker(s);
    slow({"SUBSCRIBE", "c"});
    std::string many;
    for (int i = 0; i < 100; ++i) many += resp::command({"PUBLISH", "c", std::string(100, 'x')});
    speaker.raw(many);
    slow.news();
    CHECK(slow.ended);
    slow.leave();
    CHECK(speaker({"PUBLISH", "c", "x"}) == ":0\r\n");
}

TEST_CASE("a soft limit counts only if it is exceeded for so long without a break") {
    server s({.config = {{"client-output-buffer-limit", "pubsub 0 1000 10"}}});
    client slow(s), speaker(s);
    slow({"SUBSCRIBE", "c"});
    auto const publish = [&](int bytes) {
        speaker({"PUBLISH", "c", std::string(static_cast<std::size_t>(bytes), 'x')});
    };
    publish(2000);
    s.time.advance(9s);
    publish(10);
    slow.news();  // all read
    CHECK_FALSE(slow.ended);
    publish(10);  // the break
    publish(2000);
    s.time.advance(9s);
    publish(10);
    slow.news();
    CHECK_FALSE(slow.ended);
    publish(2000);
    s.time.advance(11s);
    publish(10);
    slow.news();
    CHECK(slow.ended);
}

TEST_CASE("a transaction of no end is cut off") {
    engine_options o;
    o.query_limit = 10000;
    server s(std::move(o));
    client hog(s);
    hog({"MULTI"});
    std::string const big(1000, 'x');
    for (int i = 0; i < 11 && !hog.ended; ++i) hog({"SET", "k", big});
    CHECK(hog.ended);
}

TEST_CASE("blocked over sockets: an element, a message and a moved clock all arrive by themselves") {
    mock redis;
    wire waiter(redis), listener(redis);
    listener.send(resp::command({"SUBSCRIBE", "c"}));
    CHECK(listener.receives("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"));
    auto const wait_blocked = [&](char const* n) {
        while (redis.run({"INFO", "clients"}).text.find(std::string("blocked_clients:") + n) ==
               std::string::npos)
            std::this_thread::yield();
    };
    waiter.send(resp::command({"BLPOP", "q", "0"}) + "PING\r\n");
    wait_blocked("1");
    redis.run({"RPUSH", "q", "x"});
    CHECK(waiter.receives("*2\r\n$1\r\nq\r\n$1\r\nx\r\n+PONG\r\n"));
    redis.run({"PUBLISH", "c", "m"});
    CHECK(listener.receives("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n"));

    waiter.send(resp::command({"BLPOP", "q", "1000"}));
    wait_blocked("1");
    redis.clock().advance(1001s);
    CHECK(waiter.receives("*-1\r\n"));

    waiter.send(resp::command({"BLPOP", "q", "0"}));
    wait_blocked("1");
    waiter.finish_sending();  // as good as gone
    wait_blocked("0");
    redis.run({"RPUSH", "q", "stays"});
    CHECK(redis.run({"LLEN", "q"}).integer == 1);
}

TEST_CASE("who has finished sending is as good as gone, though replies are still on their way") {
    mock redis;
    redis.run({"SET", "big", std::string(std::size_t{8} << 20, 'x')});
    wire gone(redis);
    gone.send(resp::command({"HELLO", "3"}) + resp::command({"SUBSCRIBE", "c"}) +
              resp::command({"GET", "big"}) + resp::command({"BLPOP", "none", "0"}) +
              resp::command({"SET", "ghost", "x"}));
    while (redis.run({"INFO", "clients"}).text.find("blocked_clients:1") == std::string::npos)
        std::this_thread::yield();
    gone.finish_sending();
    while (redis.run({"PUBLISH", "c", "m"}).integer) std::this_thread::yield();
    CHECK(redis.run({"EXISTS", "ghost"}).integer == 0);
    CHECK(gone.receive_all().find("message") == std::string::npos);
    CHECK(redis.run({"EXISTS", "ghost"}).integer == 0);
}

TEST_CASE("run() does not wait: a command that would is refused, and forgotten") {
    mock redis;
    redis.run({"SELECT", "2"});
    CHECK_THROWS_WITH_AS(redis.run({"BLPOP", "q", "0"}),
                         "respkit::mock: run() cannot wait for a reply: use a connection of your own",
                         std::logic_error);
    CHECK(redis.run({"RPUSH", "q", "x"}).integer == 1);
    CHECK(redis.run({"BLPOP", "q", "0"}).items.size() == 2);
}

TEST_CASE("a subscriber that never reads is dropped, the others get every message") {
    mock redis({.server = {.config = {{"client-output-buffer-limit", "pubsub 1mb 0 0"}}}});
    wire slow(redis), quick(redis);
    for (auto* w : {&slow, &quick}) {
        w->send(resp::command({"SUBSCRIBE", "c"}));
        CHECK(w->receives("*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"));
    }
    std::string const text(64 << 10, 'x');
    auto const size = std::string("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$65536\r\n\r\n").size() + text.size();
    int sent = 0;
    for (; redis.run({"PUBLISH", "c", text}).integer == 2; ++sent) CHECK(quick.receive(size).size() == size);
    CHECK(sent >= 16);
    CHECK(quick.receive(size).size() == size);  // of the last one, too
}
