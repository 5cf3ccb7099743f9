// What a mock's databases hold, read and checked without a command.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/server/mock.hpp>

using namespace respkit;
using namespace std::chrono_literals;

TEST_CASE("reads, of any database, in types of the standard library") {
    mock redis;
    redis.run({"SET", "s", "text", "PX", "60000"});
    redis.run({"RPUSH", "l", "a", "b"});
    redis.run({"SADD", "set", "2", "1"});
    redis.run({"HSET", "h", "f", "v"});
    redis.run({"ZADD", "z", "2", "two", "-inf", "least", "0.1", "tenth"});
    auto const before = redis.counts();
    CHECK(redis.string("s") == "text");
    CHECK(redis.list("l") == std::vector<std::string>{"a", "b"});
    CHECK(redis.set("set") == std::set<std::string>{"1", "2"});
    CHECK(redis.hash("h") == std::map<std::string, std::string>{{"f", "v"}});
    CHECK(redis.zset("z")[1] == std::pair<std::string, double>("tenth", 0.1));
    CHECK(redis.ttl("s").value() <= 60s);
    CHECK(redis.ttl("s").value() > 50s);
    CHECK(redis.ttl("l") == std::nullopt);
    CHECK(redis.type("z") == "zset");
    CHECK(redis.exists("z"));
    CHECK(redis.keys() == std::vector<std::string>{"h", "l", "s", "set", "z"});
    CHECK(redis.keys("s*").size() == 2);
    auto const after = redis.counts();
    CHECK(after.commands == before.commands);
    CHECK(after.keyspace_hits == before.keyspace_hits);

    auto const other = redis.db(1);
    CHECK(other.string("s") == std::nullopt);
    CHECK(other.list("l").empty());
    CHECK(other.ttl("s") == std::nullopt);
    CHECK(other.type("s") == "none");
    CHECK_FALSE(other.exists("s"));
    CHECK_THROWS_WITH_AS(redis.list("s"), "respkit::mock: \"s\" holds a string, not a list",
                         std::runtime_error);
    CHECK_THROWS_WITH_AS(redis.db(16).keys(), "respkit::mock: no database 16, only 0 to 15",
                         std::out_of_range);

    redis.clock().advance(61s);
    CHECK_FALSE(redis.exists("s"));
    CHECK(redis.keys("s*").size() == 1);
}

TEST_CASE("dump() prints what there is, sorted") {
    mock redis;
    redis.clock().freeze();
    redis.run({"ZADD", "z", "1.5", "b", "1", "c"});
    redis.run({"SET", "s\n", "v", "PX", "1500"});
    redis.run({"SADD", "set", "b", "a", "c"});
    redis.run({"XADD", "x", "1-1", "field", "value"});
    redis.run({"SELECT", "5"});
    redis.run({"RPUSH", "q", "one", "two"});
    CHECK(redis.dump() ==
          "db 0, 4 keys\n"
          "  \"s\\n\" string, expires in 1.500 s\n"
          "    \"v\"\n"
          "  \"set\" set\n"
          "    \"a\"\n"
          "    \"b\"\n"
          "    \"c\"\n"
          "  \"x\" stream\n"
          "    1-1 \"field\": \"value\"\n"
          "  \"z\" zset\n"
          "    \"c\": 1\n"
          "    \"b\": 1.5\n"
          "db 5, 1 key\n"
          "  \"q\" list\n"
          "    \"one\"\n"
          "    \"two\"\n");
    CHECK(redis.db(4).dump() == "db 4, 0 keys\n");
}

TEST_CASE("checks hold or say how things differ") {
    mock redis;
    redis.clock().freeze();
    redis.run({"SET", "s", "v", "EX", "60"});
    redis.run({"RPUSH", "l", "a", "b", "c"});
    redis.run({"SADD", "set", "b", "a"});
    redis.run({"HSET", "h", "f", "1", "g", "2"});
    redis.run({"ZADD", "z", "1", "one", "2", "two"});
    CHECK(redis.expect_string("s", "v"));
    CHECK(redis.expect_list("l", {"a", "b", "c"}));
    CHECK(redis.expect_set("set", {"a", "b"}));
    CHECK(redis.expect_hash("h", {{"g", "2"}, {"f", "1"}}));
    CHECK(redis.expect_zset("z", {{"two", 2}, {"one", 1}}));
    CHECK(redis.expect_ttl("s", 60s, 0s));
    CHECK(redis.expect_ttl("s", 61s));
    CHECK(redis.expect_missing("nosuch"));
    CHECK(redis.expect_list("nosuch", {}));

    auto const list = redis.expect_list("l", {"a", "x", "c", "d"});
    CHECK_FALSE(list);
    CHECK(list.message() ==
          "list \"l\" in database 0 differs (- expected, + found)\n  \"a\"\n- \"x\"\n+ \"b\"\n  \"c\"\n- "
          "\"d\"");
    CHECK(redis.expect_string("s", "w").message() ==
          "string \"s\" in database 0 differs (- expected, + found)\n- \"w\"\n+ \"v\"");
    CHECK(redis.expect_hash("h", {{"f", "1"}}).message() ==
          "hash \"h\" in database 0 differs (- expected, + found)\n  \"f\": \"1\"\n+ \"g\": \"2\"");
    CHECK(
        redis.expect_zset("z", {{"one", 1.5}, {"two", 2}}).message() ==
        "zset \"z\" in database 0 differs (- expected, + found)\n- \"one\": 1.5\n+ \"one\": 1\n  \"two\": 2");
    CHECK(redis.expect_string("l", "a").message() ==
          "\"l\" in database 0 holds a list, expected was a string (- expected, + found)\n  \"a\"\n+ "
          "\"b\"\n+ \"c\"");
    CHECK(redis.db(1).expect_set("l", {"a"}).message() ==
          "\"l\" in database 1 is missing, expected was a set (- expected, + found)\n- \"a\"");
    CHECK(redis.expect_missing("s").message() ==
          "\"s\" in database 0 holds a string, expected was no such key (- expected, + found)\n+ \"v\"");
    CHECK(redis.expect_ttl("s", 50s).message() ==
          "\"s\" in database 0 has 60000 ms to live, expected were 50000 ms or up to 1000 ms less");
    CHECK(redis.expect_ttl("l", 50s, 0s).message() ==
          "\"l\" in database 0 does not expire, expected were 50000 ms");
    CHECK(redis.expect_ttl("no", 50s, 0s).message() ==
          "\"no\" in database 0 is missing, expected were 50000 ms");
    // The same line in another type is no match.
    redis.run({"RPUSH", "one", "v"});
    CHECK(redis.expect_string("one", "v").message() ==
          "\"one\" in database 0 holds a list, expected was a string");
    // An empty stream is a key.
    redis.run({"XADD", "x", "1-1", "f", "v"});
    redis.run({"XDEL", "x", "1-1"});
    CHECK_FALSE(redis.expect_missing("x"));
    CHECK(doctest::toString(list) == list.message().c_str());
    CHECK(doctest::toString(redis.expect_missing("no")) == "as expected");
}

TEST_CASE("a long comparison shows what differs and a little around it") {
    std::vector<std::string> expected, found;
    for (int i = 0; i < 100; ++i) expected.push_back(std::to_string(i));
    found = expected;
    found.erase(found.begin() + 50);
    CHECK(compare_lines("title", expected, found).message() ==
          "title\n  (47 more that are the same)\n  47\n  48\n  49\n- 50\n  51\n  52\n  53\n  (46 more that "
          "are the same)");
    found[0] = "x";
    CHECK(compare_lines("title", expected, found).message() ==
          "title\n- 0\n+ x\n  1\n  2\n  3\n  (43 more that are the same)\n  47\n  48\n  49\n- 50\n  51\n  "
          "52\n  53\n"
          "  (46 more that are the same)");
    CHECK(compare_lines("title", {}, {}));
    // Too large to be aligned: all of both.
    std::vector<std::string> const many(3000, "a"), others(3000, "b");
    auto const message = compare_lines("", many, others).message();
    CHECK(std::count(message.begin(), message.end(), '-') == 3000);
    CHECK(std::count(message.begin(), message.end(), '+') == 3000);
}
