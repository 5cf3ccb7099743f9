#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/client/client.hpp>
#include <respkit/client/hiredis_pool.hpp>
#include <respkit/server/mock.hpp>

using namespace respkit;
using namespace std::chrono_literals;

namespace {

endpoint at(mock const& server) {
    endpoint e;
    e.port = static_cast<std::uint16_t>(server.port());
    return e;
}

std::uint64_t clients(mock& server) { return server.counts().connections; }

}  // namespace

TEST_CASE("a lazy pool connects when it must, and lends the last one first") {
    mock server;
    hiredis_pool pool(at(server), {.size = 3});
    CHECK(clients(server) == 0);
    hiredis_client* first = nullptr;
    {
        auto const a = pool.borrow();
        first = &*a;
        CHECK(a->call({"SET", "k", "v"}).text == "OK");
        CHECK(pool.stats().lent == 1);
        auto const b = pool.borrow();
        CHECK(b->call({"GET", "k"}).text == "v");
    }
    auto const s = pool.stats();
    CHECK(s.open == 2);
    CHECK(s.lent == 0);
    CHECK(s.most_lent == 2);
    CHECK(s.opened == 2);
    CHECK(s.borrowed == 2);
    CHECK(s.waited == 0);
    CHECK(&*pool.borrow() == first);  // given back last
    CHECK(clients(server) == 2);
}

TEST_CASE("an eager pool connects at once") {
    mock server;
    hiredis_pool pool(at(server), {.size = 4, .eager = true});
    CHECK(pool.stats().open == 4);
    CHECK(pool.stats().borrowed == 0);
    {
        std::vector<hiredis_pool::lease> all;  // the server has accepted whom it answers
        for (int i = 0; i < 4; ++i) CHECK(all.emplace_back(pool.borrow())->call({"PING"}).text == "PONG");
    }
    CHECK(clients(server) == 4);
    CHECK(pool.stats().opened == 4);
}

TEST_CASE("a dry pool says so when patience ends") {
    mock server;
    hiredis_pool pool(at(server), {.size = 1, .patience = 5ms});
    auto const mine = pool.borrow();
    std::string const line = "the pool is dry: its 1 connections to " + at(server).name() +
                             " were lent for 5 ms; make it larger, or give them back sooner";
    CHECK_THROWS_WITH_AS(pool.borrow(), line.c_str(), pool_exhausted);
    auto const s = pool.stats();
    CHECK(s.exhausted == 1);
    CHECK(s.waited == 1);
    CHECK(s.waiting >= 5ms);
    CHECK(s.lent == 1);
    CHECK(s.open == 1);
    CHECK_THROWS_AS(hiredis_pool(at(server), {.size = 0}), std::invalid_argument);
}

TEST_CASE("who waits gets what is given back, and the bound holds") {
    for (bool const wake_all : {false, true}) {
        mock server;
        hiredis_pool pool(at(server), {.size = 2, .wake_all = wake_all, .patience = 60s});
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 8; ++i)
                threads.emplace_back([&pool] {
                    for (int n = 0; n < 100; ++n) pool.borrow()->call({"INCR", "n"});
                });
        }
        CHECK(server.run({"GET", "n"}).text == "800");
        auto const s = pool.stats();
        CHECK(s.borrowed == 800);
        CHECK(s.most_lent <= 2);
        CHECK(s.opened <= 2);
        CHECK(s.lent == 0);
        CHECK(s.dropped == 0);
    }
}

TEST_CASE("a connection that died while it was lent is not lent again") {
    mock server;
    hiredis_pool pool(at(server), {.size = 1});
    {
        auto const a = pool.borrow();
        a->call({"SET", "k", "v"});
        server.run({"CLIENT", "KILL", "TYPE", "normal"});
        CHECK_THROWS_AS(a->call({"GET", "k"}), connection_lost);
        CHECK(a->ended() == hiredis_client::end::disconnect);
    }
    CHECK(pool.stats().open == 0);
    CHECK(pool.stats().dropped == 1);
    CHECK(pool.borrow()->call({"GET", "k"}).text == "v");
}

TEST_CASE("test on borrow finds what died in the pool") {
    mock server;
    hiredis_pool careless(at(server), {.size = 1}), careful(at(server), {.size = 1, .test_on_borrow = true});
    careless.borrow()->call({"PING"});
    careful.borrow()->call({"PING"});
    server.run({"CLIENT", "KILL", "TYPE", "normal"});
    CHECK_THROWS_AS(careless.borrow()->call({"PING"}), connection_lost);
    CHECK(careful.borrow()->call({"PING"}).text == "PONG");
    CHECK(careful.stats().dropped == 1);
    CHECK(careful.stats().opened == 2);
    CHECK(careful.stats().open == 1);
}

TEST_CASE("a connection that is discarded frees its place") {
    mock server;
    hiredis_pool pool(at(server), {.size = 1, .patience = 60s});
    {
        auto a = pool.borrow();
        a->append(std::vector<std::string_view>{"PING"});
        a.discard();
    }
    CHECK(pool.borrow()->call({"ECHO", "new"}).text == "new");
    CHECK(pool.stats().opened == 2);
}

TEST_CASE("a server that is not there: the place is free again") {
    auto server = std::make_unique<mock>();
    hiredis_pool pool(at(*server), {.size = 1, .patience = 5ms});
    endpoint nowhere;
    nowhere.port = 1;
    CHECK_THROWS_AS(hiredis_pool(nowhere, {.size = 1, .eager = true}), connect_error);
    server.reset();
    CHECK_THROWS_AS(pool.borrow(), connect_error);
    CHECK_THROWS_AS(pool.borrow(), connect_error);  // not pool_exhausted
    CHECK(pool.stats().open == 0);
    CHECK(pool.stats().lent == 0);
    CHECK(pool.stats().borrowed == 0);
}

TEST_CASE("a server that goes away in the middle") {
    auto server = std::make_unique<mock>();
    hiredis_pool pool(at(*server), {.size = 1});
    auto lease = std::make_optional(pool.borrow());
    (*lease)->call({"PING"});
    server.reset();
    CHECK_THROWS_AS((*lease)->call({"PING"}), connection_lost);
    lease.reset();
    CHECK_THROWS_AS(pool.borrow(), connect_error);
}

TEST_CASE("replies are looked at without a copy, and it is told when the socket was read") {
    mock server;
    hiredis_client c(at(server));
    std::string const set = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
    c.append_encoded(set + set);
    c.append(std::vector<std::string_view>{"GET", "k"});
    c.append(std::vector<std::string_view>{"LRANGE", "l", "0", "-1"});
    c.append(std::vector<std::string_view>{"GET", "nosuch"});
    c.append(std::vector<std::string_view>{"INCR", "k"});
    c.flush();
    auto reply = c.look();
    CHECK(reply.type == resp::type::simple);
    CHECK(reply.text == "OK");
    CHECK(reply.read);
    CHECK(c.look().text == "OK");
    CHECK(c.look().text == "v");
    reply = c.look();
    CHECK(reply.type == resp::type::array);
    CHECK(reply.items == 0);
    CHECK(c.look().null);
    reply = c.look();
    CHECK(reply.type == resp::type::error);
    CHECK(reply.text == "ERR value is not an integer or out of range");
    std::vector<std::string_view> many{"MSET"};
    for (int i = 0; i < 10; ++i) many.insert(many.end(), {"a", "b"});
    CHECK(c.call(many).text == "OK");
}
