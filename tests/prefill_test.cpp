#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/bench/prefill.hpp>
#include <respkit/client/client.hpp>
#include <respkit/server/mock.hpp>

using namespace respkit;

TEST_CASE("GET's keys are filled, and what is no string stays") {
    mock server;
    endpoint where;
    where.port = static_cast<std::uint16_t>(server.port());
    client c(where);
    bench::plan p;
    p.keyspace = 2500;
    auto const tests = bench::redis_tests(p.data_size, true);
    auto const getting = bench::select(tests, std::vector<std::string>{"get"}).front();
    auto const fill = [&] { bench::prefill(c, getting, p, 1, [] { return false; }); };
    server.run({"SET", "key:000000000001", "another"});
    server.run({"SET", "key:x", "another"});
    fill();
    CHECK(server.run({"GET", "key:000000000001"}).text == "VXK");
    CHECK(server.run({"GET", "key:000000002499"}).text == "VXK");
    CHECK(server.run({"GET", "key:x"}).text == "another");
    CHECK(server.run({"DBSIZE"}).integer == 2501);

    server.run({"DEL", "key:000000001700"});
    server.run({"RPUSH", "key:000000001700", "a"});
    CHECK_THROWS_WITH_AS(
        fill(),
        "key 'key:000000001700' is a list, and the test needs a string; rename it, or choose "
        "another database (--dbnum) or server",
        bench::prefill_error);
    CHECK(server.run({"LLEN", "key:000000001700"}).integer == 1);
    CHECK(c.call({"PING"}).text == "PONG");  // no reply is left over
}
