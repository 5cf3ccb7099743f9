// hiredis, blocking, against REDIS_HOST:REDIS_PORT.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include <hiredis/hiredis.h>

#include "hiredis_check.hpp"

namespace {

using connection = std::unique_ptr<redisContext, decltype(&redisFree)>;

connection connect() {
    return {redisConnect(std::getenv("REDIS_HOST"), std::atoi(std::getenv("REDIS_PORT"))), redisFree};
}

// Takes what redisCommand or redisGetReply gave; without a reply, what broke the connection.
std::string text(connection const& c, void* reply) {
    if (!reply) return std::string("broken: ") + c->errstr;
    auto const owned = std::unique_ptr<void, decltype(&freeReplyObject)>(reply, freeReplyObject);
    return text(*static_cast<redisReply*>(reply));
}

template <class... Args>
std::string run(connection const& c, char const* format, Args... args) {
    return text(c, redisCommand(c.get(), format, args...));
}

std::string next(connection const& c) {
    void* reply = nullptr;
    redisGetReply(c.get(), &reply);
    return text(c, reply);
}

void data(connection const& c) {
    check("set", run(c, "SET s one"), "OK");
    check("set nx on a key that is there", run(c, "SET s two NX"), "nil");
    check("mget", run(c, "MGET s missing"), "[one nil]");
    check("incrby", joined({run(c, "INCRBY n %d", 41), run(c, "INCR n")}), "4142");
    check("rpush", run(c, "RPUSH l a b c"), "3");
    check("lrange", run(c, "LRANGE l 0 -1"), "[a b c]");
    check("lpop with a count", run(c, "LPOP l 2"), "[a b]");
    check("sadd", run(c, "SADD set x x"), "1");
    check("smembers", run(c, "SMEMBERS set"), "[x]");
    check("hset", run(c, "HSET h a 1 b 2"), "2");
    check("hgetall", run(c, "HGETALL h"), "[a 1 b 2]");
    check("zadd", run(c, "ZADD z 1.5 a -inf b"), "2");
    check("zrange with scores", run(c, "ZRANGE z 0 -1 WITHSCORES"), "[b -inf a 1.5]");
    run(c, "XADD x 5-1 f v");
    check("xrange", run(c, "XRANGE x - +"), "[[5-1 [f v]]]");

    check("set with ex", joined({run(c, "SET e v EX 100"), run(c, "TTL e")}), "OK100");
    check("persist", joined({run(c, "PERSIST e"), run(c, "TTL e")}), "1-1");
    run(c, "SET e v PX 20");
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (run(c, "EXISTS e") == "1" && std::chrono::steady_clock::now() < end) {
    }
    check("a key expires", run(c, "GET e"), "nil");

    for (int i = 0; i < 250; ++i) redisAppendCommand(c.get(), "SET scan:%d %d", i, i);
    int stored = 0;
    for (int i = 0; i < 250; ++i) stored += next(c) == "OK";
    check("pipeline", std::to_string(stored), "250");
    std::set<std::string> seen;
    std::string cursor = "0";
    do {
        auto* reply =
            static_cast<redisReply*>(redisCommand(c.get(), "SCAN %s MATCH scan:* COUNT 20", cursor.c_str()));
        cursor = text(*reply->element[0]);
        for (auto i = 0u; i < reply->element[1]->elements; ++i)
            seen.insert(text(*reply->element[1]->element[i]));
        freeReplyObject(reply);
    } while (cursor != "0");
    check("scan", std::to_string(seen.size()), "250");
    check("wrong type", run(c, "LPUSH s x"),
          "WRONGTYPE Operation against a key holding the wrong kind of value");
    check("unknown command", run(c, "NOSUCH a b"),
          "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' ");
    check("wrong arity", run(c, "GET"), "ERR wrong number of arguments for 'get' command");

    std::string big(1 << 20, '\0');
    for (std::size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>(i);
    check("a mebibyte is set", joined({run(c, "SET big %b", big.data(), big.size()), run(c, "STRLEN big")}),
          "OK1048576");
    check("a mebibyte comes back", run(c, "GET big") == big ? "yes" : "no", "yes");
}

void transactions(connection const& c) {
    run(c, "SET p 1");
    check("queued", joined({run(c, "MULTI"), run(c, "INCR p"), run(c, "GET p")}), "OKQUEUEDQUEUED");
    check("transaction", run(c, "EXEC"), "[2 2]");
    run(c, "WATCH p");
    run(connect(), "SET p changed");
    check("watch sees the change", joined({run(c, "MULTI"), run(c, "SET p lost"), run(c, "EXEC")}),
          "OKQUEUEDnil");
    check("the change stays", run(c, "GET p"), "changed");
}

void messages(connection const& c) {
    auto const s = connect();
    check("subscribe", run(s, "SUBSCRIBE news"), "[subscribe news 1]");
    check("psubscribe", run(s, "PSUBSCRIBE n*"), "[psubscribe n* 2]");
    check("publish", run(c, "PUBLISH news hello"), "2");
    check("messages", joined({next(s), next(s)}), "[message news hello][pmessage n* news hello]");
    check("ping while subscribed", run(s, "PING"), "[pong ]");

    std::string popped;
    std::thread waiter([&] { popped = run(connect(), "BLPOP queue 5"); });
    while (run(c, "INFO clients").find("blocked_clients:1") == std::string::npos) {
    }
    run(c, "RPUSH queue job");
    waiter.join();
    check("blpop is served", popped, "[queue job]");
    check("blpop times out", run(c, "BLPOP queue 0.01"), "nil");
}

void connections(connection const& c) {
    auto const other = connect();
    check("select", joined({run(other, "SELECT 1"), run(other, "GET s")}), "OKnil");
    check("client name", joined({run(other, "CLIENT SETNAME named"), run(other, "CLIENT GETNAME")}),
          "OKnamed");
    auto const killed = run(c, "CLIENT KILL ID %s", run(other, "CLIENT ID").c_str());
    if (no_client_kill(killed)) {
        return;
    }
    check("client kill", killed, "1");
    check("the cut is noticed", run(other, "PING").substr(0, 6), "broken");
    check("reconnected", redisReconnect(other.get()) == REDIS_OK ? run(other, "PING") : other->errstr,
          "PONG");
    check("quit", joined({run(other, "QUIT"), run(other, "PING").substr(0, 6)}), "OKbroken");
}

}  // namespace

int main() {
    auto const c = connect();
    run(c, "FLUSHALL");
    data(c);
    transactions(c);
    messages(c);
    connections(c);
    return finish();
}
