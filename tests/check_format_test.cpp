// Case files: what they mean, how mistakes in them are told, their canonical layout.
#include <filesystem>

#include <doctest/doctest.h>

#include <respkit/fixtures/case.hpp>

namespace {

using namespace respkit::fixtures;
using namespace std::chrono_literals;

std::string message(std::string const& text) {
    try {
        parse(text, "f.rt", "a/f");
    } catch (format_error const& error) {
        return error.what();
    }
    return "no error";
}

// The steps in canonical layout.
std::string shown(std::string const& steps) {
    auto const text = format(parse("case a/f/x\n" + steps, "f.rt", "a/f"));
    return text.substr(text.find('\n') + 1);
}

void check_same(document const& a, document const& b) {
    CHECK(a.notes == b.notes);
    REQUIRE(a.cases.size() == b.cases.size());
    for (std::size_t i = 0; i < a.cases.size(); ++i) {
        auto const &x = a.cases[i], &y = b.cases[i];
        CHECK(x.id == y.id);
        CHECK(x.spec == y.spec);
        CHECK(x.since + "," + x.until == y.since + "," + y.until);
        CHECK(x.needs == y.needs);
        CHECK(x.ways == y.ways);
        CHECK(x.profiles == y.profiles);
        CHECK(x.notes == y.notes);
        REQUIRE(x.steps.size() == y.steps.size());
        for (std::size_t s = 0; s < x.steps.size(); ++s) {
            auto const &p = x.steps[s], &q = y.steps[s];
            CHECK(p.what == q.what);
            CHECK(p.connection == q.connection);
            CHECK(p.wire() == q.wire());
            CHECK(p.words == q.words);
            CHECK(p.shut == q.shut);
            CHECK(p.by == q.by);
            CHECK(p.notes == q.notes);
            CHECK(p.want.what == q.want.what);
            CHECK(p.want.printed == q.want.printed);
            CHECK(p.want.pieces == q.want.pieces);
            CHECK(p.want.value == q.want.value);
            CHECK(p.want.after == q.want.after);
            CHECK(p.want.within == q.want.within);
        }
    }
}

char const* const everything = R"(# about this file

# about this case
case a/f/one
spec  First
spec  and second.
since 7.0
until 7.2
profile redis-7.0 strict
needs debug auth
ways  whole pipelined
> SET k "a b" "" "x"*3"y"
# how it ends
<< "+O" "K\r\n"
<< ... "\r\n" ... "x"
b> GET k
b< (after 90ms) (within 1500ms) (nil)
b< (nothing)
b< (closed)
>> "a\r\n" "z"*3 closed
< [1, OK,
# no comment: inside a bracket only lines of the reply may stand
)";

}  // namespace

TEST_CASE("a file says what it means") {
    std::string text = everything;
    text.resize(text.find("# no comment"));
    text += "<  \"b\"]\n@ advance 1500ms\n\ncase a/f/two\n> PING\n# the end\n";
    auto const d = parse(text, "f.rt", "a/f");
    REQUIRE(d.cases.size() == 2);
    auto const& c = d.cases[0];
    CHECK(c.id == "a/f/one");
    CHECK(c.group() == "a/f");
    CHECK(c.spec == "First and second.");
    CHECK(c.since == "7.0");
    CHECK(c.until == "7.2");
    CHECK(c.profiles == std::vector<std::string>{"redis-7.0", "strict"});
    CHECK(c.needs == std::vector<std::string>{"debug", "auth"});
    CHECK(c.ways == std::vector<std::string>{"whole", "pipelined"});
    CHECK(c.line == 4);
    CHECK(c.notes == std::vector<std::string>{"# about this file", "", "# about this case"});
    REQUIRE(c.steps.size() == 9);
    CHECK(c.steps[0].words == std::vector<std::string>{"SET", "k", "a b", "", "xxxy"});
    CHECK(c.steps[0].wire() == "*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\na b\r\n$0\r\n\r\n$4\r\nxxxy\r\n");
    CHECK(c.steps[1].want.pieces == std::vector<std::string>{"+OK\r\n", "\r\n", "x"});
    CHECK(c.steps[1].notes == std::vector<std::string>{"# how it ends"});
    CHECK(c.steps[2].connection == "b");
    CHECK(c.steps[3].want.bytes() == "$-1\r\n");
    CHECK(c.steps[3].want.after == 90ms);
    CHECK(c.steps[3].want.within == 1500ms);
    CHECK(c.steps[4].want.what == expectation::kind::nothing);
    CHECK(c.steps[5].want.what == expectation::kind::closed);
    CHECK(c.steps[6].bytes == "a\r\nzzz");
    CHECK(c.steps[6].shut);
    CHECK(c.steps[7].want.bytes() == "*3\r\n:1\r\n+OK\r\n$1\r\nb\r\n");
    CHECK(c.steps[7].line == 21);
    CHECK(c.steps[8].by == 1500ms);
    CHECK(d.notes == std::vector<std::string>{"# the end"});
    check_same(parse(format(d), "f.rt", "a/f"), d);
    CHECK(format(parse(format(d), "f.rt", "a/f")) == format(d));
}

TEST_CASE("mistakes are named with file, line and column") {
    struct row {
        std::string text, want;
    };
    for (auto const& r : std::initializer_list<row>{
             {"> PING\n", "f.rt:1:2: a step before the first case"},
             {"spec x\n", "f.rt:1:1: 'spec' before the first case"},
             {"case f/x\n> PING\n", "f.rt:1:6: the id must be a/f/NAME, not 'f/x'"},
             {"case a/f/\n> PING\n", "f.rt:1:6: the id must be a/f/NAME, not 'a/f/'"},
             {"case a/f/x y\n> PING\n", "f.rt:1:6: a blank in the id"},
             {"case a/f/x\n> A\n\ncase a/f/x\n> A\n", "f.rt:4:6: the id stands twice: a/f/x"},
             {"case a/f/x\n\n", "f.rt:1:1: a case without steps"},
             {"case a/f/x\ncase a/f/y\n> A\n", "f.rt:1:1: a case without steps"},
             {"case a/f/x\n> A\nspec y\n", "f.rt:3:1: 'spec' must stand before the first step"},
             {"case a/f/x\nfoo y\n", "f.rt:2:1: unknown line 'foo'"},
             {"case a/f/x\nneeds auth tls\n", "f.rt:2:12: 'tls' is none of auth, debug, clock"},
             {"case a/f/x\nways half\n", "f.rt:2:6: 'half' is none of whole, cut, by-byte, pipelined"},
             {"case a/f/x\nprofile x\n", "f.rt:2:9: 'x' is none of spec, redis-7.0, redis-7.2, strict"},
             {"case a/f/x\n>\n", "f.rt:2:2: words are missing"},
             {"case a/f/x\n> \"a\n", "f.rt:2:3: a string without its end, or with an unknown escape"},
             {"case a/f/x\n> A \"a\\q\"\n", "f.rt:2:5: a string without its end, or with an unknown escape"},
             {"case a/f/x\n> \"a\"b\n", "f.rt:2:3: a blank is missing behind a string"},
             {"case a/f/x\n> a\"b\"\n", "f.rt:2:3: a quote inside a bare word: a\"b\""},
             {"case a/f/x\n> \"a\"*\n", "f.rt:2:3: a bad repetition"},
             {"case a/f/x\n> \"a\"*99999999999\n", "f.rt:2:3: a bad repetition"},
             {"case a/f/x\n>> abc\n", "f.rt:2:4: strings are due, or 'closed' at the end"},
             {"case a/f/x\n>> closed \"a\"\n", "f.rt:2:11: strings are due, or 'closed' at the end"},
             {"case a/f/x\n>>\n", "f.rt:2:3: bytes are missing"},
             {"case a/f/x\n> A\n<<\n", "f.rt:3:3: bytes are missing"},
             {"case a/f/x\n> A\n<< OK\n", "f.rt:3:4: strings are due, or ..., or 'closed' at the end"},
             {"case a/f/x\n> A\n<< closed\n<< \"x\"\n", "f.rt:4:4: nothing can come after 'closed'"},
             {"case a/f/x\n> A\n< (closed)\n< OK\n", "f.rt:4:2: nothing can come after 'closed'"},
             {"case a/f/x\n@ wait 1s\n", "f.rt:2:3: 'advance' is due behind '@'"},
             {"case a/f/x\n@ advance 1\n", "f.rt:2:12: a time such as 10ms, 2s or 500us is due"},
             {"case a/f/x\n@ advance 1s x\n", "f.rt:2:14: nothing more is due in this line"},
             {"case a/f/x\n<\n", "f.rt:2:2: a reply is due"},
             {"case a/f/x\n< OK OK\n", "f.rt:2:6: the reply is over here"},
             {"case a/f/x\n< [1 2]\n", "f.rt:2:6: ',' or a closing bracket is due"},
             {"case a/f/x\n< [1,\n> A\n", "f.rt:2:6: a bracket is not closed"},
             {"case a/f/x\n< [1,\n< x y]\n", "f.rt:3:5: ',' or a closing bracket is due"},
             {"case a/f/x\n< " + std::string(200, '[') + "\n",
              "f.rt:2:103: brackets in brackets, more than a hundred"},
             {"case a/f/x\n< {1}\n", "f.rt:2:5: ':' and a value are due behind a key"},
             {"case a/f/x\n< ...\n",
              "f.rt:2:6: '...' stands for elements inside brackets; for a reply it is (any)"},
             {"case a/f/x\n< (foo)\n", "f.rt:2:3: unknown kind of reply"},
             {"case a/f/x\n< [(error) ERR x]\n",
              "f.rt:2:12: inside brackets an error is written (error) \"…\""},
             {"case a/f/x\n< 007\n", "f.rt:2:3: '007' is no number of this kind"},
             {"case a/f/x\n< (double) 1.5.2\n", "f.rt:2:12: '1.5.2' is no number of this kind"},
             {"case a/f/x\n< ..\n", "f.rt:2:3: a range needs a bound"},
             {"case a/f/x\n< (unordered) 7\n", "f.rt:2:15: a list is due here"},
             {"case a/f/x\n< (unordered pairs) [1]\n", "f.rt:2:23: a pair lacks its second half"},
             {"case a/f/x\n< +\"a\\r\\n\"\n", "f.rt:2:11: a line end cannot be inside of this reply"},
             {"case a/f/x\n< (after 0s) OK\n", "f.rt:2:11: a bound of no time says nothing"},
             {"case a/f/x\n< (after 2s) (within 1s) OK\n", "f.rt:2:26: (within …) before (after …)"},
         })
        CHECK(message(r.text) == r.want);
    CHECK_THROWS_WITH_AS(load("/nonexistent"), "/nonexistent: no .rt files here", format_error);
}

TEST_CASE("what has been formatted reads as the same cases") {
    namespace fs = std::filesystem;
    int files = 0;
    for (auto const& entry : fs::recursive_directory_iterator(RESPKIT_FIXTURES_SOURCE)) {
        if (entry.path().extension() != ".rt") continue;
        ++files;
        auto const name = entry.path().string();
        INFO(name);
        auto d = load_file(RESPKIT_FIXTURES_SOURCE, name);
        auto const path =
            fs::proximate(entry.path(), RESPKIT_FIXTURES_SOURCE).replace_extension().generic_string();
        check_same(parse(format(d), name, path), d);
        for (auto& c : d.cases) print_replies(c);
        check_same(parse(format(d), name, path), d);
    }
    CHECK(files > 10);
}

TEST_CASE("the layout folds repetitions and breaks long replies") {
    CHECK(shown("> A \"x\"*100 \"b c\"\n") == "> A \"x\"*100 \"b c\"\n");
    CHECK(shown(">> \"PING\\r\\n\"*20 closed\n") == ">> \"PING\\r\\n\"*20 closed\n");
    CHECK(shown("> A\n<< \"a\" ... \"b\"\n<< closed\n") == "> A\n<< \"a\" ... \"b\"\n<< closed\n");
    CHECK(shown("> A\n<< \"\"\n") == "> A\n<< \"\"\n");
    CHECK(shown(">> \"\" closed\n") == ">> closed\n");
    CHECK(shown("@ advance 2000ms\n@ advance 5ms\n@ advance 7us\n") ==
          "@ advance 2s\n@ advance 5ms\n@ advance 7us\n");
    CHECK(shown("< \"x\"*100\n") == "< \"x\"*100\n");
    CHECK(shown("b<   [ 1,2 , \"a\" ]\n") == "b< [1, 2, \"a\"]\n");
    std::string list = "< [0", wide = "< [0";
    for (int i = 1; i < 50; ++i) list += ", " + std::to_string(i);
    auto const broken = shown(list + "]\n");
    CHECK(broken.find('\n') <= 110);
    CHECK(broken.find(",\n< ") != std::string::npos);
    CHECK(shown(broken) == broken);
}

TEST_CASE("bytes are printed where that says the same") {
    auto d = parse(
        "case a/f/x\n> A\n# kept\n<< \"+OK\\r\\n$-1\\r\\n\"\n> B\n<< \":01\\r\\n\"\n> C\n<< \"+\" ... \"x\"\n"
        "> D\n<< \"_\\r\\n\"\n<< closed\n",
        "f.rt", "a/f");
    CHECK(print_replies(d.cases[0]));
    CHECK(format(d) ==
          "case  a/f/x\n> A\n# kept\n< OK\n< (nil)\n> B\n<< \":01\\r\\n\"\n> C\n<< \"+\" ... \"x\"\n"
          "> D\n< (null)\n< (closed)\n");
    CHECK_FALSE(print_replies(d.cases[0]));
}

TEST_CASE("versions are compared number by number") {
    CHECK(version_less("7.0.15", "7.2"));
    CHECK(version_less("7.0.9", "7.0.15"));
    CHECK(version_less("6.2.14", "7"));
    CHECK_FALSE(version_less("7.0.15", "7.0"));
    CHECK_FALSE(version_less("7.0", "7.0.0"));
}
