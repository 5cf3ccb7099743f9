#include <random>

#include <doctest/doctest.h>

#include <respkit/resp/number.hpp>
#include <respkit/resp/text.hpp>
#include <respkit/resp/value.hpp>

namespace {

using namespace respkit::resp;

std::string operator""_s(char const* text, std::size_t size) { return {text, size}; }

}  // namespace

TEST_CASE("quote") {
    struct row {
        std::string bytes, want;
    };
    for (auto const& r : std::initializer_list<row>{
             {"", R"("")"},
             {"abc ~", R"("abc ~")"},
             {"\r\n\t", R"("\r\n\t")"},
             {"\"\\", R"("\"\\")"},
             {"\0\x1f\x7f\x80\xff"_s, R"("\x00\x1f\x7f\x80\xff")"},
         }) {
        CHECK(quote(r.bytes) == r.want);
        std::size_t at = 0;
        CHECK(unquote(r.want, at) == r.bytes);
        CHECK(at == r.want.size());
    }
}

TEST_CASE("unquote stops behind the closing quote, and refuses what quote never writes") {
    std::string const text = R"(x "a\x41b" y)";
    std::size_t at = 2;
    CHECK(unquote(text, at) == "aAb");
    CHECK(at == 10);
    for (std::string const bad :
         {"", "a", "\"", "\"a", R"("\)", R"("\q")", R"("\x")", R"("\x4")", R"("\x4g")", R"("\")"}) {
        std::size_t begin = 0;
        INFO(bad);
        CHECK_FALSE(unquote(bad, begin));
        CHECK(begin == 0);
    }
    std::size_t past = 5;
    CHECK_FALSE(unquote("abc", past));
}

TEST_CASE("random bytes survive quoting, and as bulk strings") {
    std::mt19937_64 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes(random() % 40, '\0');
        for (auto& c : bytes) c = static_cast<char>(random());
        auto const quoted = quote(bytes);
        std::size_t at = 0;
        REQUIRE(unquote(quoted, at) == bytes);
        REQUIRE(at == quoted.size());
        for (char const c : quoted) REQUIRE((c >= ' ' && c <= '~'));
        auto const wire = "$" + std::to_string(bytes.size()) + "\r\n" + bytes + "\r\n";
        std::size_t used = 0;
        auto const v = parse_value(wire + "+rest", &used);
        REQUIRE(v);
        REQUIRE(v->text == bytes);
        REQUIRE(used == wire.size());
        REQUIRE(print(*v) == quoted);
    }
}

TEST_CASE("print") {
    struct row {
        std::string wire, want;
    };
    for (auto const& r : std::initializer_list<row>{
             {"+OK\r\n", "OK"},
             {"-ERR x\r\n", "(error) ERR x"},
             {"!8\r\nERR a\r\nb\r\n", R"((error) ERR a\r\nb)"},
             {":7\r\n", "(integer) 7"},
             {"$4\r\nbulk\r\n", R"("bulk")"},
             {"_\r\n", "(nil)"},
             {"$-1\r\n", "(nil)"},
             {"*-1\r\n", "(nil)"},
             {"*2\r\n:1\r\n*0\r\n", "[(integer) 1, []]"},
             {"%2\r\n+k\r\n:1\r\n+l\r\n:2\r\n", "{k: (integer) 1, l: (integer) 2}"},
             {"~1\r\n+a\r\n", "~[a]"},
             {">2\r\n$7\r\nmessage\r\n+x\r\n", R"(>["message", x])"},
             {",1.5\r\n", "(double) 1.5"},
             {"#t\r\n", "(true)"},
             {"(123\r\n", "(big) 123"},
             {"=6\r\nmkd:hi\r\n", R"((verbatim mkd) "hi")"},
         }) {
        auto const v = parse_value(r.wire);
        REQUIRE(v);
        CHECK(print(*v) == r.want);
    }
}

TEST_CASE("values keep what is needed to tell them apart") {
    auto const read = [](std::string const& wire) { return parse_value(wire).value(); };
    CHECK(read("$-1\r\n").type == type::bulk);
    CHECK(read("*-1\r\n").type == type::array);
    CHECK(read("_\r\n").type == type::null);
    CHECK(read("$-1\r\n") != read("_\r\n"));
    CHECK(read("-E\r\n").is_error());
    CHECK(read("!1\r\nE\r\n").is_error());
    CHECK_FALSE(read("+E\r\n").is_error());
    CHECK(read("=5\r\ntxt:a\r\n").text == "txt:a");
    CHECK(read("%1\r\n:1\r\n:2\r\n").items.size() == 2);
    CHECK(read("#t\r\n").integer == 1);
    CHECK(read("|1\r\n+k\r\n*2\r\n:1\r\n:2\r\n*1\r\n|1\r\n:1\r\n:2\r\n:3\r\n") == read("*1\r\n:3\r\n"));
    CHECK(read("$?\r\n;1\r\na\r\n;1\r\nb\r\n;0\r\n").text == "ab");
    CHECK_FALSE(parse_value("*2\r\n:1\r\n"));
    CHECK_FALSE(parse_value("x\r\n"));
    CHECK_FALSE(parse_value(""));
}

TEST_CASE("a builder is good for many replies") {
    reply_reader reader;
    value_builder builder;
    std::string_view in = "*2\r\n:1\r\n*1\r\n:2\r\n|1\r\n:0\r\n:0\r\n+OK\r\n*0\r\n~?\r\n:3\r\n.\r\n";
    std::string out;
    node n;
    while (!in.empty()) {
        auto const step = reader.next(in, n);
        REQUIRE(step.what == reply_reader::status::got_node);
        if (builder.add(n)) out += print(builder.take()) + ";";
        in.remove_prefix(step.consumed);
    }
    CHECK(out == "[(integer) 1, [(integer) 2]];OK;[];~[(integer) 3];");
}

TEST_CASE("integers as Redis spells them") {
    for (std::string const good :
         {"0", "7", "-1", "10", "-10", "9223372036854775807", "-9223372036854775808"})
        CHECK(std::to_string(parse_integer(good).value()) == good);
    for (std::string const bad :
         {"", "-", "+1", "01", "00", "-0", "-01", " 1", "1 ", "1.0", "0x1", "a", "1a", "9223372036854775808",
          "-9223372036854775809", "99999999999999999999999", "--1"}) {
        INFO(bad);
        CHECK_FALSE(parse_integer(bad));
    }
    CHECK_FALSE(parse_integer("1\0"_s));
    std::string out = "x";
    append_integer(out, -42);
    CHECK(out == "x-42");
}
