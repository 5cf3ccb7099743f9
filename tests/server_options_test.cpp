#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/server/options.hpp>

using namespace respkit;

namespace {

server_options parse(std::vector<char const*> words) { return parse_server_options(words); }

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
    auto const o = parse({"--port", "0", "--requirepass", "secret", "--databases=4", "--maxclients", "7",
                          "--seed", "9", "--emulate", "7.2", "--port-file", "p", "--quiet"});
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

TEST_CASE("options of redis-server are set where CONFIG knows them, ignored aloud where they mean nothing") {
    auto const o = parse({"--save", "", "--appendonly", "no", "--hash-max-listpack-entries", "8", "--save",
                          "60", "1", "--daemonize", "no", "--logfile", "x"});
    using list = std::vector<std::pair<std::string, std::string>>;
    CHECK(o.mock.server.config ==
          list{{"save", ""}, {"appendonly", "no"}, {"hash-max-listpack-entries", "8"}, {"save", "60 1"}});
    CHECK(o.warnings.size() == 2);
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
        {{"--port"}, "--port needs a value"},
        {{"--port", "1", "2"}, "--port takes one value, got 2"},
        {{"--databases", "0"}, "--databases: '0' is not a number from 1"},
        {{"--emulate", "6.0"}, "7.0 and 7.2 are known"},
        {{"--quiet", "yes"}, "--quiet takes no value"},
        {{"--nosuch", "1"}, "unknown option --nosuch"},
        {{"stray"}, "unexpected word 'stray'"},
        {{"--"}, "no command behind --"},
    };
    for (auto const& r : rows)
        CHECK_MESSAGE(complaint(r.words).find(r.want) != std::string::npos, complaint(r.words));
}
