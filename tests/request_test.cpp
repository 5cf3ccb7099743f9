#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using respkit::resp::limits;
using respkit::test::every;
using respkit::test::request_trace;

struct row {
    std::string wire, want;
};

std::string times(std::size_t n, std::string const& unit) {
    std::string out;
    while (n--) out += unit;
    return out;
}

std::string operator""_s(char const* text, std::size_t size) { return {text, size}; }

// Whole, cut at every byte, byte by byte: the same requests, and the same end.
void check(std::vector<row> const& rows, limits const& l = {}, bool authenticated = true) {
    for (auto const& r : rows) {
        auto const shown = respkit::resp::quote(std::string_view(r.wire).substr(0, 200));
        INFO(shown);
        REQUIRE(request_trace(r.wire, {}, l, authenticated) == r.want);
        std::size_t const stride = 1 + r.wire.size() / 400;
        for (std::size_t cut = 1; cut < r.wire.size(); cut += stride) {
            INFO("cut at ", cut);
            REQUIRE(request_trace(r.wire, {cut}, l, authenticated) == r.want);
        }
        if (r.wire.size() < 4000)
            REQUIRE(request_trace(r.wire, every(1, r.wire.size()), l, authenticated) == r.want);
    }
}

std::string const bad_count = "invalid: invalid multibulk length";
std::string const bad_length = "invalid: invalid bulk length";
std::string const unbalanced = "invalid: unbalanced quotes in request";

}  // namespace

TEST_CASE("arrays of bulk strings") {
    check({
        {"*1\r\n$4\r\nPING\r\n", "[PING]"},
        {"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", "[ECHO ]"},
        {"*1\r\n$0\r\n\r\n", "[]"},
        {"*2\r\n$4\r\nECHO\r\n$7\r\n\0\r\n\xff*1$\r\n"_s, R"([ECHO \x00\r\n\xff*1$])"},
        {"*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "[PING] [GET k]"},
        {"*11\r\n" + times(11, "$1\r\nx\r\n"), "[x x x x x x x x x x x]"},
        {"*1\r\n$10\r\n0123456789\r\n", "[0123456789]"},
    });
}

TEST_CASE("arrays without elements, and empty lines, are no requests") {
    check({
        {"*0\r\n", ""},
        {"*-1\r\n", ""},
        {"*-10\r\n", ""},
        {"*-9223372036854775808\r\n", ""},
        {"*0\r\n*-1\r\n\r\n\n  \r\n\t\n*1\r\n$4\r\nPING\r\n*0\r\n", "[PING]"},
        {"\r\n", ""},
        {"\n", ""},
        {" \t\v\f\r\n", ""},
        {times(50, "\r\n") + "PING\r\n", "[PING]"},
    });
}

TEST_CASE("empty requests are consumed, also before one that is incomplete") {
    using status = respkit::resp::request_reader::status;
    for (std::string const empty : {"\r\n", "*0\r\n", "\n*-5\r\n \r\n"}) {
        respkit::resp::request_reader reader;
        auto const step = reader.next(empty + "*1\r\n$4");
        CHECK(step.what == status::need_more);
        CHECK(step.consumed >= empty.size());
    }
    respkit::resp::request_reader reader;
    CHECK(reader.next("\r\n\r\n").consumed == 4);
    CHECK(reader.next("").what == status::need_more);
}

TEST_CASE("counts") {
    for (std::string const count : {"",
                                    "abc",
                                    "+1",
                                    "01",
                                    "00",
                                    "-0",
                                    "-",
                                    "-01",
                                    " 1",
                                    "1 ",
                                    "1.0",
                                    "0x1",
                                    "?",
                                    "1\n",
                                    "111111111111111111111",
                                    "2147483648",
                                    "3000000000",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "18446744073709551616",
                                    "-9223372036854775809"})
        check({{"*" + count + "\r\n", bad_count},
               {"PING\r\n*" + count + "\r\nPING\r\n", "[PING] " + bad_count}});
    check({{"*1048577\r\n", "wait"}, {"*2147483647\r\n", "wait"}, {"*2147483647\r\n$1\r\nx\r\n", "wait"}});
}

TEST_CASE("lengths") {
    for (std::string const length :
         {"", "-1", "-2", "-0", "+4", "04", "00", " 4", "4 ", "blabla", "?", "4.0", "536870913", "2147483648",
          "9223372036854775807", "9223372036854775808", "111111111111111111111111111111"})
        check({{"*1\r\n$" + length + "\r\nPING\r\n", bad_length}});
    check({{"*2\r\n$4\r\nECHO\r\n$536870912\r\n", "wait"}, {"*1\r\n$536870912\r\nabc", "wait"}});
}

TEST_CASE("elements other than bulk strings") {
    for (std::string const lead :
         {"+", "-", ":", "*", "%", "~", ">", "_", "#", ",", "(", "=", "!", "|", "P", "\"", "'"})
        check({{"*1\r\n" + lead + "1\r\n", "invalid: expected '$', got '" + lead + "'"}});
    check({
        {"*1\r\n\r\n", "invalid: expected '$', got ' '"},
        {"*1\r\n\n\r\n", "invalid: expected '$', got ' '"},
        {"*1\r\n\xff\r\n", "invalid: expected '$', got '\xff'"},
        {"*3\r\n$3\r\nSET\r\n$1\r\nx\r\nfooz\r\n", "invalid: expected '$', got 'f'"},
    });
}

TEST_CASE("indulgences of Redis") {
    check({
        {"*1\rX$4\r\nPING\r\n", "[PING]"},
        {"*1\r\n$4\rXPING\r\n", "[PING]"},
        {"*1\r\n$4\r\nPINGXX", "[PING]"},
        {"*1\r\n$3\r\nPING\r\n", "[PIN]"},  // behind "G\r", an empty line
        {"*1\r\n$3\r\nPING\r\nPING\r\n", R"([PIN] [PING])"},
        {"*1\n$4\nPING\n", "wait"},
        {"*1\n$4\nPING\n*1\r\n", bad_count},
        {"*1\0\r\n$4\r\nPING\r\n"_s, "wait"},
        {"*1\r\n$4\0\r\nPING\r\n"_s, "wait"},
        {"*1\r\n\0\r\n"_s, "wait"},
    });
}

TEST_CASE("incomplete requests") {
    for (std::string const part :
         {"*", "*1", "*1\r", "*1\r\n", "*1\r\n$", "*1\r\n$4", "*1\r\n$4\r", "*1\r\n$4\r\n", "*1\r\n$4\r\nPI",
          "*1\r\n$4\r\nPING", "*1\r\n$4\r\nPING\r", "*2\r\n$4\r\nECHO\r\n", "P", "PING", "PING\r", "PING \"a",
          "*10\r\n", "*1\r\n$100000\r\n", "*1\r\n$100000\r"})
        check({{part, "wait"}, {"*1\r\n$1\r\nx\r\n" + part, "[x] wait"}, {"x\n" + part, "[x] wait"}});
}

TEST_CASE("after a fault nothing is read") {
    check({{"*1\r\n$4\r\nPING\r\n*1\r\n$-5\r\n*1\r\n$4\r\nPING\r\n", "[PING] " + bad_length}});
}

TEST_CASE("inline words") {
    check({
        {"PING\r\n", "[PING]"},
        {"PING\n", "[PING]"},
        {"  PING\t hello \r\n", "[PING hello]"},
        {"\vPING\fx \v y\r\n", R"([PING\x0cx y])"},
        {"PING\vhello\r\n", R"([PING\x0bhello])"},
        {"PING a\rb\r\n", "[PING a b]"},
        {"PING\r\r\n", "[PING]"},
        {"PING a\\nb\r\n", R"([PING a\\nb])"},
        {"PING \xc3\xa9\r\n", R"([PING \xc3\xa9])"},
        {"+PING\r\n$4\r\n%1\r\n_\r\n>1\r\n", "[+PING] [$4] [%1] [_] [>1]"},
        {"PING\r\n*1\r\n$1\r\nx\r\nPING y\n", "[PING] [x] [PING y]"},
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "[GET / HTTP/1.1] [Host: x]"},
        {"PING \0abc\r\n"_s, "wait"},
        {"\0\r\n"_s, "wait"},
    });
}

TEST_CASE("inline quotes") {
    check({
        {"PING \"hello world\"\r\n", "[PING hello world]"},
        {"PING \"\"\r\n", "[PING ]"},
        {"\"PING\"\r\n", "[PING]"},
        {R"(PING "a\x41\n\r\t\b\a\"\\\q")"
         "\r\n",
         R"([PING aA\n\r\t\x08\x07\"\\q])"},
        {R"(PING "\x4")"
         "\r\n",
         "[PING x4]"},
        {R"(PING "\x4g\xg4\xAf\xfA")"
         "\r\n",
         R"([PING x4gxg4\xaf\xfa])"},
        {R"(PING "\x41")"
         "\r\n",
         "[PING A]"},
        {R"(PING "\x00z")"
         "\r\n",
         R"([PING \x00z])"},
        {"PING ''\r\n", "[PING ]"},
        {R"(PING 'a\'b\n"')"
         "\r\n",
         R"([PING a'b\\n\"])"},
        {"PING a\"b c\"\r\n", "[PING ab c]"},
        {"PING a'b c'\r\n", "[PING ab c]"},
        {"PING \"a\"\t\vb\r\n", "[PING a b]"},
    });
    for (std::string const line : {"\"abc", "'abc", "\"a\"b", "'a'b", "\"", "'", "\"abc\\", "'abc\\'", "a\"b",
                                   "\"a\"\"b\"", "\"a\"'b'", "\"\\x", "\"\\x4"})
        check({{"PING " + line + "\r\n", unbalanced}, {line + "\n", unbalanced}});
}

TEST_CASE("limits of lines") {
    limits l;
    l.line = 8;
    check(
        {
            {"*0000000", "wait"},
            {"*00000000", "invalid: too big mbulk count string"},
            {"*0000000\r\n", bad_count},
            {"*1\r\n$1234567", "wait"},
            {"*1\r\n$12345678", "invalid: too big bulk count string"},
            {"*1\r\n12345678", "wait"},
            {"*1\r\n123456789", "invalid: too big bulk count string"},
            {"12345678", "wait"},
            {"12345678\n", "[12345678]"},
            {"1234567\r\n", "[1234567]"},
            {"123456789", "invalid: too big inline request"},
            {"123456789\n", "invalid: too big inline request"},
            {"1\0\n345678"_s, "invalid: too big inline request"},
            {"\r\n\r\n\r\n\r\n\r\n12345678\n", "[12345678]"},
            {"*1\r\n$9\r\n123456789\r\n", "[123456789]"},
        },
        l);
}

TEST_CASE("limits of Redis for lines: 64 KiB before the end") {
    std::size_t const k64 = 65536;
    check({
        {"*" + std::string(k64 - 1, '1'), "wait"},
        {"*" + std::string(k64, '1'), "invalid: too big mbulk count string"},
        {"*1\r\n$" + std::string(k64 - 1, '1'), "wait"},
        {"*1\r\n$" + std::string(k64, '1'), "invalid: too big bulk count string"},
        {std::string(k64, 'a'), "wait"},
        {std::string(k64, 'a') + "\n", "[" + std::string(k64, 'a') + "]"},
        {std::string(k64 + 1, 'a'), "invalid: too big inline request"},
    });
}

TEST_CASE("limits of items and bulks") {
    limits l;
    l.items = 3;
    l.bulk = 5;
    check(
        {
            {"*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n", "[a b c]"},
            {"*4\r\n", bad_count},
            {"*9\r\n", bad_count},
            {"*1\r\n$5\r\nabcde\r\n", "[abcde]"},
            {"*1\r\n$6\r\nabcdef\r\n", bad_length},
        },
        l);
}

TEST_CASE("unauthenticated: ten items, 16384 bytes, and no small limit for inline words") {
    std::string const ten = times(10, "$1\r\nx\r\n"), sixteen(16384, 'x');
    check(
        {
            {"*10\r\n" + ten, "[x x x x x x x x x x]"},
            {"*11\r\n", "invalid: unauthenticated multibulk length"},
            {"*2147483647\r\n", "invalid: unauthenticated multibulk length"},
            {"*2147483648\r\n", bad_count},
            {"*1\r\n$16384\r\n", "wait"},
            {"*1\r\n$16384\r\n" + sixteen + "\r\n", "[" + sixteen + "]"},
            {"*1\r\n$16385\r\n", "invalid: unauthenticated bulk length"},
            {"*1\r\n$536870913\r\n", bad_length},
            {"1 2 3 4 5 6 7 8 9 10 11 12\r\n", "[1 2 3 4 5 6 7 8 9 10 11 12]"},
        },
        {}, false);
}

TEST_CASE("the limits follow AUTH") {
    using status = respkit::resp::request_reader::status;
    respkit::resp::request_reader reader;
    reader.authenticated(false);
    CHECK(reader.next("*1\r\n$4\r\nAUTH\r\n").what == status::ready);
    reader.authenticated(true);
    CHECK(reader.next("*11\r\n").what == status::need_more);
}
