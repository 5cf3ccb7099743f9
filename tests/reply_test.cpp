#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using respkit::resp::limits;
using respkit::test::every;
using respkit::test::reply_trace;

struct row {
    std::string wire, want;
};

std::string operator""_s(char const* text, std::size_t size) { return {text, size}; }

std::string times(std::size_t n, std::string const& unit) {
    std::string out;
    while (n--) out += unit;
    return out;
}

// Whole, cut at every byte, by one and by three bytes: the same nodes, and the same end.
void check(std::vector<row> const& rows, limits const& l = {}) {
    for (auto const& r : rows) {
        auto const shown = respkit::resp::quote(std::string_view(r.wire).substr(0, 200));
        INFO(shown);
        auto const whole = reply_trace(r.wire, {}, l);
        REQUIRE(whole.values == r.want);
        std::size_t const stride = 1 + r.wire.size() / 400;
        for (std::size_t cut = 1; cut < r.wire.size(); cut += stride) {
            INFO("cut at ", cut);
            REQUIRE(reply_trace(r.wire, {cut}, l) == whole);
        }
        for (std::size_t step : {1, 3}) REQUIRE(reply_trace(r.wire, every(step, r.wire.size()), l) == whole);
    }
}

std::string const misplaced = "invalid: element of a kind that cannot stand here";
std::string const bad_length = "invalid: malformed length";
std::string const too_long = "invalid: longer than the limit";

}  // namespace

// The recorded streams (the names are theirs): what the specification calls valid is read, what it calls
// invalid is refused, what is incomplete is waited for.

TEST_CASE("valid streams") {
    check({
        {"+OK\r\n", "OK"},                                                // simple
        {"-ERR x\r\n", "(error) ERR x"},                                  // error
        {"-\r\n", "(error) "},                                            // error_empty
        {":-7\r\n", "(integer) -7"},                                      // int_neg
        {":007\r\n", "(integer) 7"},                                      // int_leading_zero
        {":9223372036854775807\r\n", "(integer) 9223372036854775807"},    // int_max
        {":-9223372036854775808\r\n", "(integer) -9223372036854775808"},  // int_min
        {"$3\r\nabc\r\n", R"("abc")"},                                    // bulk
        {"$0\r\n\r\n", R"("")"},                                          // bulk_empty
        {"$-1\r\n", "(nil)"},                                             // bulk_null
        {"$5\r\n\r\n\x00\xff$\r\n"_s, R"("\r\n\x00\xff$")"},              // bulk_binary
        {"*2\r\n:1\r\n$1\r\na\r\n", R"([(integer) 1, "a"])"},             // array
        {"*0\r\n", "[]"},                                                 // array_empty
        {"*2\r\n*0\r\n*-1\r\n", "[[], (nil)]"},                           // array_nested_empty
        {"*3\r\n$-1\r\n:1\r\n$-1\r\n", "[(nil), (integer) 1, (nil)]"},    // array_with_nulls
        {"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
         "[[[[[[[[(integer) 1]]]]]]]]"},                                       // array_depth_8
        {",-1.5\r\n", "(double) -1.5"},                                        // double_neg
        {",+1.5\r\n", "(double) +1.5"},                                        // double_plus
        {",inf\r\n", "(double) inf"},                                          // double_inf
        {",nan\r\n", "(double) nan"},                                          // double_nan
        {",4.9406564584124654e-324\r\n", "(double) 4.9406564584124654e-324"},  // double_denorm
        {",-0\r\n", "(double) -0"},                                            // double_negzero
        {"(3492890328409238509324850943850943825024385\r\n",
         "(big) 3492890328409238509324850943850943825024385"},                  // bignum_ok
        {"!21\r\nSYNTAX invalid syntax\r\n", "(error) SYNTAX invalid syntax"},  // bloberr
        {"!0\r\n\r\n", "(error) "},                                             // bloberr_empty
        {"!6\r\nE\r\na b\r\n", R"((error) E\r\na b)"},                          // bloberr_crlf
        {"=4\r\nmkd:\r\n", R"((verbatim mkd) "")"},                             // verbatim_mkd_empty
        {"%0\r\n", "{}"},                                                       // map_empty
        {"%1\r\n*1\r\n:1\r\n%1\r\n:1\r\n:2\r\n",
         "{[(integer) 1]: {(integer) 1: (integer) 2}}"},                      // map_nested
        {"%1\r\n_\r\n:1\r\n", "{(nil): (integer) 1}"},                        // map_null_key
        {"~0\r\n", "~[]"},                                                    // set_empty
        {"~1\r\n*1\r\n:1\r\n", "~[[(integer) 1]]"},                           // set_nested
        {">2\r\n+message\r\n:1\r\n+OK\r\n", ">[message, (integer) 1] | OK"},  // push_then_reply
        {"|1\r\n+ttl\r\n:3600\r\n+OK\r\n", "OK"},                             // attr_top
        {"|0\r\n+OK\r\n", "OK"},                                              // attr_empty
        {"*3\r\n:1\r\n:2\r\n|1\r\n+ttl\r\n:3600\r\n:3\r\n",
         "[(integer) 1, (integer) 2, (integer) 3]"},                // attr_in_array
        {"|1\r\n+a\r\n|1\r\n+b\r\n:1\r\n:2\r\n+OK\r\n", "OK"},      // attr_nested
        {"$?\r\n;0\r\n", R"("")"},                                  // stream_string_empty
        {"*?\r\n:1\r\n:2\r\n.\r\n", "[(integer) 1, (integer) 2]"},  // stream_array
        {"%?\r\n+a\r\n:1\r\n.\r\n", "{a: (integer) 1}"},            // stream_map
        {"~?\r\n+a\r\n.\r\n", "~[a]"},                              // stream_set
        {"+A\r\n:1\r\n$-1\r\n", "A | (integer) 1 | (nil)"},         // pipeline3
    });
}

TEST_CASE("invalid streams") {
    check({
        {"+a\rb\r\n", "invalid: carriage return without line feed"},                  // simple_lone_cr
        {":9223372036854775808\r\n", "invalid: malformed integer"},                   // int_max1
        {":\r\n", "invalid: malformed integer"},                                      // int_empty
        {":1.5\r\n", "invalid: malformed integer"},                                   // int_float
        {":0x10\r\n", "invalid: malformed integer"},                                  // int_hex
        {":1-2\r\n", "invalid: malformed integer"},                                   // int_inner_minus
        {"$-2\r\n", "invalid: malformed length"},                                     // bulk_neg2
        {"$x\r\nabc\r\n", "invalid: malformed length"},                               // bulk_len_alpha
        {"$\r\nabc\r\n", "invalid: malformed length"},                                // bulk_len_empty
        {"$99999999999999999999\r\n", "invalid: malformed length"},                   // bulk_len_huge
        {"$2\r\nabc\r\n", "invalid: bulk string not followed by CR LF"},              // bulk_long
        {"*a\r\n", "invalid: malformed length"},                                      // array_alpha
        {"_x\r\n", "invalid: malformed null"},                                        // null3_payload
        {"#T\r\n", "invalid: malformed boolean"},                                     // bool_upper
        {"#x\r\n", "invalid: malformed boolean"},                                     // bool_bad
        {"#true\r\n", "invalid: malformed boolean"},                                  // bool_long
        {"#\r\n", "invalid: malformed boolean"},                                      // bool_empty
        {",\r\n", "invalid: malformed double"},                                       // double_empty
        {",abc\r\n", "invalid: malformed double"},                                    // double_alpha
        {",.5\r\n", "invalid: malformed double"},                                     // double_dot5
        {",5.\r\n", "invalid: malformed double"},                                     // double_5dot
        {", 1\r\n", "invalid: malformed double"},                                     // double_space
        {",.\r\n", "invalid: malformed double"},                                      // double_dot
        {",e5\r\n", "invalid: malformed double"},                                     // double_exp_only
        {"(-\r\n", "invalid: malformed big number"},                                  // bignum_minus
        {"(12a\r\n", "invalid: malformed big number"},                                // bignum_alpha
        {"(1.5\r\n", "invalid: malformed big number"},                                // bignum_float
        {"!-1\r\n", "invalid: malformed length"},                                     // bloberr_neg1
        {"=3\r\ntxt\r\n", "invalid: verbatim string without a three-letter format"},  // verbatim_short
        {"=-1\r\n", "invalid: malformed length"},                                     // verbatim_null
        {"=0\r\n\r\n", "invalid: verbatim string without a three-letter format"},     // verbatim_zero
        {"%-1\r\n", "invalid: malformed length"},                                     // map_neg1
        {"~-1\r\n", "invalid: malformed length"},                                     // set_neg1
        {"*2\r\n>1\r\n+x\r\n:1\r\n:2\r\n",
         "invalid: element of a kind that cannot stand here"},                   // push_inside_array
        {">-1\r\n+OK\r\n", "invalid: malformed length"},                         // push_neg1
        {".\r\n", "invalid: element of a kind that cannot stand here"},          // stray_end
        {";3\r\nabc\r\n", "invalid: element of a kind that cannot stand here"},  // stray_chunk
        {"ABC\r\n", "invalid: unknown reply type"},                              // bad_type_A
        {"\r\n", "invalid: unknown reply type"},                                 // bad_type_crlf
        {"\xff\xff\r\n", "invalid: unknown reply type"},                         // bad_type_ff
        {"HTTP/1.1 400 Bad Request\r\n\r\n", "invalid: unknown reply type"},     // http
    });
}

TEST_CASE("incomplete streams") {
    check({
        {"+OK\n", "incomplete"},                    // simple_lf_only_end
        {"$5\r\nabc\r\n", "incomplete"},            // bulk_short
        {"$3\nabc\n", "incomplete"},                // bulk_lf_only
        {"*1000000000\r\n", "incomplete"},          // array_1e9_count
        {"|1\r\n+ttl\r\n:3600\r\n", "incomplete"},  // attr_alone
    });
}

TEST_CASE("streams that the specification leaves open") {
    // Lengths are read as strictly as requests' lengths: no length that Redis writes has a leading zero or
    // a sign. Numbers are read generously, since nothing hangs on their spelling.
    check({
        {"+a\x00"
         "b\r\n"_s,
         R"(a\x00b)"},                                    // simple_nul
        {"$03\r\nabc\r\n", "invalid: malformed length"},  // bulk_len_zero_pad
        {"$-0\r\n\r\n", "invalid: malformed length"},     // bulk_len_minus_zero
        {",+inf\r\n", "(double) +inf"},                   // double_plusinf
        {",-nan\r\n", "(double) -nan"},                   // double_negnan
        {",1e999\r\n", "(double) 1e999"},                 // double_huge_exp
        {"(007\r\n", "(big) 007"},                        // bignum_leading_zero
        {"~2\r\n+a\r\n+a\r\n", "~[a, a]"},                // set_dup
        {">0\r\n+OK\r\n", ">[] | OK"},                    // push_empty
    });
}

TEST_CASE("nesting is read down to limits::depth") {
    for (std::size_t depth : {8, 100, 1023, 1024})
        check({{times(depth, "*1\r\n") + ":1\r\n", times(depth, "[") + "(integer) 1" + times(depth, "]")}});
    check({{times(5000, "*1\r\n") + ":1\r\n", "invalid: nested deeper than the limit"},
           {times(1025, "*1\r\n"), "invalid: nested deeper than the limit"}});
    limits l;
    l.depth = 2;
    check(
        {
            {"*1\r\n%1\r\n:1\r\n:2\r\n", "[{(integer) 1: (integer) 2}]"},
            {"*1\r\n*1\r\n*0\r\n", "[[[]]]"},
            {"*1\r\n*1\r\n*1\r\n", "invalid: nested deeper than the limit"},
            {"*1\r\n*?\r\n~?\r\n", "invalid: nested deeper than the limit"},
            {"*1\r\n*1\r\n$?\r\n", "invalid: nested deeper than the limit"},
            {"*1\r\n|1\r\n:1\r\n:2\r\n*1\r\n:3\r\n", "[[(integer) 3]]"},
            {"*1\r\n*1\r\n|1\r\n", "invalid: nested deeper than the limit"},
        },
        l);
}

TEST_CASE("each type at the top and inside each kind of aggregate") {
    std::vector<row> const scalars = {
        {"+OK\r\n", "OK"},
        {"+\r\n", ""},
        {"-ERR no\r\n", "(error) ERR no"},
        {":0\r\n", "(integer) 0"},
        {":+5\r\n", "(integer) 5"},
        {":-0\r\n", "(integer) 0"},
        {"$1\r\na\r\n", R"("a")"},
        {"$12\r\nhello, world\r\n", R"("hello, world")"},
        {"$-1\r\n", "(nil)"},
        {"*-1\r\n", "(nil)"},
        {"_\r\n", "(nil)"},
        {"#t\r\n", "(true)"},
        {"#f\r\n", "(false)"},
        {",10\r\n", "(double) 10"},
        {",1.5e-3\r\n", "(double) 1.5e-3"},
        {",-inf\r\n", "(double) -inf"},
        {"(-123\r\n", "(big) -123"},
        {"!3\r\nERR\r\n", "(error) ERR"},
        {"=6\r\ntxt:hi\r\n", R"((verbatim txt) "hi")"},
        {"$?\r\n;2\r\nab\r\n;1\r\nc\r\n;0\r\n", R"("abc")"},
        {"*0\r\n", "[]"},
        {"%0\r\n", "{}"},
        {"~0\r\n", "~[]"},
        {"*?\r\n.\r\n", "[]"},
        {"%?\r\n.\r\n", "{}"},
        {"~?\r\n.\r\n", "~[]"},
        {"*?\r\n*?\r\n.\r\n.\r\n", "[[]]"},
        {"%?\r\n+a\r\n%?\r\n.\r\n.\r\n", "{a: {}}"},
    };
    std::string const attribute = "|1\r\n+k\r\n*1\r\n:1\r\n";
    for (auto const& s : scalars)
        check({
            s,
            {s.wire + s.wire, s.want + " | " + s.want},
            {"*2\r\n" + s.wire + s.wire, "[" + s.want + ", " + s.want + "]"},
            {"%1\r\n" + s.wire + s.wire, "{" + s.want + ": " + s.want + "}"},
            {"~1\r\n" + s.wire, "~[" + s.want + "]"},
            {">1\r\n" + s.wire, ">[" + s.want + "]"},
            {"*?\r\n" + s.wire + ".\r\n", "[" + s.want + "]"},
            {"%?\r\n" + s.wire + s.wire + ".\r\n", "{" + s.want + ": " + s.want + "}"},
            {"~?\r\n" + s.wire + ".\r\n", "~[" + s.want + "]"},
            {attribute + s.wire, s.want},
            {"*2\r\n" + attribute + s.wire + attribute + s.wire, "[" + s.want + ", " + s.want + "]"},
            {"%1\r\n" + s.wire + attribute + s.wire, "{" + s.want + ": " + s.want + "}"},
            {"*?\r\n" + attribute + s.wire + ".\r\n", "[" + s.want + "]"},
            {"|1\r\n+k\r\n" + s.wire + s.wire, s.want},
        });
}

TEST_CASE("attributes") {
    check({
        {"|0\r\n|0\r\n+OK\r\n", "OK"},
        {"|1\r\n+a\r\n:1\r\n|1\r\n+b\r\n:2\r\n+OK\r\n", "OK"},
        {"|1\r\n+a\r\n:1\r\n>1\r\n+x\r\n", ">[x]"},
        {"*1\r\n|0\r\n:1\r\n", "[(integer) 1]"},
        {"|0\r\n", "incomplete"},
        {"*1\r\n|1\r\n:1\r\n:2\r\n", "incomplete"},
        {"|?\r\n", bad_length},
        {"|-1\r\n", bad_length},
        {"*?\r\n|1\r\n:1\r\n:2\r\n.\r\n", misplaced},
        {"*?\r\n|0\r\n.\r\n", misplaced},
    });
}

TEST_CASE("streamed") {
    check({
        {"$?\r\n;4\r\nHell\r\n;5\r\no wor\r\n;1\r\nd\r\n;0\r\n", R"("Hello word")"},
        {"$?\r\n;1\r\na\r\n+x\r\n", misplaced},
        {"$?\r\n;1\r\na\r\n.\r\n", misplaced},
        {"$?\r\n$1\r\na\r\n", misplaced},
        {"$?\r\n;-1\r\n", bad_length},
        {"$?\r\n;?\r\n", bad_length},
        {"$?\r\n;2\r\nabc\r\n", "invalid: bulk string not followed by CR LF"},
        {"%?\r\n+a\r\n.\r\n", misplaced},
        {"%?\r\n+a\r\n:1\r\n+b\r\n.\r\n", misplaced},
        {"*2\r\n:1\r\n.\r\n", misplaced},
        {"*?\r\n:1\r\n.x\r\n", "invalid: carriage return without line feed"},
        {"*?\r\n;1\r\na\r\n", misplaced},
        {">?\r\n", bad_length},
        {"!?\r\n", bad_length},
        {"=?\r\n", bad_length},
        {"*2\r\n*?\r\n:1\r\n.\r\n$?\r\n;1\r\na\r\n;0\r\n", R"([[(integer) 1], "a"])"},
    });
}

TEST_CASE("pushes stand between replies only") {
    check({
        {">1\r\n+a\r\n>1\r\n+b\r\n:1\r\n", ">[a] | >[b] | (integer) 1"},
        {"%1\r\n+a\r\n>1\r\n", misplaced},
        {">1\r\n>1\r\n", misplaced},
        {"*?\r\n>1\r\n", misplaced},
    });
}

TEST_CASE("incomplete everywhere: every proper beginning of a reply is waited for") {
    for (std::string const wire :
         {"+OK\r\n", "-E\r\n", ":12\r\n", "$3\r\nabc\r\n", "$-1\r\n", "$10\r\n0123456789\r\n",
          "*2\r\n:1\r\n$1\r\na\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", "(12\r\n", "!1\r\ne\r\n",
          "=5\r\ntxt:a\r\n", "%1\r\n:1\r\n:2\r\n", "~1\r\n:1\r\n", ">1\r\n+x\r\n", "|1\r\n:1\r\n:2\r\n:3\r\n",
          "$?\r\n;1\r\na\r\n;0\r\n", "*?\r\n:1\r\n.\r\n"})
        for (std::size_t n = 1; n < wire.size(); ++n) {
            auto const part = wire.substr(0, n);
            INFO(respkit::resp::quote(part));
            CHECK(reply_trace(part, {}).values == "incomplete");
        }
}

TEST_CASE("limits are checked where the number is read") {
    limits l;
    l.line = 16;
    l.items = 4;
    l.bulk = 5;
    check(
        {
            {"+" + std::string(15, 'x') + "\r\n", std::string(15, 'x')},
            {"+" + std::string(16, 'x') + "\r\n", std::string(16, 'x')},
            {"+" + std::string(17, 'x') + "\r\n", too_long},
            {"+" + std::string(18, 'x'), too_long},
            {"$5\r\nabcde\r\n", R"("abcde")"},
            {"$6\r\n", too_long},
            {"$1000\r\n", too_long},
            {"!6\r\n", too_long},
            {"=6\r\n", too_long},
            {"*4\r\n:1\r\n:1\r\n:1\r\n:1\r\n", "[(integer) 1, (integer) 1, (integer) 1, (integer) 1]"},
            {"*5\r\n", too_long},
            {"~5\r\n", too_long},
            {">5\r\n", too_long},
            {"%2\r\n:1\r\n:1\r\n:1\r\n:1\r\n", "{(integer) 1: (integer) 1, (integer) 1: (integer) 1}"},
            {"%3\r\n", too_long},
            {"|3\r\n", too_long},
            {"%9223372036854775807\r\n", too_long},
        },
        l);
}

TEST_CASE("between_replies() tells a clean end from a torn one") {
    respkit::resp::reply_reader reader;
    respkit::resp::node n;
    CHECK(reader.between_replies());
    reader.next("*1\r\n", n);
    CHECK_FALSE(reader.between_replies());
    reader.next(":1\r\n", n);
    CHECK(n.completes);
    CHECK(reader.between_replies());
    reader.next("+O", n);
    CHECK_FALSE(reader.between_replies());
}
