// The cache, tested with doctest.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "cache.hpp"
#include <respkit/server/mock.hpp>

using namespace std::chrono_literals;

TEST_CASE("what is put is found until its time is over") {
    respkit::mock redis;  // listens, on a port of its own
    cache c(redis.host(), redis.port());
    CHECK(c.put("user:1", "ada", 60s));
    CHECK(redis.expect_string("user:1", "ada"));
    CHECK(redis.expect_ttl("user:1", 60s));
    CHECK(c.get("user:1") == "ada");
    redis.clock().advance(61s);  // nobody sleeps
    CHECK(c.get("user:1") == std::nullopt);
}

TEST_CASE("a key that is no string is not found") {
    respkit::mock redis;
    redis.run({"RPUSH", "user:1", "ada", "lovelace"});
    CHECK(cache(redis.host(), redis.port()).get("user:1") == std::nullopt);
}

TEST_CASE("the cache survives a restart of Redis") {
    respkit::mock redis;
    cache c(redis.host(), redis.port());
    CHECK(c.put("user:1", "ada", 60s));
    redis.restart();
    CHECK(c.get("user:1") == std::nullopt);  // on the old connection
    CHECK(c.get("user:1") == "ada");         // on a new one
}

TEST_CASE("the cache gets over a Redis that is loading") {
    respkit::mock redis;
    redis.run({"SET", "k", "v"});
    redis.on("GET").times(1).error("LOADING Redis is loading the dataset in memory");
    cache c(redis.host(), redis.port());
    CHECK(c.get("k") == std::nullopt);
    CHECK(c.get("k") == "v");
    CHECK(redis.calls("GET").size() == 2);
}
