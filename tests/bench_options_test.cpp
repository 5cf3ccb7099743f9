#include <sys/resource.h>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/bench/environment.hpp>
#include <respkit/bench/names.hpp>
#include <respkit/bench/plan.hpp>
#include <respkit/bench/workload.hpp>

using namespace respkit::bench;

namespace {

parsed parse_line(std::vector<char const*> words) {
    words.insert(words.begin(), "respkit-bench");
    return parse(static_cast<int>(words.size()), words.data());
}

plan good(std::vector<char const*> words) {
    auto p = parse_line(std::move(words));
    CHECK(p.err == "");
    REQUIRE(p.plan);
    return *p.plan;
}

}  // namespace

TEST_CASE("without options the plan is redis-benchmark's, against a server of our own") {
    auto const p = good({});
    CHECK(p.embedded);
    CHECK(p.requests == 100'000);
    CHECK(p.connections == 50);
    CHECK(p.pipeline == 1);
    CHECK(p.data_size == 3);
    CHECK(p.keyspace == 0);
    CHECK(p.keep_alive);
    CHECK(p.tests.empty());
    CHECK(p.command.empty());
}

TEST_CASE("options arrive") {
    auto const p = good({"-h",      "example",
                         "-p",      "7000",
                         "-a",      "pw",
                         "--user",  "bob",
                         "--dbnum", "3",
                         "-n",      "5000000000",
                         "-c",      "7",
                         "-P",      "16",
                         "-d",      "100",
                         "-r",      "4294967296",
                         "-k",      "0",
                         "-q",      "-3",
                         "--csv",   "--precision",
                         "6",       "--threads",
                         "2",       "--seed",
                         "9",       "-t",
                         "GET,set", "--allow-errors",
                         "0.5",     "--json",
                         "x.json",  "--explain",
                         "-l"});
    CHECK_FALSE(p.embedded);
    CHECK(p.target.name() == "example:7000");
    CHECK(p.target.password == "pw");
    CHECK(p.target.user == "bob");
    CHECK(p.target.db == 3);
    CHECK(p.requests == 5'000'000'000);
    CHECK(p.connections == 7);
    CHECK(p.pipeline == 16);
    CHECK(p.data_size == 100);
    CHECK(p.keyspace == 4'294'967'296);
    CHECK_FALSE(p.keep_alive);
    CHECK(p.quiet);
    CHECK(p.resp3);
    CHECK(p.csv);
    CHECK(p.precision == 6);
    CHECK(p.threads == 2);
    CHECK(p.seed == 9);
    CHECK(p.tests == std::vector<std::string>{"get", "set"});
    CHECK(p.allow_errors == 0.5);
    CHECK(p.json_path == "x.json");
    CHECK(p.explain);
    CHECK(p.loop);
    CHECK(p.command_line.find("pw") == std::string::npos);
}

TEST_CASE("a repeated option takes its last value, values may be glued on") {
    CHECK(good({"-n", "5", "-n", "6"}).requests == 6);
    CHECK(good({"-n", "5", "-n6"}).requests == 6);
    CHECK(good({"--requests=8"}).requests == 8);
    CHECK(good({"-qn", "9"}).requests == 9);
}

TEST_CASE("the command line is kept without its passwords") {
    CHECK(good({"-asecret", "-n", "5"}).command_line == "respkit-bench -a*** -n 5");
    CHECK(good({"-qasecret"}).command_line == "respkit-bench -qa***");
    CHECK(good({"-qa", "secret", "-l"}).command_line == "respkit-bench -qa *** -l");
    CHECK(good({"--pass=secret", "--json", "-a"}).command_line == "respkit-bench --pass=*** --json -a");
    CHECK(good({"--pass", "a b", "GET", "a b", "-ak"}).command_line ==
          "respkit-bench --pass *** GET 'a b' -ak");
    CHECK(good({"-uredis://:secret@h"}).command_line == "respkit-bench ***");
    CHECK(good({"-asecret"}).target.password == "secret");
}

TEST_CASE("the payload size is clamped") {
    CHECK(good({"-d", "0"}).data_size == 1);
    CHECK(good({"-d", "99999999999"}).data_size == std::size_t{1} << 30);
}

TEST_CASE("targets") {
    CHECK(good({"-p", "7000"}).target.name() == "127.0.0.1:7000");
    CHECK(good({"-h", "example"}).target.name() == "example:6379");
    CHECK(good({"-s", "/tmp/x"}).target.name() == "unix:/tmp/x");
    auto const p = good({"-u", "redis://bob:p%40w@example:7001/4"});
    CHECK(p.target.name() == "example:7001");
    CHECK(p.target.user == "bob");
    CHECK(p.target.password == "p@w");
    CHECK(p.target.db == 4);
    CHECK(p.command_line.find("p%40w") == std::string::npos);
    CHECK(good({"-u", "unix:///tmp/x?db=2"}).target.db == 2);
    CHECK(good({"-u", "redis://[::1]:7002"}).target.name() == "[::1]:7002");
}

TEST_CASE("the first word without a dash begins a command, and all that follows belongs to it") {
    using words = std::vector<std::string>;
    auto const p = good({"-n", "10", "-q", "SET", "k", "-n", "--help", "-q"});
    CHECK(p.requests == 10);
    CHECK(p.command == words{"SET", "k", "-n", "--help", "-q"});
    CHECK(good({"--", "suite", "redis"}).command == words{"suite", "redis"});
    CHECK(good({"-n", "3", "--", "-x"}).command == words{"-x"});
    auto const with_tests = good({"-t", "get", "PING"});
    CHECK(with_tests.tests.empty());
    CHECK(with_tests.warnings.size() == 1);
}

TEST_CASE("a suite's options may stand before and behind its name") {
    auto const p = good({"-p", "7000", "suite", "servicestack", "--scale", "0.5", "--eager", "--readers",
                         "r1:7001,[::1]:7002", "-asecret", "--json", "x.json"});
    CHECK(p.suite.name == "servicestack");
    CHECK(p.suite.scale == 0.5);
    CHECK(p.suite.eager);
    CHECK(p.child);
    CHECK(p.target.name() == "127.0.0.1:7000");
    REQUIRE(p.suite.readers.size() == 2);
    CHECK(p.suite.readers[1].name() == "[::1]:7002");
    CHECK(p.suite.readers[1].password == "secret");
    CHECK(p.json_path == "x.json");
    CHECK(p.command.empty());
    CHECK(p.command_line.find("secret") == std::string::npos);
    auto const j = good({"suite", "jedis", "--task-ops", "50", "--pool", "4", "--borrow", "op",
                         "--test-on-borrow", "--cold", "--markdown", "x.md"});
    CHECK_FALSE(j.child);
    CHECK(j.suite.task_ops == 50);
    CHECK(j.suite.pool == 4);
    CHECK(j.suite.borrow == borrowing::operation);
    CHECK(j.suite.test_on_borrow);
    CHECK(j.suite.cold);
    CHECK(j.suite.markdown_path == "x.md");
}

TEST_CASE("driver hiredis has a thread for each connection") {
    auto const p = good({"--driver", "hiredis", "-c", "7"});
    CHECK(p.driver == driver::hiredis);
    CHECK(p.threads == 7);
    CHECK(good({"--driver", "hiredis", "-c", "7", "--threads", "2"}).warnings.size() == 1);
    CHECK(good({"--driver", "memory"}).driver == driver::memory);
}

TEST_CASE("what makes no sense is one line, and exit 2") {
    struct row {
        std::vector<char const*> words;
        char const* line;
    };
    for (row const& r : {
             row{{"-n", "10x"}, "-n wants a whole number, not '10x'"},
             row{{"-n", "-5"}, "-n wants a whole number, not '-5'"},
             row{{"-n", ""}, "-n wants a whole number, not ''"},
             row{{"-n", "0"}, "-n wants a number from 1 to 9,223,372,036,854,775,807, not 0"},
             row{{"-n", "99999999999999999999"},
                 "-n wants a number from 1 to 9,223,372,036,854,775,807, not 99999999999999999999"},
             row{{"-c", "0"}, "-c wants a number from 1 to 1,000,000, not 0"},
             row{{"-P", "0"}, "-P wants a number from 1 to 1,000,000, not 0"},
             row{{"-p", "70000"}, "-p wants a number from 1 to 65,535, not 70000"},
             row{{"-k", "2"}, "-k wants a number from 0 to 1, not 2"},
             row{{"-n"}, "-n wants a value"},
             row{{"--nope"}, "unknown option --nope (--help lists them)"},
             row{{"--cluster"}, "--cluster is not supported yet"},
             row{{"--enable-tracking"}, "--enable-tracking is not supported yet"},
             row{{"--tls"}, "--tls is not supported yet"},
             row{{"overhead"}, "'overhead' is not built yet (after -- it is sent as a command)"},
             row{{"suite"}, "suite wants redis, jedis or servicestack"},
             row{{"suite", "mysql"}, "suite wants redis, jedis or servicestack, not 'mysql'"},
             row{{"suite", "redis", "more"}, "'more' follows the suite's options"},
             row{{"-n", "5", "suite", "redis"},
                 "-n is not for a suite: the published table fixes it (--scale multiplies its counts)"},
             row{{"suite", "jedis", "--scale", "0"}, "--scale wants a factor above 0, up to 1,000, not '0'"},
             row{{"suite", "jedis", "--borrow", "never"}, "--borrow wants task or op, not 'never'"},
             row{{"suite", "redis", "--cold"}, "--cold is for respkit-bench suite jedis"},
             row{{"suite", "servicestack", "--readers", "a:b"},
                 "--readers wants HOST:PORT,HOST:PORT, not 'a:b'"},
             row{{"--scale", "2"}, "--scale is for respkit-bench suite redis|jedis|servicestack"},
             row{{"--driver", "curl"}, "--driver wants asio, hiredis or memory, not 'curl'"},
             row{{"--driver", "hiredis", "-3"}, "--driver hiredis speaks RESP2 only: leave out -3"},
             row{{"--driver", "hiredis", "--window", "4"}, "--driver hiredis knows no --window"},
             row{{"--driver", "memory", "-p", "7000"},
                 "--driver memory has no server to aim at: leave out -h, -p, -s, -u"},
             row{{"--driver", "memory", "--threads", "2"},
                 "--driver memory has one thread: leave out --threads"},
             row{{"--allow-errors", "2"}, "--allow-errors wants a share from 0 to 1, not '2'"},
             row{{"-x"}, "-x needs a command whose last word it reads from standard input"},
             row{{"--user", "bob"}, "--user needs a password, too (-a)"},
             row{{"-P", "2", "--window", "2"}, "-P sends batches and --window slides: give one of them"},
             row{{"-u", "http://x"},
                 "-u 'http://x' is not a server's URI: it begins with neither redis:// nor unix:// "
                 "(redis://user:password@host:port/db or unix:///path)"},
         }) {
        auto const p = parse_line(r.words);
        CHECK_FALSE(p.plan);
        CHECK(p.exit_code == 2);
        CHECK(p.out == "");
        CHECK(p.err == "respkit-bench: " + std::string(r.line) + "\n");
    }
    auto const unknown = parse_line({"-t", "get,nosuch"});
    CHECK(unknown.exit_code == 2);
    CHECK(unknown.err.starts_with("respkit-bench: -t knows no test 'nosuch'; it knows ping_inline ping "));
}

TEST_CASE("as many descriptors as the system lets us have") {
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max - 1;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(raise_descriptor_limit() == limit.rlim_max);
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(limit.rlim_cur == limit.rlim_max);
}

TEST_CASE("help and version go to stdout") {
    auto const help = parse_line({"--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.out.find("--keepalive") != std::string::npos);
    auto const version = parse_line({"-v"});
    CHECK(version.exit_code == 0);
    CHECK(version.out.starts_with("respkit-bench "));
}

TEST_CASE("the twenty tests are sent as redis-benchmark sends them") {
    struct row {
        char const* title;
        char const* plain;   // without -r
        char const* random;  // with -r; holes still hold the placeholder
        std::size_t holes;
    };
    std::string const key = "$16\r\nkey:__rand_int__\r\n";
    std::string const pair = key + "$3\r\nVXK\r\n";
    std::string mset = "*21\r\n$4\r\nMSET\r\n";
    for (int i = 0; i < 10; ++i) mset += pair;
    std::string const push = "*3\r\n$5\r\nLPUSH\r\n$6\r\nmylist\r\n$3\r\nVXK\r\n";
    auto const lrange = [](char const* last) {
        return "*4\r\n$6\r\nLRANGE\r\n$6\r\nmylist\r\n$1\r\n0\r\n$" +
               std::to_string(std::string(last).size()) + "\r\n" + last + "\r\n";
    };
    std::string const range100 = lrange("99"), range300 = lrange("299"), range500 = lrange("499"),
                      range600 = lrange("599");
    row const rows[] = {
        {"PING_INLINE", "PING\r\n", nullptr, 0},
        {"PING_MBULK", "*1\r\n$4\r\nPING\r\n", nullptr, 0},
        {"SET", "*3\r\n$3\r\nSET\r\n$16\r\nkey:__rand_int__\r\n$3\r\nVXK\r\n", nullptr, 1},
        {"GET", "*2\r\n$3\r\nGET\r\n$16\r\nkey:__rand_int__\r\n", nullptr, 1},
        {"INCR", "*2\r\n$4\r\nINCR\r\n$20\r\ncounter:__rand_int__\r\n", nullptr, 1},
        {"LPUSH", push.c_str(), nullptr, 0},
        {"RPUSH", "*3\r\n$5\r\nRPUSH\r\n$6\r\nmylist\r\n$3\r\nVXK\r\n", nullptr, 0},
        {"LPOP", "*2\r\n$4\r\nLPOP\r\n$6\r\nmylist\r\n", nullptr, 0},
        {"RPOP", "*2\r\n$4\r\nRPOP\r\n$6\r\nmylist\r\n", nullptr, 0},
        {"SADD", "*3\r\n$4\r\nSADD\r\n$5\r\nmyset\r\n$20\r\nelement:__rand_int__\r\n", nullptr, 1},
        {"HSET", "*4\r\n$4\r\nHSET\r\n$6\r\nmyhash\r\n$20\r\nelement:__rand_int__\r\n$3\r\nVXK\r\n", nullptr,
         1},
        {"SPOP", "*2\r\n$4\r\nSPOP\r\n$5\r\nmyset\r\n", nullptr, 0},
        {"ZADD", "*4\r\n$4\r\nZADD\r\n$6\r\nmyzset\r\n$1\r\n0\r\n$20\r\nelement:__rand_int__\r\n",
         "*4\r\n$4\r\nZADD\r\n$6\r\nmyzset\r\n$12\r\n__rand_int__\r\n$20\r\nelement:__rand_int__\r\n", 2},
        {"ZPOPMIN", "*2\r\n$7\r\nZPOPMIN\r\n$6\r\nmyzset\r\n", nullptr, 0},
        {"LPUSH (needed to benchmark LRANGE)", push.c_str(), nullptr, 0},
        {"LRANGE_100 (first 100 elements)", range100.c_str(), nullptr, 0},
        {"LRANGE_300 (first 300 elements)", range300.c_str(), nullptr, 0},
        {"LRANGE_500 (first 500 elements)", range500.c_str(), nullptr, 0},
        {"LRANGE_600 (first 600 elements)", range600.c_str(), nullptr, 0},
        {"MSET (10 keys)", mset.c_str(), nullptr, 10},
    };
    auto const plain = redis_tests(3, false), random = redis_tests(3, true);
    REQUIRE(plain.size() == 20);
    for (std::size_t i = 0; i < 20; ++i) {
        CAPTURE(rows[i].title);
        CHECK(plain[i].title == rows[i].title);
        CHECK(plain[i].label.size() <= 16);
        auto const fixed = encode(plain[i], naming::none);
        CHECK(fixed.bytes == rows[i].plain);
        CHECK(fixed.holes.empty());
        auto const drawn = encode(random[i], naming::random);
        CHECK(drawn.bytes == (rows[i].random ? rows[i].random : rows[i].plain));
        CHECK(drawn.holes.size() == rows[i].holes);
        for (auto const hole : drawn.holes) CHECK(drawn.bytes.substr(hole, 12) == request::placeholder);
    }
}

TEST_CASE("tokens choose tests, in the order of the table") {
    auto const titles = [](std::vector<std::string> const& tokens) {
        std::string out;
        for (auto const& w : select(redis_tests(3, false), tokens)) out += w.label + ";";
        return out;
    };
    CHECK(titles({"get", "set"}) == "SET;GET;");
    CHECK(titles({"ping"}) == "PING_INLINE;PING_MBULK;");
    CHECK(titles({"lrange_300"}) == "LPUSH for LRANGE;LRANGE_300;");
    CHECK(titles({"lrange"}) == "LPUSH for LRANGE;LRANGE_100;LRANGE_300;LRANGE_500;LRANGE_600;");
    CHECK(titles({"mset"}) == "MSET (10 keys);");
    CHECK(select(redis_tests(3, false), {}).size() == 20);
}

TEST_CASE("the payload is redis-benchmark's") {
    CHECK(payload(3) == "VXK");
    CHECK(payload(64) == "VXKeHogKgJ=[5V9_X^b?48OKF2jGA<f:iR@50o7dS3JV4Q6L68lC[GTA]0DaMg?_");
}

TEST_CASE("numbers are written with twelve digits, and batches repeat their holes") {
    char digits[12];
    for (auto const& [n, text] : {std::pair<std::uint64_t, char const*>{0, "000000000000"},
                                  {42, "000000000042"},
                                  {123'456'789'012, "123456789012"},
                                  {999'999'999'999, "999999999999"}}) {
        write_digits(digits, n);
        CHECK(std::string(digits, 12) == text);
    }
    auto const one = encode(custom({"GET", "k:__rand_int__"}), naming::random);
    auto const three = repeat(one, 3);
    CHECK(three.bytes == one.bytes + one.bytes + one.bytes);
    REQUIRE(three.holes.size() == 3);
    CHECK(three.holes[2] == one.holes[0] + 2 * one.bytes.size());
}

TEST_CASE("a command of one's own is titled by its text") {
    auto const w = custom({"SET", "somekey", "__rand_int__"});
    CHECK(w.title == "SET somekey __rand_int__");
    CHECK(w.label == "SET somekey __..");
}
