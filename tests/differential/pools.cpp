#include "pools.hpp"

#include <algorithm>

namespace respkit::differential {
namespace {

using namespace std::string_literals;
using words = std::vector<std::string>;

// Keys carry their type in front: most calls hit a key of the type that they want, some do not.
constexpr std::string_view key_kinds[] = {"string", "list", "set", "hash", "zset", "stream"};
bool is_key_kind(std::string_view pool) {
    return std::find(std::begin(key_kinds), std::end(key_kinds), pool) != std::end(key_kinds);
}

// A key of that kind, or at times another one.
std::string key(random_source& random, std::string_view kind) {
    auto const dice = random.below(100);
    if (dice < 6) return "none" + std::to_string(random.below(2));
    if (dice < 12) kind = any_of(random, key_kinds);
    return std::string(kind) + std::to_string(1 + random.below(3));
}

struct fixed_pool {
    std::string_view name;
    words from;
};

words const integers = {"0",
                        "1",
                        "-1",
                        "2",
                        "3",
                        "5",
                        "-5",
                        "10",
                        "100",
                        "-100",
                        "1000",
                        "32767",
                        "65536",
                        "2147483647",
                        "-2147483648",
                        "4294967296",
                        "9007199254740993",
                        "9223372036854775806",
                        "9223372036854775807",
                        "-9223372036854775808",
                        "-9223372036854775807"};
words const floats = {"0",
                      "1",
                      "-1",
                      "0.1",
                      "1.5",
                      "-2.25",
                      "3.0",
                      "5.0e3",
                      "1e17",
                      "1e21",
                      "-1e21",
                      "1e-7",
                      "3.14",
                      "0.30",
                      "1e100",
                      "inf",
                      "-inf",
                      "+inf",
                      "nan",
                      "1e309",
                      "-0",
                      "0x10",
                      "1.7e308",
                      "12345678901234567890",
                      "0.1234567890123456789",
                      "4503599627370497.5",
                      "1e-400",
                      "Infinity"};

// Strings that numbers, encodings and protocols trip over. None is another one with a NUL behind it: SORT
// ALPHA finds such two equal.
words const odd = {"",
                   "a",
                   "b",
                   "c",
                   "A",
                   " ",
                   "y\0"s,
                   "\r\n",
                   "z\0b"s,
                   "\xff\xfe\x01",
                   " 1",
                   "1 ",
                   "+1",
                   "01",
                   "-0",
                   "1.0",
                   "9223372036854775808",
                   "-9223372036854775809",
                   "18446744073709551615",
                   "1e3",
                   "hello world",
                   std::string(44, 'e'),
                   std::string(45, 'e'),
                   std::string(64, 'l'),
                   std::string(65, 'l'),
                   std::string(300, 'h')};

// The scripts of redis-py's Lock, whose SHA1 counts: byte for byte.
constexpr auto lock_release = R"lua(
        local token = redis.call('get', KEYS[1])
        if not token or token ~= ARGV[1] then
            return 0
        end
        redis.call('del', KEYS[1])
        return 1
    )lua";
constexpr auto lock_extend = R"lua(
        local token = redis.call('get', KEYS[1])
        if not token or token ~= ARGV[1] then
            return 0
        end
        local expiration = redis.call('pttl', KEYS[1])
        if not expiration then
            expiration = 0
        end
        if expiration < 0 then
            return 0
        end

        local newttl = ARGV[2]
        if ARGV[3] == "0" then
            newttl = ARGV[2] + expiration
        end
        redis.call('pexpire', KEYS[1], newttl)
        return 1
    )lua";
constexpr auto lock_reacquire = R"lua(
        local token = redis.call('get', KEYS[1])
        if not token or token ~= ARGV[1] then
            return 0
        end
        redis.call('pexpire', KEYS[1], ARGV[2])
        return 1
    )lua";

// clang-format off
fixed_pool const fixed[] = {
    {"lockrelease", {lock_release}},
    {"lockextend", {lock_extend}},
    {"lockreacquire", {lock_reacquire}},
    {"seq",       {"0", "1", "-1", "2", "-2", "3", "-3", "5", "10", "-10", "100", "-100", "2147483648", "-9223372036854775808"}},
    {"count",     {"0", "1", "2", "3", "5", "10", "1000", "-1", "-2", "-5"}},
    {"rank",      {"1", "2", "-1", "-2", "3", "0", "-9223372036854775807", "-9223372036854775808"}},
    {"offset",    {"0", "1", "2", "5", "10", "63", "100", "1000", "-1", "536870911999", "4294967296"}},
    {"bitoffset", {"0", "1", "7", "8", "31", "63", "64", "100", "1000", "-1", "4294967296"}},
    {"fieldoffset", {"0", "1", "7", "8", "63", "100", "#0", "#1", "#2", "#10", "-1", "#-1", "4294967296", "x"}},
    {"bit",       {"0", "1", "0", "1", "2", "-1", "x"}},
    {"bittype",   {"u1", "u8", "u7", "u16", "u32", "u63", "i1", "i8", "i5", "i16", "i32", "i64", "u64", "i65", "u0", "x8", "U8"}},
    {"pattern",   {"*", "?*", "string*", "*1", "[ls]*", "h?ll*", "a*", "", "[^s]*", "*[0-9]", "\\*", "l[a-", "none*", "member1*"}},
    {"lex",       {"-", "+", "[a", "(a", "[b", "(c", "[", "(", "a", "[member5", "(member2", "[member"}},
    {"bound",     {"-inf", "+inf", "0", "1", "(1", "2", "(2", "-1", "1.5", "(1.5", "(-inf", "(inf", "nan", "a", "5", "(5", "100"}},
    {"weight",    {"1", "2", "-1", "0", "0.5", "inf", "-inf", "1e308", "nan"}},
    {"timeout",   {"0", "1000", "999.5", "1e3", "0", "1000", "-1", "nan", "1e309", "x", "9223372036854775807", "-0.5"}},
    {"channel",   {"news", "news.it", "sport", "", "a\0b"s}},
    {"glob",      {"news*", "n?ws", "*", "[ns]*", "spor[^x]"}},
    {"db",        {"0", "1", "2", "0", "1", "0", "15", "16", "-1", "x", "2147483648", "99999999999"}},
    {"id",        {"1-1", "1-2", "2-0", "3", "5-5", "5-*", "7-1", "10-0", "11-1", "20-3", "0-0", "0-1", "18446744073709551615-18446744073709551615", "x", "1-", "-1", "99-1", "150-0"}},
    {"idbound",   {"-", "+", "1", "(1", "2-0", "5-5", "(5-5", "10", "(10-0", "0", "20-3", "x", "(-", "(18446744073709551615-18446744073709551615", "(0-0", "+ "}},
    {"maxlen",    {"0", "1", "2", "3", "10", "-1", "1000", "x"}},
    {"section",   {"server", "clients", "memory", "stats", "keyspace", "nonsense", "all"}},
    {"name",      {"me", "you", "a b", "", "x\ny", "\xff"}},
    {"user",      {"default", "default", "me", ""}},
    {"command",   {"get", "SET", "client|setname", "config|get", "nosuch", "zadd", "debug", "config|nosuch"}},
    {"reply",     {"string", "integer", "double", "bignum", "null", "array", "set", "map", "attrib", "verbatim", "true", "false", "nonsense"}},
    {"parameter", {"maxmemory", "timeout", "hash-max-listpack-*", "zset-max-ziplist-entries", "nosuch", "list-max-listpack-size"}},
    {"setting",   {"slowlog-max-len", "maxmemory-samples", "nosuch", "latency-tracking"}},
    {"by",        {"string*", "nosuch*", "hash*->a", "hash1->*", "nosort", "hash*->", "*"}},
    {"get",       {"#", "string*", "hash*->a", "hash*->member1", "nosuch*", "*->a", "plain"}},
    {"client",    {"{id-a}", "{id-b}", "{id-c}", "{id-d}", "0", "-1", "x", "99999999"}},
    {"event",     {"", "KEA", "Kx", "Eg$", "AKE", "KEAn", "q"}},
    {"size",      {"0", "1", "3", "8", "16", "64"}},
    {"listsize",  {"-1", "-2", "-5", "1", "2", "4", "16"}},
};
// clang-format on

constexpr std::string_view drawn[] = {"key",   "value",  "element", "member",  "field",  "int",
                                      "float", "score",  "seconds", "ms",      "at",     "atms",
                                      "past",  "pastms", "freshid", "numbers", "lexset", "junk"};

std::string number(random_source& random, std::uint64_t from, std::uint64_t count) {
    return std::to_string(from + random.below(count));
}

// Mostly few different ones, so that calls find them again; at times any of many.
std::string member(random_source& random) {
    auto const dice = random.below(100);
    if (dice < 45) return std::string(1, static_cast<char>('a' + random.below(6)));
    if (dice < 70) return "member" + number(random, 0, 30);
    if (dice < 80) return number(random, 0, 20);
    if (dice < 88) return any_of(random, integers);
    if (dice < 90) return any_of(random, floats);
    return any_of(random, odd);
}

std::string value(random_source& random) {
    auto const dice = random.below(100);
    if (dice < 35) return any_of(random, integers);
    if (dice < 50) return any_of(random, floats);
    return member(random);
}

// Times to live are so long that none runs out, and so many that no two are equal.
constexpr std::uint64_t life = 1000000, long_life = 2000000000;
constexpr std::uint64_t year_2100 = 4102444800;
words const bad_times = {"0", "-1", "-9223372036854775808", "9223372036854775807", "9223372036854775",
                         "x", "1.5"};

std::string time(random_source& random, std::uint64_t from, std::uint64_t count) {
    return chance(random, 8) ? any_of(random, bad_times) : number(random, from, count);
}

}  // namespace

bool is_pool(std::string_view name) {
    return is_key_kind(name) || std::find(std::begin(drawn), std::end(drawn), name) != std::end(drawn) ||
           std::any_of(std::begin(fixed), std::end(fixed), [&](auto const& p) { return p.name == name; });
}

std::string pick(random_source& random, std::string_view pool) {
    if (pool == "key") return key(random, any_of(random, key_kinds));
    if (is_key_kind(pool)) return key(random, pool);
    // Members that all have one score: no other sorted set has an order by bytes. "plain" is a string.
    if (pool == "lexset") return chance(random, 90) ? "lexset" + number(random, 1, 3) : "plain";
    if (pool == "junk") return junk(random);
    if (pool == "value") return value(random);
    if (pool == "element" || pool == "member" || pool == "field") return member(random);
    if (pool == "numbers") return chance(random, 90) ? number(random, 0, 600) : any_of(random, integers);
    if (pool == "int") return chance(random, 90) ? any_of(random, integers) : any_of(random, odd);
    if (pool == "float" || pool == "score") {
        if (chance(random, 50)) return number(random, 0, 10);
        return chance(random, 85) ? any_of(random, floats) : any_of(random, odd);
    }
    if (pool == "seconds") return time(random, life, life);
    if (pool == "ms") return time(random, long_life, long_life);
    if (pool == "at") return time(random, year_2100, life);
    if (pool == "atms") return time(random, year_2100 * 1000, long_life);
    if (pool == "past") return chance(random, 50) ? number(random, 1, life) : pick(random, "at");
    if (pool == "pastms") return chance(random, 50) ? number(random, 1, life) : pick(random, "atms");
    if (pool == "freshid")
        return number(random, 1, 30) + (chance(random, 70) ? "-" + number(random, 0, 9) : "-*");
    for (auto const& each : fixed)
        if (each.name == pool) return any_of(random, each.from);
    return {};
}

std::string junk(random_source& random) {
    static words const from = {"",
                               "x",
                               "abc",
                               "1.5e",
                               "--1",
                               "9223372036854775808",
                               "-9223372036854775809",
                               "nan",
                               "1 ",
                               "0x",
                               "\xff",
                               "a\0b"s,
                               "string1",
                               "list1",
                               "NOSUCH",
                               std::string(200, 'j')};
    return any_of(random, from);
}

}  // namespace respkit::differential
