// The printed form of replies: one string of bytes each, and the patterns that match several.
#include <set>

#include <doctest/doctest.h>

#include <respkit/fixtures/case.hpp>

namespace {

using namespace respkit::fixtures;

reply parsed(std::string const& text) {
    scanner in(text, "f", 1);
    return parse_reply(in);
}

// What `pattern` says to the reply with these bytes.
bool fits(std::string const& pattern, std::string const& bytes) {
    auto const now = expectation::of_reply(parsed(pattern)).take(bytes);
    return now.what == expectation::progress::taken && now.used == bytes.size();
}

struct row {
    std::string text, bytes;
};

// Every type, and everything that could be taken for one another.
std::vector<row> const rows = {
    {"OK", "+OK\r\n"},
    {"@fast", "+@fast\r\n"},
    {"+\"\"", "+\r\n"},
    {"+\"two words\"", "+two words\r\n"},
    {"+\"(nil)\"", "+(nil)\r\n"},
    {"+\"7\"", "+7\r\n"},
    {"+\"...\"", "+...\r\n"},
    {"\"OK\"", "$2\r\nOK\r\n"},
    {"\"\"", "$0\r\n\r\n"},
    {"\"7\"", "$1\r\n7\r\n"},
    {"\"a\\r\\n\\x00\\xff\\\"\"", "$6\r\na\r\n\0\xff\"\r\n" + std::string()},
    {"(error) ERR no", "-ERR no\r\n"},
    {"(error) \"ERR no \"", "-ERR no \r\n"},
    {"(error) \"\"", "-\r\n"},
    {"(error) \"ERR a ... b\"", "-ERR a ... b\r\n"},
    {"(bulk error) \"ERR no\"", "!6\r\nERR no\r\n"},
    {"7", ":7\r\n"},
    {"-9223372036854775808", ":-9223372036854775808\r\n"},
    {"(double) 7", ",7\r\n"},
    {"(double) -1.5e+30", ",-1.5e+30\r\n"},
    {"(double) inf", ",inf\r\n"},
    {"(double) -inf", ",-inf\r\n"},
    {"(double) nan", ",nan\r\n"},
    {"(big) 7", "(7\r\n"},
    {"(true)", "#t\r\n"},
    {"(false)", "#f\r\n"},
    {"(nil)", "$-1\r\n"},
    {"(nil array)", "*-1\r\n"},
    {"(null)", "_\r\n"},
    {"(verbatim txt) \"a\"", "=5\r\ntxt:a\r\n"},
    {"[]", "*0\r\n"},
    {"~[]", "~0\r\n"},
    {">[]", ">0\r\n"},
    {"{}", "%0\r\n"},
    {"[1, [], {\"k\": (null)}, (error) \"ERR x\"]", "*4\r\n:1\r\n*0\r\n%1\r\n$1\r\nk\r\n_\r\n-ERR x\r\n"},
    {"~[OK, \"OK\"]", "~2\r\n+OK\r\n$2\r\nOK\r\n"},
    {">[\"message\", 1]", ">2\r\n$7\r\nmessage\r\n:1\r\n"},
    {"{1: 2, OK: [3]}", "%2\r\n:1\r\n:2\r\n+OK\r\n*1\r\n:3\r\n"},
    {"[\"k\", 1]", "*2\r\n$1\r\nk\r\n:1\r\n"},
    {"|{\"ttl\": 3} \"v\"", "|1\r\n$3\r\nttl\r\n:3\r\n$1\r\nv\r\n"},
    {"[1, |{\"ttl\": 3} 2]", "*2\r\n:1\r\n|1\r\n$3\r\nttl\r\n:3\r\n:2\r\n"},
};

std::string bytes_of(row const& r) {
    // The literal with a NUL cannot end at it.
    return r.text.find("\\x00") == std::string::npos ? r.bytes : std::string("$6\r\na\r\n\0\xff\"\r\n", 12);
}

}  // namespace

TEST_CASE("each printed form is one string of bytes, and each such string has that form") {
    std::set<std::string> seen;
    for (auto const& r : rows) {
        INFO(r.text);
        auto const bytes = bytes_of(r);
        CHECK(encode(parsed(r.text)) == bytes);
        CHECK(seen.insert(bytes).second);
        auto const back = printable_replies(bytes);
        REQUIRE(back.size() == 1);
        CHECK(print(back[0]) == r.text);
    }
}

TEST_CASE("an expectation refuses every other type") {
    for (auto const& wanted : rows)
        for (auto const& found : rows) {
            INFO(wanted.text, " against ", found.text);
            CHECK(fits(wanted.text, bytes_of(found)) == (wanted.text == found.text));
        }
}

TEST_CASE("bytes that Redis would spell otherwise stay bytes") {
    for (std::string const bytes : {":+7\r\n", ":07\r\n", "*?\r\n:1\r\n.\r\n", "$?\r\n;1\r\na\r\n;0\r\n",
                                    "=4\r\n1xt:\r\n", "+OK\r\nx", "+OK", "*2\r\n:1\r\n"}) {
        INFO(bytes);
        CHECK(printable_replies(bytes).empty());
    }
    CHECK(printable_replies("+OK\r\n:1\r\n").size() == 2);
}

TEST_CASE("wildcards") {
    CHECK(fits("(any)", "+OK\r\n"));
    CHECK(fits("(any)", "*2\r\n:1\r\n_\r\n"));
    CHECK(fits("\"a\" ... \"c\"", "$3\r\nabc\r\n"));
    CHECK(fits("\"a\" ...", "$1\r\na\r\n"));
    CHECK(fits("... \"c\"", "$3\r\nabc\r\n"));
    CHECK(fits("\"a\" ... \"b\" ... \"c\"", "$5\r\naxbyc\r\n"));
    CHECK_FALSE(fits("\"a\" ... \"a\"", "$1\r\na\r\n"));
    CHECK_FALSE(fits("\"a\" ...", "+abc\r\n"));
    CHECK(fits("+\"a\" ...", "+abc\r\n"));
    CHECK(fits("(error) ERR no...", "-ERR no such thing\r\n"));
    CHECK_FALSE(fits("(error) ERR no...", "-ERR yes\r\n"));
    CHECK_FALSE(fits("(error) ERR no...", "$6\r\nERR no\r\n"));
    CHECK(fits("[1, ..., 4]", "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n"));
    CHECK(fits("[1, ..., 4]", "*2\r\n:1\r\n:4\r\n"));
    CHECK_FALSE(fits("[1, ..., 4]", "*3\r\n:1\r\n:4\r\n:5\r\n"));
    CHECK(fits("[...]", "*0\r\n"));
    CHECK_FALSE(fits("[...]", "*-1\r\n"));
    CHECK_FALSE(fits("[...]", "~1\r\n:1\r\n"));
    CHECK(fits("{...}", "%1\r\n:1\r\n:2\r\n"));
    CHECK(fits("{\"a\": (any), ...}", "%2\r\n$1\r\na\r\n:2\r\n:3\r\n:4\r\n"));
    CHECK_FALSE(fits("{..., 3: 5}", "%2\r\n$1\r\na\r\n:2\r\n:3\r\n:4\r\n"));
    for (std::string const text :
         {"(any)", "\"a\" ... \"c\"", "\"\" ...", "\"\" ... \"c\"", "[1, ..., 4]", "{...}",
          "(error) ERR no...", "{\"a\": (any), ...}", "1..2", "..2", "1..", "(double) 1.5..2",
          "(unordered) ~[1, (any)]", "(unordered pairs) [1, 2, ..., ...]"}) {
        INFO(text);
        CHECK(print(parsed(text)) == text);
    }
}

TEST_CASE("ranges") {
    CHECK(fits("5..7", ":5\r\n"));
    CHECK(fits("5..7", ":7\r\n"));
    CHECK_FALSE(fits("5..7", ":8\r\n"));
    CHECK_FALSE(fits("5..7", ":4\r\n"));
    CHECK_FALSE(fits("5..7", "$1\r\n6\r\n"));
    CHECK_FALSE(fits("5..7", ",6\r\n"));
    CHECK(fits("-5..", ":9223372036854775807\r\n"));
    CHECK(fits("..5", ":-9223372036854775808\r\n"));
    CHECK_FALSE(fits("..5", ":6\r\n"));
    CHECK(fits("(double) 0.5..1.5", ",1.25\r\n"));
    CHECK_FALSE(fits("(double) 0.5..1.5", ",1.75\r\n"));
    CHECK_FALSE(fits("5..7", ":+6\r\n"));
    CHECK(fits("[1..2, \"a\"]", "*2\r\n:2\r\n$1\r\na\r\n"));
}

TEST_CASE("unordered lists") {
    std::string const three = "*3\r\n:1\r\n:2\r\n:3\r\n";
    CHECK(fits("(unordered) [3, 1, 2]", three));
    CHECK_FALSE(fits("(unordered) [3, 1, 1]", three));
    CHECK_FALSE(fits("(unordered) [3, 1]", three));
    CHECK_FALSE(fits("(unordered) [3, 1, 2, 4]", three));
    CHECK_FALSE(fits("(unordered) ~[3, 1, 2]", three));
    CHECK(fits("(unordered) [..., 2]", three));
    CHECK_FALSE(fits("(unordered) [..., 4]", three));
    CHECK(fits("(unordered) [1..3, 3, 1..2]", three));  // 1..3 must not take what the others need
    CHECK(fits("(unordered) ~[\"b\", \"a\"]", "~2\r\n$1\r\na\r\n$1\r\nb\r\n"));
    CHECK(fits("(unordered) {2: 3, 1: 2}", "%2\r\n:1\r\n:2\r\n:2\r\n:3\r\n"));
    CHECK_FALSE(fits("(unordered) {2: 1, 3: 2}", "%2\r\n:1\r\n:2\r\n:2\r\n:3\r\n"));
    std::string const pairs = "*4\r\n:1\r\n:2\r\n:2\r\n:3\r\n";
    CHECK(fits("(unordered pairs) [2, 3, 1, 2]", pairs));
    CHECK_FALSE(fits("(unordered pairs) [2, 2, 1, 3]", pairs));
    CHECK_FALSE(fits("(unordered pairs) [2, 3]", "*3\r\n:2\r\n:3\r\n:4\r\n"));
    CHECK(fits("[(unordered) [2, 1], 3]", "*2\r\n*2\r\n:1\r\n:2\r\n:3\r\n"));
}

TEST_CASE("an expectation takes one reply and leaves the rest") {
    auto const taken = [](std::string const& text, std::string const& inbox) {
        auto const now = expectation::of_reply(parsed(text)).take(inbox);
        return now.what == expectation::progress::more    ? -1
               : now.what == expectation::progress::wrong ? -2
                                                          : static_cast<int>(now.used);
    };
    CHECK(taken("OK", "+OK\r\n+OK\r\n") == 5);
    CHECK(taken("OK", "+O") == -1);
    CHECK(taken("OK", "+N") == -2);
    CHECK(taken("[...]", "*1\r\n:1\r\n:2\r\n") == 8);
    CHECK(taken("[...]", "*1\r\n:1") == -1);
    CHECK(taken("[...]", "x") == -2);
    CHECK(taken("[...]", ":1\r\n") == -2);
    expectation gap;
    gap.pieces = {"*", "\r\n"};
    CHECK(gap.take("*1\r\n:1\r\n+OK\r\n").used == 8);
    CHECK(gap.take("*1\r\n:").what == expectation::progress::more);
    CHECK(gap.take("+").what == expectation::progress::wrong);
}
