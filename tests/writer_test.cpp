#include <cstdint>
#include <functional>
#include <limits>

#include <doctest/doctest.h>

#include <respkit/resp/command.hpp>
#include <respkit/resp/text.hpp>
#include <respkit/resp/value.hpp>
#include <respkit/resp/writer.hpp>

namespace {

using namespace respkit::resp;

struct row {
    char const* what;
    std::function<void(writer&)> write;
    std::string resp2, resp3;
};

std::string written(version v, std::function<void(writer&)> const& write) {
    std::string out = "before";
    writer w(out, v);
    write(w);
    CHECK(w.protocol() == v);
    return out.substr(6);
}

std::string operator""_s(char const* text, std::size_t size) { return {text, size}; }

}  // namespace

TEST_CASE("every method in both protocols") {
    auto const least = std::numeric_limits<std::int64_t>::min();
    std::vector<row> const rows = {
        {"simple", [](writer& w) { w.simple("PONG"); }, "+PONG\r\n", "+PONG\r\n"},
        {"ok", [](writer& w) { w.ok(); }, "+OK\r\n", "+OK\r\n"},
        {"error", [](writer& w) { w.error("ERR no"); }, "-ERR no\r\n", "-ERR no\r\n"},
        {"integer", [](writer& w) { w.integer(42); }, ":42\r\n", ":42\r\n"},
        {"integer, least", [=](writer& w) { w.integer(least); }, ":-9223372036854775808\r\n",
         ":-9223372036854775808\r\n"},
        {"bulk", [](writer& w) { w.bulk("a\0\r\n"_s); }, "$4\r\na\0\r\n\r\n"_s, "$4\r\na\0\r\n\r\n"_s},
        {"bulk, empty", [](writer& w) { w.bulk(""); }, "$0\r\n\r\n", "$0\r\n\r\n"},
        {"bulk_integer", [](writer& w) { w.bulk_integer(-12); }, "$3\r\n-12\r\n", "$3\r\n-12\r\n"},
        {"bulk_integer, least", [=](writer& w) { w.bulk_integer(least); }, "$20\r\n-9223372036854775808\r\n",
         "$20\r\n-9223372036854775808\r\n"},
        {"verbatim", [](writer& w) { w.verbatim("txt", "hi\n"); }, "$3\r\nhi\n\r\n", "=7\r\ntxt:hi\n\r\n"},
        {"verbatim, empty", [](writer& w) { w.verbatim("txt", ""); }, "$0\r\n\r\n", "=4\r\ntxt:\r\n"},
        {"real", [](writer& w) { w.real("1.5"); }, "$3\r\n1.5\r\n", ",1.5\r\n"},
        {"big_number", [](writer& w) { w.big_number("123"); }, "$3\r\n123\r\n", "(123\r\n"},
        {"true", [](writer& w) { w.boolean(true); }, ":1\r\n", "#t\r\n"},
        {"false", [](writer& w) { w.boolean(false); }, ":0\r\n", "#f\r\n"},
        {"null", [](writer& w) { w.null(); }, "$-1\r\n", "_\r\n"},
        {"null_array", [](writer& w) { w.null_array(); }, "*-1\r\n", "_\r\n"},
        {"array", [](writer& w) { w.array(3); }, "*3\r\n", "*3\r\n"},
        {"array, empty", [](writer& w) { w.array(0); }, "*0\r\n", "*0\r\n"},
        {"set", [](writer& w) { w.set(2); }, "*2\r\n", "~2\r\n"},
        {"map", [](writer& w) { w.map(2); }, "*4\r\n", "%2\r\n"},
        {"map, empty", [](writer& w) { w.map(0); }, "*0\r\n", "%0\r\n"},
        {"push", [](writer& w) { w.push(3); }, "*3\r\n", ">3\r\n"},
    };
    for (auto const& r : rows) {
        INFO(r.what);
        CHECK(written(version::v2, r.write) == r.resp2);
        CHECK(written(version::v3, r.write) == r.resp3);
    }
    CHECK(written(version::v3, [](writer& w) { w.attribute(1); }) == "|1\r\n");
}

TEST_CASE("line ends inside an error cannot end its line") {
    CHECK(written(version::v2, [](writer& w) { w.error("ERR a\r\nb\rc\n+OK\r\n"); }) ==
          "-ERR a  b c +OK  \r\n");
    CHECK(written(version::v2, [](writer& w) {
              w.bulk("x\r\ny");
              w.error("\r\n");
          }) == "$4\r\nx\r\ny\r\n-  \r\n");
}

TEST_CASE("what is written is read again") {
    for (auto const v : {version::v2, version::v3}) {
        auto const bytes = written(v, [](writer& w) {
            w.map(2);
            w.bulk("a");
            w.set(1);
            w.real("0.5");
            w.null();
            w.array(2);
            w.null_array();
            w.error("ERR x");
        });
        std::size_t used = 0;
        auto const read = parse_value(bytes, &used);
        REQUIRE(read);
        CHECK(used == bytes.size());
        CHECK(print(*read) == (v == version::v2
                                   ? R"(["a", ["0.5"], (nil), [(nil), (error) ERR x]])"
                                   : R"({"a": ~[(double) 0.5], (nil): [(nil), (error) ERR x]})"));
    }
}

TEST_CASE("commands") {
    CHECK(command({"GET", "k"}) == "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
    CHECK(command({""}) == "*1\r\n$0\r\n\r\n");
    std::vector<std::string> const words(11, "a\r\n"_s);
    auto const bytes = command(std::span<std::string const>(words));
    CHECK(bytes.substr(0, 10) == "*11\r\n$3\r\na");
    CHECK(bytes.size() == 5 + 11 * 9);
}
