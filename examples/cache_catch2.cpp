// The cache, tested with Catch2, version 2 or 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
#include "cache.hpp"
#include <respkit/server/mock.hpp>

using namespace std::chrono_literals;

TEST_CASE("one mock for many sections, reset between them") {
    static respkit::mock redis;
    redis.reset();
    cache c(redis.host(), redis.port());

    SECTION("a second put wins") {
        CHECK(c.put("k", "first", 60s));
        CHECK(c.put("k", "second", 10s));
        CHECK(redis.expect_string("k", "second"));
        CHECK(redis.expect_ttl("k", 10s));
    }
    SECTION("nothing is left of the other section") {
        CHECK(redis.keys().empty());
        CHECK(c.get("k") == std::nullopt);
    }
}
