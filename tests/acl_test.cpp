// Users that the server is started with, the default user, and log-ins that go wrong.
#include <stdexcept>

#include <doctest/doctest.h>

#include "engine_client.hpp"
#include <respkit/resp/value.hpp>
#include <respkit/server/mock.hpp>

namespace {

using respkit::engine_options;
using respkit::test::client;
using respkit::test::server;

std::string complaint(std::vector<std::string> users) {
    try {
        server s(engine_options{.users = std::move(users)});
    } catch (std::invalid_argument const& error) {
        return error.what();
    }
    return "(none)";
}

constexpr std::string_view no_auth = "-NOAUTH Authentication required.\r\n";
constexpr std::string_view wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";

}  // namespace

TEST_CASE("users that are given at the start") {
    server s(
        engine_options{.users = {"alice on >secret ~cache:* +@read", "bob on nopass ~* (+get %R~x) +set"}});
    client a(s);
    CHECK(a({"GET", "other"}) == "$-1\r\n");
    CHECK(a({"AUTH", "alice", "wrong"}) == wrong);
    CHECK(a({"AUTH", "alice", "secret"}) == "+OK\r\n");
    CHECK(a({"GET", "cache:1"}) == "$-1\r\n");
    CHECK(a({"SET", "cache:1", "x"}) == "-NOPERM this user has no permissions to run the 'set' command\r\n");
    CHECK(a({"GET", "other"}) ==
          "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n");
    CHECK(a({"AUTH", "bob", ""}) == "+OK\r\n");
    CHECK(a({"GET", "x"}) == "$-1\r\n");
}

TEST_CASE("a user's line that is none says which rule") {
    CHECK(complaint({"alice on +nosuch"}) ==
          "user alice: Error in ACL SETUSER modifier '+nosuch': Unknown command or category name in ACL");
    CHECK(complaint({"alice (+get"}) ==
          "user alice: Unmatched parenthesis in acl selector starting at '(+get'.");
    CHECK(complaint({" "}).starts_with("user: a name is missing"));
    CHECK(complaint({"alice on", "alice off"}).starts_with("user alice: defined twice"));
    CHECK(complaint({"alice on", "default off"}) == "(none)");
}

TEST_CASE("requirepass is the default user's password") {
    server s(engine_options{.password = "secret"});
    client a(s), b(s);
    CHECK(a({"GET", "k"}) == no_auth);
    CHECK(a({"AUTH", "nobody", "secret"}) == wrong);
    CHECK(a({"AUTH", "secret"}) == "+OK\r\n");
    CHECK(a({"ACL", "LIST"})
              .find("user default on "
                    "#2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b ~* &* "
                    "+@all\r\n") != std::string::npos);
    CHECK(a({"CONFIG", "SET", "requirepass", ""}) == "+OK\r\n");
    CHECK(b({"GET", "k"}) == "$-1\r\n");  // nobody is asked any longer, not even those who were there
    CHECK(a({"ACL", "SETUSER", "default", ">other"}) == "+OK\r\n");
    CHECK(b({"GET", "k"}) == no_auth);
    CHECK(a({"ACL", "SETUSER", "default", "off"}) == "+OK\r\n");
    CHECK(b({"AUTH", "other"}) == wrong);
    CHECK(a({"GET", "k"}) == "$-1\r\n");  // who is in stays in
    CHECK(a({"RESET"}) == "+RESET\r\n");
    CHECK(a({"GET", "k"}) == no_auth);
}

TEST_CASE("the program that embeds the server may do everything") {
    respkit::mock m(respkit::mock_options{.tcp = true, .server = {.users = {"default off"}}});
    CHECK(m.run({"SET", "k", "v"}).text == "OK");
    CHECK(m.run({"ACL", "WHOAMI"}).text == "default");
    CHECK(m.run({"ACL", "DELUSER", "default"}).is_error());
}

TEST_CASE("who leaves in the middle of a handshake leaves nothing behind") {
    server s(engine_options{.password = "secret", .users = {"alice on >pw +@all"}});
    client admin(s);
    admin({"AUTH", "secret"});
    std::string const hello =
        "*7\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$5\r\nalice\r\n$2\r\npw\r\n$7\r\nSETNAME\r\n"
        "$1\r\nx\r\n";
    for (std::size_t cut = 0; cut <= hello.size(); ++cut) {
        client half(s);
        auto const reply = half.raw(hello.substr(0, cut));
        CHECK(reply.empty() == (cut < hello.size()));
        half.leave();
        CHECK(s.core.sessions() == 1);
    }
    client gone(s);
    gone({"AUTH", "alice", "pw"});
    gone.raw("*2\r\n$3\r\nGET\r\n");
    CHECK(admin({"ACL", "DELUSER", "alice"}) == ":1\r\n");
    CHECK(gone.raw("$1\r\nk\r\n").empty());
    CHECK(gone.ended);
    gone.leave();
    CHECK(s.core.sessions() == 1);
}

TEST_CASE("hostile log-ins") {
    server s(engine_options{.password = "secret"});
    std::string const long_word(16384, 'x');
    client a(s);
    CHECK(a({"AUTH", long_word, long_word}) == wrong);
    CHECK(a({"HELLO", "3", "AUTH", long_word, long_word}) == wrong);
    CHECK(a({"HELLO", "3", "SETNAME", long_word}).starts_with("-NOAUTH HELLO must be called"));
    CHECK(a({"HELLO", "3", "AUTH", "default"}) == "-ERR Syntax error in HELLO option 'AUTH'\r\n");
    CHECK(a.raw("*3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$16385\r\n") ==
          "-ERR Protocol error: unauthenticated bulk length\r\n");
    CHECK(a.ended);
    client b(s);
    for (int i = 0; i < 1000; ++i) b({"AUTH", "user" + std::to_string(i), "x"});
    b({"AUTH", "secret"});
    auto const log = b({"ACL", "LOG", "1000000"});
    CHECK(log.starts_with("*128\r\n"));
    CHECK(b({"CONFIG", "SET", "acllog-max-len", "0"}) == "+OK\r\n");
    b({"AUTH", "nobody", "x"});
    CHECK(b({"ACL", "LOG"}) == "*0\r\n");
}

TEST_CASE("MONITOR does not show passwords") {
    server s(engine_options{.users = {"alice on >pw +@all"}});
    client monitoring(s), a(s);
    monitoring({"MONITOR"});
    a({"AUTH", "alice", "pw"});
    a({"HELLO", "3", "AUTH", "alice", "pw", "SETNAME", "x"});
    auto const seen = monitoring.news();
    CHECK(seen.find("\"AUTH\" \"(redacted)\" \"(redacted)\"\r\n") != std::string::npos);
    CHECK(seen.find("\"HELLO\" \"3\" \"AUTH\" \"(redacted)\" \"(redacted)\" \"SETNAME\" \"x\"\r\n") !=
          std::string::npos);
}
