// What a test does with a mock beyond commands: connections, restarts, seeds, files.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>
#include <hiredis/hiredis.h>

#include "wire.hpp"
#include <respkit/resp/text.hpp>
#include <respkit/server/mock.hpp>

using namespace respkit;
using respkit::test::wire;
using namespace std::chrono_literals;

namespace {

// hiredis would end the program when it writes to a connection that has been cut.
[[maybe_unused]] auto const no_signal = std::signal(SIGPIPE, SIG_IGN);

using hiredis_link = std::unique_ptr<redisContext, decltype(&redisFree)>;

std::string ask(redisContext* to, char const* command) {
    std::unique_ptr<redisReply, decltype(&freeReplyObject)> const reply(
        static_cast<redisReply*>(redisCommand(to, command)), &freeReplyObject);
    if (!reply) return "(gone)";
    return reply->str ? reply->str : std::to_string(reply->integer);
}

// Whether a new client is let in, by TCP.
bool accepts(mock const& redis) {
    hiredis_link const to(redisConnect(redis.host().c_str(), redis.port()), &redisFree);
    return to->err == 0 && ask(to.get(), "PING") == "PONG";
}

std::string info(mock& redis, std::string const& field) {
    auto const text = redis.run({"INFO"}).text;
    auto const at = text.find("\n" + field + ":") + field.size() + 2;
    return text.substr(at, text.find('\r', at) - at);
}

// A file that is gone with it.
class scratch_file {
public:
    explicit scratch_file(std::string const& text)
        : path("/tmp/respkit-embedding-" + std::to_string(::getpid()) + ".redis") {
        std::ofstream(path) << text;
    }
    ~scratch_file() { std::remove(path.c_str()); }
    std::string const path;
};

std::string complaint_of_load(mock& redis, std::string const& text) {
    scratch_file const file(text);
    try {
        redis.load(file.path);
    } catch (std::runtime_error const& error) {
        return std::string(error.what()).substr(file.path.size());
    }
    return "(none)";
}

}  // namespace

TEST_CASE("hiredis talks through connect_fd() to a mock that has no port") {
    mock redis({.tcp = false});
    CHECK(redis.port() == 0);
    CHECK(redis.url() == "");
    hiredis_link const to(redisConnectFd(redis.connect_fd()), &redisFree);
    REQUIRE(to);
    CHECK(ask(to.get(), "SET k v") == "OK");
    CHECK(redis.string("k") == "v");
    CHECK(ask(to.get(), "CLIENT INFO").find("addr=socketpair:0") != std::string::npos);
    CHECK(redis.kill_clients() == 1);
    CHECK(ask(to.get(), "PING") == "(gone)");
}

TEST_CASE("Asio talks through connect_fd(), too") {
    mock redis({.tcp = false});
    boost::asio::io_context loop;
    boost::asio::local::stream_protocol::socket to(loop);
    to.assign(boost::asio::local::stream_protocol(), redis.connect_fd());
    std::string got;
    std::string const request = "PING\r\n";
    boost::asio::async_write(to, boost::asio::buffer(request),
                             [&](boost::system::error_code error, std::size_t) {
                                 REQUIRE(!error);
                                 boost::asio::async_read_until(to, boost::asio::dynamic_buffer(got), "\r\n",
                                                               [](boost::system::error_code, std::size_t) {});
                             });
    loop.run();
    CHECK(got == "+PONG\r\n");
}

TEST_CASE("a connect_fd() outlives the mock and finds its end") {
    auto redis = std::make_unique<mock>(mock_options{.tcp = false});
    hiredis_link const to(redisConnectFd(redis->connect_fd()), &redisFree);
    redis.reset();
    CHECK(ask(to.get(), "PING") == "(gone)");
}

TEST_CASE("kill_clients() ends whoever is connected and nobody who comes later") {
    mock redis;
    wire a(redis), blocked(redis);
    a.send("PING\r\n");
    CHECK(a.receives("+PONG\r\n"));
    blocked.send("PING\r\nBLPOP q 0\r\n");
    CHECK(blocked.receives("+PONG\r\n"));
    CHECK(redis.kill_clients() == 2);
    CHECK(a.receive_all() == "");
    CHECK(blocked.receive_all() == "");
    redis.run({"RPUSH", "q", "still here"});
    CHECK(redis.expect_list("q", {"still here"}));
    CHECK(accepts(redis));
}

TEST_CASE("stop_accepting() refuses who comes, keeps who is there, and holds the port") {
    mock redis;
    auto const port = redis.port();
    wire inside(redis);
    inside.send("PING\r\n");
    CHECK(inside.receives("+PONG\r\n"));
    for (int round = 0; round < 3; ++round) {
        redis.stop_accepting();
        redis.stop_accepting();
        CHECK_FALSE(accepts(redis));
        CHECK_THROWS_AS(mock({.port = static_cast<std::uint16_t>(port)}).port(), std::system_error);
        CHECK_THROWS_AS(redis.connect_fd(), std::system_error);
        inside.send("PING\r\n");
        CHECK(inside.receives("+PONG\r\n"));
        redis.accept_again();
        redis.accept_again();
        CHECK(redis.port() == port);
        CHECK(accepts(redis));
    }
}

TEST_CASE("stop_accepting() with a port that was asked for, and with a unix socket") {
    std::string const path = "/tmp/respkit-embedding-" + std::to_string(::getpid()) + ".sock";
    int port = 0;
    {
        mock chosen;
        port = chosen.port();
    }
    mock redis({.port = static_cast<std::uint16_t>(port), .unix_path = path});
    auto const error_of_unix = [&] {
        hiredis_link const to(redisConnectUnix(path.c_str()), &redisFree);
        return to->err ? std::string(to->errstr) : "";
    };
    redis.stop_accepting();
    CHECK_FALSE(accepts(redis));
    CHECK(error_of_unix() == "Connection refused");
    redis.accept_again();
    CHECK(accepts(redis));
    CHECK(error_of_unix() == "");
}

TEST_CASE("restart() keeps data and port, cuts clients off, is another run") {
    mock redis;
    redis.run({"SET", "k", "v"});
    redis.run({"SELECT", "2"});
    redis.run({"CONFIG", "SET", "notify-keyspace-events", "KEA"});
    auto const id = info(redis, "run_id");
    auto const port = redis.port();
    wire client(redis);
    client.send("PING\r\n");
    CHECK(client.receives("+PONG\r\n"));
    redis.restart();
    CHECK(client.receive_all() == "");
    CHECK(redis.counts().commands == 0);
    CHECK(redis.port() == port);
    CHECK(accepts(redis));
    CHECK(redis.run({"GET", "k"}).text == "v");  // in database 0 again
    CHECK(redis.run({"CONFIG", "GET", "notify-keyspace-events"}).items[1].text == "");
    CHECK(info(redis, "run_id").size() == 40);
    CHECK(info(redis, "run_id") != id);
}

TEST_CASE("a downtime ends by the mock's clock, and by accept_again()") {
    mock redis;
    redis.clock().freeze();
    redis.restart(10s);
    CHECK_FALSE(accepts(redis));
    redis.clock().advance(9s);
    CHECK_FALSE(accepts(redis));
    redis.run({"SET", "meanwhile", "v"});
    redis.clock().advance(1s);
    redis.counts();  // behind the notice of it
    CHECK(accepts(redis));
    redis.restart(10s);
    redis.accept_again();
    CHECK(accepts(redis));
    CHECK(redis.string("meanwhile") == "v");

    redis.clock().resume();
    redis.restart(20ms);  // in real time
    while (!accepts(redis)) std::this_thread::yield();
}

TEST_CASE("seed() makes picks and orders repeat") {
    auto const picks = [](mock& redis) {
        std::string out;
        for (int i = 0; i < 200; ++i) redis.run({"SADD", "s", "member" + std::to_string(i)});
        for (int i = 0; i < 20; ++i) out += redis.run({"SPOP", "s"}).text + ' ';
        return out + resp::print(redis.run({"SMEMBERS", "s"}));
    };
    mock a, b, from_the_start({.server = {.seed = 7}});
    a.seed(7);
    b.seed(7);
    auto const first = picks(a);
    CHECK(picks(b) == first);
    CHECK(picks(from_the_start) == first);
    CHECK_THROWS_WITH_AS(a.seed(8), doctest::Contains("without keys"), std::logic_error);
    a.reset();
    CHECK(picks(a) == first);
    a.reset();
    a.seed(8);
    CHECK(picks(a) != first);
}

TEST_CASE("reset() is a new server to those who are connected") {
    mock redis({.server = {.config = {{"notify-keyspace-events", "KEn"}}}});
    wire client(redis);
    client.send("SET k v\r\nWATCH k\r\nMULTI\r\n");
    CHECK(client.receives("+OK\r\n+OK\r\n+OK\r\n"));
    redis.run({"SELECT", "3"});
    redis.run({"SET", "k", "v"});
    redis.run({"CONFIG", "SET", "notify-keyspace-events", "", "requirepass", "secret", "maxclients", "1",
               "hash-max-listpack-entries", "0"});
    redis.run({"NOSUCH"});
    redis.clock().set(clock::time_point(1s));
    redis.clock().freeze();
    redis.stop_accepting();
    redis.reset();
    CHECK(redis.dump() == "no keys\n");
    CHECK(redis.unsupported().empty());
    CHECK(redis.counts().errors == 0);
    CHECK(redis.clock().now() > clock::time_point(1'000'000'000s));
    auto const before = redis.clock().now();
    while (redis.clock().now() == before) std::this_thread::yield();
    client.send("EXEC\r\nPING\r\n");
    CHECK(client.receives("*-1\r\n+PONG\r\n"));  // what it watched has gone
    CHECK(accepts(redis));                       // without a password, as a second client
    CHECK(redis.run({"CONFIG", "GET", "maxclients"}).items[1].text == "10000");
    redis.run({"HSET", "h", "f", "v"});
    CHECK(redis.run({"OBJECT", "ENCODING", "h"}).text == "listpack");
    // "n" is what CONFIG GET does not show: a new key is told.
    client.send("SUBSCRIBE __keyevent@0__:new\r\n");
    CHECK(client.receives("*3\r\n$9\r\nsubscribe\r\n$18\r\n__keyevent@0__:new\r\n:1\r\n"));
    redis.run({"SET", "fresh", "v"});
    CHECK(client.receives("*3\r\n$7\r\nmessage\r\n$18\r\n__keyevent@0__:new\r\n$5\r\nfresh\r\n"));
}

TEST_CASE("load() runs a file of commands") {
    scratch_file const file(
        "# people\n"
        "SET greeting \"hello, world\\x21\"\r\n"
        "\n"
        "   RPUSH q a 'b c' \"\"\n"
        "SELECT 1\n"
        "MULTI\n"
        "HSET h f 1\n"
        "EXEC");
    mock redis;
    redis.load(file.path);
    CHECK(redis.expect_string("greeting", "hello, world!"));
    CHECK(redis.expect_list("q", {"a", "b c", ""}));
    CHECK(redis.db(1).expect_hash("h", {{"f", "1"}}));
    CHECK(redis.run({"DBSIZE"}).integer == 2);  // the file's SELECT was the file's
    mock ready({.load = {file.path, file.path}});
    CHECK(ready.list("q").size() == 6);
}

TEST_CASE("a file that cannot be loaded is named with line and reply") {
    mock redis;
    CHECK(complaint_of_load(redis, "SET k v\n# fine\nINCR k\nSET k w\n") ==
          ":3: INCR k: (error) ERR value is not an integer or out of range");
    CHECK(redis.string("k") == "v");
    CHECK(complaint_of_load(redis, "SET k \"v\n") == ":1: SET k \"v: unbalanced quotes in request");
    CHECK(complaint_of_load(redis, "MULTI\nINCR k\nEXEC\n") ==
          ":3: EXEC: (error) ERR value is not an integer or out of range");
    CHECK(complaint_of_load(redis, "BLPOP q 0\n") ==
          ":1: BLPOP q 0: a command that waits, or has no reply, cannot be loaded");
    CHECK(complaint_of_load(redis, "*1\n$4\nPING\n") ==
          ":1: *1: not a command in words, as redis-cli takes them");
    CHECK_THROWS_WITH_AS(redis.load("/nosuch/file"), "cannot read /nosuch/file: No such file or directory",
                         std::system_error);
    CHECK_THROWS_AS(redis.load("/tmp"), std::system_error);
    CHECK_THROWS_AS(mock({.load = {"/nosuch/file"}}).port(), std::system_error);
}

TEST_CASE("calls from the server's own thread are refused in words") {
    std::atomic<mock*> self{nullptr};
    std::atomic<int> refused{0};
    mock redis({.server = {.on_shutdown = [&] {
                    auto& m = *self.load();
                    auto const count = [&](auto f) {
                        try {
                            f();
                        } catch (std::logic_error const& error) {
                            refused += std::string(error.what()).find("own thread") != std::string::npos;
                        }
                    };
                    count([&] { m.run({"PING"}); });
                    count([&] { m.string("k"); });
                    count([&] { m.connect_fd(); });
                    count([&] { m.restart(); });
                    count([&] { m.load("x"); });
                }}});
    self = &redis;
    wire client(redis);
    client.send("SHUTDOWN NOSAVE\r\n");
    while (refused < 5) std::this_thread::yield();
    CHECK(refused == 5);
}

TEST_CASE("any thread may call everything while clients come and go") {
    mock redis;
    scratch_file const file("RPUSH loaded x\n");
    std::vector<std::thread> threads;
    std::atomic<int> answered{0};
    auto const repeat = [&](int times, auto f) {
        threads.emplace_back([times, f] {
            for (int i = 0; i < times; ++i) f(i);
        });
    };
    for (int t = 0; t < 3; ++t)
        repeat(60, [&](int) {
            // One of them may be cut off or refused at any point.
            hiredis_link const to(redisConnect(redis.host().c_str(), redis.port()), &redisFree);
            if (to->err) return;
            ask(to.get(), "INCR n");
            ask(to.get(), "RPUSH q v");
        });
    repeat(60, [&](int) {
        try {
            hiredis_link const to(redisConnectFd(redis.connect_fd()), &redisFree);
            answered += ask(to.get(), "PING") == "PONG";
        } catch (std::system_error const&) {
        }
    });
    repeat(40, [&](int i) { i % 4 ? (void)redis.kill_clients() : redis.restart(100us); });
    repeat(40, [&](int) { redis.stop_accepting(), redis.accept_again(); });
    repeat(40, [&](int) {
        redis.clock().advance(1ms);
        redis.clock().freeze();
        redis.clock().resume();
        redis.clock().now();
    });
    repeat(40, [&](int i) {
        redis.run({"SET", "k", "v", "PX", "5"});
        if (i % 10 == 0) redis.reset();
        redis.load(file.path);
    });
    repeat(40, [&](int) {
        redis.string("k"), redis.list("q"), redis.ttl("k"), redis.keys(), redis.dump(), redis.db(3).dump();
        (void)redis.expect_list("q", {"v"});
        redis.counts(), redis.cpu(), redis.unsupported(), redis.url();
        try {
            redis.seed(1);
        } catch (std::logic_error const&) {  // there are keys
        }
    });
    for (auto& t : threads) t.join();
    redis.accept_again();
    CHECK(accepts(redis));
    CHECK(redis.run({"PING"}).text == "PONG");
}
