// The cache, tested with GoogleTest.
#include <gtest/gtest.h>

#include "cache.hpp"
#include <respkit/server/mock.hpp>

using namespace std::chrono_literals;

struct Cache : testing::Test {
    respkit::mock redis;  // a server for every test: microseconds
    cache c{redis.host(), redis.port()};
};

TEST_F(Cache, KeepsBytes) {
    std::string const bytes("a\0\r\nb", 5);
    EXPECT_TRUE(c.put("k", bytes, 60s));
    auto const kept = redis.expect_string("k", bytes);
    EXPECT_TRUE(kept) << kept.message();
    EXPECT_EQ(c.get("k"), bytes);
}

TEST_F(Cache, Drops) {
    redis.run({"SET", "k", "v"});
    EXPECT_TRUE(c.drop("k"));
    auto const gone = redis.expect_missing("k");
    EXPECT_TRUE(gone) << gone.message();
}

TEST_F(Cache, FindsNothingWithoutRedis) {
    EXPECT_TRUE(c.put("k", "v", 60s));
    redis.stop_accepting();
    redis.kill_clients();
    EXPECT_EQ(c.get("k"), std::nullopt);     // cut off
    EXPECT_FALSE(c.put("k", "other", 60s));  // refused
    redis.accept_again();
    EXPECT_EQ(c.get("k"), "v");
}
