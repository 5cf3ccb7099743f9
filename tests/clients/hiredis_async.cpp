// hiredis, asynchronous upon libevent, against REDIS_HOST:REDIS_PORT. Replies come to callbacks; a step sends
// its commands on two connections and the loop runs until all it awaits has come.
#include <cstdlib>
#include <string>
#include <vector>

#include <hiredis/adapters/libevent.h>
#include <hiredis/async.h>

#include "hiredis_check.hpp"

namespace {

int cut = 0;
event_base* loop = nullptr;

redisAsyncContext* connect() {
    auto* c = redisAsyncConnect(std::getenv("REDIS_HOST"), std::atoi(std::getenv("REDIS_PORT")));
    redisLibeventAttach(c, loop);
    redisAsyncSetDisconnectCallback(c, [](redisAsyncContext const*, int) { ++cut; });
    return c;
}

using replies = std::vector<std::string>;

// The reply, or each message of a subscription, is put behind `into`.
template <class... Args>
void send(redisAsyncContext* c, replies& into, char const* format, Args... args) {
    auto const arrived = [](redisAsyncContext*, void* reply, void* to) {
        static_cast<replies*>(to)->push_back(reply ? text(*static_cast<redisReply*>(reply)) : "no reply");
    };
    redisAsyncCommand(c, arrived, &into, format, args...);
}

void await(replies const& of, std::size_t count) {
    while (of.size() < count && event_base_loop(loop, EVLOOP_ONCE) == 0) {
    }
}

template <class... Args>
std::string run(redisAsyncContext* c, char const* format, Args... args) {
    replies reply;
    send(c, reply, format, args...);
    await(reply, 1);
    return reply.empty() ? "the loop ended" : reply[0];
}

void data(redisAsyncContext* c) {
    replies many;
    for (int i = 0; i < 500; ++i) send(c, many, "INCR n");
    await(many, 500);
    check("five hundred at once", many.front() + " " + many.back(), "1 500");
    check("mget", run(c, "MGET n missing"), "[500 nil]");
    check("list", joined({run(c, "RPUSH l a b c"), run(c, "LRANGE l 0 -1")}), "3[a b c]");
    check("set", joined({run(c, "SADD set x x"), run(c, "SMEMBERS set")}), "1[x]");
    check("hash", joined({run(c, "HSET h a 1 b 2"), run(c, "HGETALL h")}), "2[a 1 b 2]");
    check("sorted set", joined({run(c, "ZADD z 1.5 a -inf b"), run(c, "ZRANGE z 0 -1 WITHSCORES")}),
          "2[b -inf a 1.5]");
    check("expiry", joined({run(c, "SET e v EX 100"), run(c, "TTL e")}), "OK100");
    check("scan", run(c, "SCAN 0 MATCH e COUNT 1000"), "[0 [e]]");
    check("wrong type", run(c, "LPUSH n x"),
          "WRONGTYPE Operation against a key holding the wrong kind of value");
    check("unknown command", run(c, "NOSUCH a"),
          "ERR unknown command 'NOSUCH', with args beginning with: 'a' ");
    std::string big(1 << 20, '\0');
    for (std::size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>(i);
    check("a mebibyte is set", run(c, "SET big %b", big.data(), big.size()), "OK");
    check("a mebibyte comes back", run(c, "GET big") == big ? "yes" : "no", "yes");
}

void transactions(redisAsyncContext* c, redisAsyncContext* other) {
    check("transaction", joined({run(c, "MULTI"), run(c, "INCR n"), run(c, "EXEC")}), "OKQUEUED[501]");
    check("watch", joined({run(c, "WATCH n"), run(other, "SET n changed")}), "OKOK");
    check("watch sees the change", joined({run(c, "MULTI"), run(c, "SET n lost"), run(c, "EXEC")}),
          "OKQUEUEDnil");
    check("the change stays", run(c, "GET n"), "changed");
}

void messages(redisAsyncContext* c, redisAsyncContext* s) {
    replies news;
    replies pattern;
    send(s, news, "SUBSCRIBE news");
    send(s, pattern, "PSUBSCRIBE n*");
    await(news, 1);
    await(pattern, 1);
    check("subscribed", news[0] + pattern[0], "[subscribe news 1][psubscribe n* 2]");
    check("publish", run(c, "PUBLISH news hello"), "2");
    await(news, 2);
    await(pattern, 2);
    check("messages", news[1] + pattern[1], "[message news hello][pmessage n* news hello]");
    redisAsyncCommand(s, nullptr, nullptr, "UNSUBSCRIBE");
    redisAsyncCommand(s, nullptr, nullptr, "PUNSUBSCRIBE");
    await(news, 3);
    await(pattern, 3);
    check("unsubscribed", news[2] + pattern[2], "[unsubscribe news 1][punsubscribe n* 0]");

    replies popped;
    send(s, popped, "BLPOP queue 5");
    while (run(c, "INFO clients").find("blocked_clients:1") == std::string::npos) {
    }
    run(c, "RPUSH queue job");
    await(popped, 1);
    check("blpop is served", popped[0], "[queue job]");
    check("blpop times out", run(s, "BLPOP queue 0.01"), "nil");
}

void connections(redisAsyncContext* c, redisAsyncContext* other) {
    auto const killed = run(c, "CLIENT KILL ID %s", run(other, "CLIENT ID").c_str());
    if (no_client_kill(killed)) {
        redisAsyncDisconnect(other);
        return;
    }
    check("client kill", killed, "1");
    while (cut == 0 && event_base_loop(loop, EVLOOP_ONCE) == 0) {
    }
    check("the cut is noticed", std::to_string(cut), "1");
    auto* again = connect();
    check("a new connection", run(again, "PING"), "PONG");
    redisAsyncDisconnect(again);
}

}  // namespace

int main() {
    loop = event_base_new();
    auto* c = connect();
    auto* other = connect();
    run(c, "FLUSHALL");
    data(c);
    transactions(c, other);
    messages(c, other);
    connections(c, other);
    redisAsyncDisconnect(c);
    event_base_dispatch(loop);
    event_base_free(loop);
    return finish();
}
