#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/server/options.hpp>

using namespace respkit;

namespace {

server_options parse(std::vector<char const*> words) { return parse_server_options(words); }

// What stands in the config, read from standard input before the words.
server_options parse_config(std::string const& text, std::vector<char const*> words = {}) {
    std::istringstream in(text);
    words.insert(words.begin(), "-");
    return parse_server_options(words, in);
}

std::string config_complaint(std::string const& text) {
    try {
        parse_config(text);
    } catch (std::invalid_argument const& error) {
        return error.what();
    }
    return "(none)";
}

std::string complaint(std::vector<char const*> words) {
    try {
        parse(std::move(words));
    } catch (std::invalid_argument const& error) {
        return error.what();
    }
    return "(none)";
}

}  // namespace

TEST_CASE("options and their defaults") {
    auto const plain = parse({});
    CHECK(plain.mock.port == 6379);
    CHECK(plain.mock.bind == "127.0.0.1");
    CHECK(plain.mock.tcp);
    auto const o =
        parse({"--port", "0", "--requirepass", "secret", "--databases=4", "--maxclients", "7", "--seed", "9",
               "--emulate", "7.2", "--port-file", "p", "--quiet", "--load", "a", "--load=b"});
    CHECK(o.mock.load == std::vector<std::string>{"a", "b"});
    CHECK(o.mock.port == 0);
    CHECK(o.mock.server.password == "secret");
    CHECK(o.mock.server.databases == 4);
    CHECK(o.mock.server.max_clients == 7);
    CHECK(o.mock.server.seed == 9);
    CHECK(o.mock.server.emulate == emulation::redis_7_2);
    CHECK(o.port_file == "p");
    CHECK(parse({"--user", "bob", "on", ">pw", "-@all", "--user", "eve", "off"}).mock.server.users ==
          std::vector<std::string>{"bob on >pw -@all", "eve off"});
    CHECK(o.quiet);
}

TEST_CASE("port 0 with a unix socket means no TCP, port 0 alone any free port") {
    CHECK_FALSE(parse({"--port", "0", "--unixsocket", "/tmp/s"}).mock.tcp);
    CHECK(parse({"--port", "1234", "--unixsocket", "/tmp/s"}).mock.tcp);
    CHECK(parse({"--port", "0"}).mock.tcp);
}

TEST_CASE("what stands behind -- is a command, with a server on a free port") {
    auto const o = parse({"--databases", "2", "--", "npm", "test", "--", "-x"});
    CHECK(o.command == std::vector<std::string>{"npm", "test", "--", "-x"});
    CHECK(o.mock.port == 0);
    CHECK(parse({"--port", "7000", "--", "true"}).mock.port == 7000);
}

using list = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("options of redis-server are set where CONFIG knows them") {
    auto const o = parse({"--save", "", "--appendonly", "no", "--hash-max-listpack-entries", "8", "--save",
                          "60", "1", "--save", "300", "10"});
    CHECK(o.mock.server.config == list{{"save", ""},
                                       {"appendonly", "no"},
                                       {"hash-max-listpack-entries", "8"},
                                       {"save", "60 1"},
                                       {"save", "300 10"}});
    CHECK(o.warnings.empty());
}

TEST_CASE("what means nothing here is named in one line, unless nobody will miss it") {
    auto const o = parse({"--daemonize", "no", "--io-threads", "4", "--tcp-backlog", "511",
                          "--syslog-enabled", "no", "--tls-port", "0", "--auto-aof-rewrite-min-size", "64mb",
                          "--cluster-enabled", "yes", "--io-threads", "2"});
    CHECK(o.warnings ==
          std::vector<std::string>{"io-threads, cluster-enabled have no meaning here: ignored"});
    CHECK(parse({"--rename-command", "KEYS", ""}).warnings ==
          std::vector<std::string>{"rename-command has no meaning here: ignored"});
    CHECK(parse({"--bind", "127.0.0.1", "-::1"}).warnings.empty());
    CHECK(parse({"--enable-debug-command", "no"}).warnings.empty());
    CHECK(parse({"--bind", "127.0.0.1", "10.0.0.1"}).warnings.size() == 1);
}

TEST_CASE("an option that wants a value takes the next word, as in redis-server") {
    CHECK(parse({"--requirepass", "--secret"}).mock.server.password == "--secret");
    CHECK(parse({"--save", "--port", "7000"}).mock.server.config == list{{"save", ""}});
    CHECK(parse({"--port", "7000", "--save"}).mock.server.config == list{{"save", ""}});
    CHECK(parse({"--quiet", "--port 7000", "--PORT=7001"}).mock.port == 7001);
    CHECK(parse({"--save", "--", "true"}).mock.server.config == list{{"save", ""}});
}

TEST_CASE("a config is read before the options, its words quoted as in redis.conf") {
    auto const o = parse_config(
        "# a comment\n\n  PORT 7000\r\nrequirepass \"a \\x62\\\"\"\nmasterauth '#x'\nsave 900 1\nsave 60 3\n"
        "client-output-buffer-limit pubsub 1mb 1mb 60\ndir /tmp/d\nunixsocket s\nlogfile /tmp/l\npidfile p\n"
        "daemonize yes\nmaxclients 7",
        {"--maxclients", "8"});
    CHECK(o.mock.port == 7000);
    CHECK(o.mock.server.password == "a b\"");
    CHECK(o.mock.server.max_clients == 8);
    CHECK(o.mock.unix_path == "/tmp/d/s");
    CHECK(o.log_file == "/tmp/l");
    CHECK(o.pid_file == "/tmp/d/p");
    CHECK(o.daemonize);
    CHECK(o.mock.server.config == list{{"masterauth", "#x"},
                                       {"save", "900 1 60 3"},
                                       {"client-output-buffer-limit", "pubsub 1mb 1mb 60"},
                                       {"dir", "/tmp/d"}});
    std::istringstream last("port 7002\n");
    std::vector<char const*> const words{"--port", "7001", "-"};
    CHECK(parse_server_options(words, last).mock.port == 7001);
    CHECK_FALSE(parse_config("daemonize yes", {"--", "true"}).daemonize);
}

TEST_CASE("mistakes in a config name file, line and mend") {
    struct row {
        char const* text;
        char const* want;
    } const rows[] = {
        {"# c\n\nnosuch 1\n", "standard input:3: unknown directive 'nosuch': take the line out"},
        {"appendonly perhaps", "standard input:1: appendonly: argument must be 'yes' or 'no'"},
        {"appendonly no # why", "standard input:1: appendonly takes one value, got 3"},
        {"port \"7000", "standard input:1: unbalanced quotes in 'port \"7000'"},
        {"port \"7000\"1", "close them, and leave a blank behind a closing quote"},
        {"port", "standard input:1: port needs a value"},
        {"port 70000", "standard input:1: port: '70000' is not a number from 0 to 65535"},
        {"hz", "standard input:1: hz needs a value"},
        {"maxmemory 1x", "standard input:1: maxmemory: argument must be a memory value"},
        {"include", "standard input:1: include takes one path, got 0"},
        {"include /no/such/file", "cannot read config file '/no/such/file': No such file or directory"},
        {"include /tmp", "standard input:1: cannot read config file '/tmp': Is a directory"},
        {"include /no/such/*.conf\nquiet", "standard input:2: unknown directive 'quiet'"},
    };
    for (auto const& r : rows) {
        auto const found = config_complaint(r.text);
        CHECK_MESSAGE(found.find(r.want) != std::string::npos, found);
    }
}

TEST_CASE("what CONFIG SET refuses is refused by the engine, too") {
    respkit::clock time;
    CHECK_THROWS_WITH_AS(engine({.config = {{"appendonly", "perhaps"}}}, time),
                         doctest::Contains("'yes' or 'no'"), std::invalid_argument);
}

TEST_CASE("mistakes are one line that names them") {
    struct row {
        std::vector<char const*> words;
        char const* want;
    } const rows[] = {
        {{"--port", "70000"}, "--port: '70000' is not a number from 0 to 65535"},
        {{"--port", "x"}, "--port: 'x' is not"},
        {{"--port", "--bind"}, "--port: '--bind' is not"},
        {{"--port"}, "--port needs a value"},
        {{"--port", "1", "2"}, "--port takes one value, got 2"},
        {{"--databases", "0"}, "--databases: '0' is not a number from 1"},
        {{"--emulate", "6.0"}, "7.0 and 7.2 are known"},
        {{"--quiet", "yes"}, "--quiet takes no value"},
        {{"--nosuch", "1"}, "unknown option --nosuch"},
        {{"-p", "1"}, "unexpected word '-p'"},
        {{"--port", "1", "stray"}, "--port takes one value, got 2"},
        {{"stray"},
         "cannot read config file 'stray': No such file or directory; a command to run goes behind"},
        {{"--hz", "x"}, "--hz: argument couldn't be parsed into an integer; see --help"},
        {{"--include", "/no/such"}, "cannot read config file '/no/such'"},
        {{"--"}, "no command behind --"},
    };
    for (auto const& r : rows)
        CHECK_MESSAGE(complaint(r.words).find(r.want) != std::string::npos, complaint(r.words));
}
