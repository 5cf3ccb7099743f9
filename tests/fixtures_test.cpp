// The case format, the runner, and every case of fixtures/ replayed in process on the engine.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <deque>
#include <filesystem>
#include <utility>

#include <doctest/doctest.h>

#include <respkit/fixtures/runner.hpp>
#include <respkit/server/engine.hpp>

namespace {

using namespace respkit::fixtures;
using namespace std::chrono_literals;

// Connections straight into an engine, whose time is moved by hand.
class engine_exchange : public exchange {
public:
    explicit engine_exchange(respkit::engine_options o) : engine_(std::move(o), clock_) { clock_.freeze(); }

    std::unique_ptr<connection> open() override { return std::make_unique<link>(engine_); }
    bool advance(std::chrono::microseconds step) override {
        clock_.advance(step);
        engine_.run_due();
        return true;
    }

private:
    class link : public connection {
    public:
        explicit link(respkit::engine& e) : engine_(e), session_(e.open({}, [this] { woken_ = true; })) {}

        void send(std::string_view bytes) override {
            if (closed_) return;
            in_ += bytes;
            for (;;) {
                auto const fed = engine_.feed(*session_, in_, out_);
                in_.erase(0, fed.consumed);
                using progress = respkit::engine::progress;
                if (fed.what == progress::output_full) continue;
                if (fed.what == progress::abort) out_.erase(0);
                if (fed.what != progress::need_more) shut();
                return;
            }
        }
        void shut() override {
            closed_ = true;
            session_.reset();
        }
        state receive(std::string& into, std::chrono::milliseconds) override {
            if (std::exchange(woken_, false)) send({});
            into += out_;
            out_.clear();
            return closed_ ? state::closed : state::open;
        }

    private:
        respkit::engine& engine_;
        respkit::engine::session_handle session_;
        std::string in_, out_;
        bool closed_ = false;
        bool woken_ = false;
    };

    respkit::clock clock_;
    respkit::engine engine_;
};

runner_options facts(std::vector<std::string> has) {
    runner_options o;
    o.patience = 0ms;  // whatever the engine has to say it has said
    o.has = std::move(has);
    o.version = "7.0.15";
    return o;
}

// One subcase per case, each on an engine of its own.
void replay(std::string const& password, std::vector<std::string> has) {
    static auto const cases = load(RESPKIT_FIXTURES_SOURCE);
    respkit::engine_options o;
    o.password = password;
    o.seed = 1;
    engine_exchange server(o);
    runner run(server, facts(std::move(has)));
    for (auto const& c : cases) {
        if (run.unfit(c)) continue;
        SUBCASE(c.id.c_str()) {
            auto const result = run.run(c);
            if (result.what == outcome::kind::failed) FAIL_CHECK(describe(c, result, ""));
        }
    }
}

// A server that answers from a list, one reply for each send; whatever was sent is kept.
class scripted_exchange : public exchange {
public:
    explicit scripted_exchange(std::deque<std::string> replies) : replies_(std::move(replies)) {}
    std::unique_ptr<connection> open() override { return std::make_unique<link>(*this); }
    bool advance(std::chrono::microseconds) override { return false; }
    std::vector<std::string> sent;

private:
    struct link : connection {
        explicit link(scripted_exchange& o) : owner(o) {}
        void send(std::string_view bytes) override {
            bool const control = bytes.find("FLUSHALL") != bytes.npos || bytes.find("PING") != bytes.npos;
            if (control) {
                out += "+OK\r\n";
                return;
            }
            owner.sent.emplace_back(bytes);
            if (owner.replies_.empty()) return;
            out += owner.replies_.front();
            owner.replies_.pop_front();
            if (out.ends_with("CLOSE")) {
                out.resize(out.size() - 5);
                closed = true;
            }
        }
        void shut() override {}
        state receive(std::string& into, std::chrono::milliseconds) override {
            into += out;
            out.clear();
            return closed ? state::closed : state::open;
        }
        scripted_exchange& owner;
        std::string out;
        bool closed = false;
    };
    std::deque<std::string> replies_;
};

std::string message(std::string const& text) {
    try {
        parse(text, "f.rt", "a/f");
    } catch (format_error const& error) {
        return error.what();
    }
    return "no error";
}

// What becomes of a case on a server with these replies, whole only: "passed", or the line of describe()
// that begins with `show`.
std::string verdict(std::string const& steps, std::deque<std::string> replies,
                    std::string const& show = "found") {
    scripted_exchange server(std::move(replies));
    runner run(server, facts({}));
    auto const d = parse("case a/f/x\nways whole\n" + steps, "f.rt", "a/f");
    auto const result = run.run(d.cases[0]);
    if (result.what == outcome::kind::passed) return "passed";
    if (result.what == outcome::kind::skipped) return "skipped, " + result.why;
    auto const text = describe(d.cases[0], result, "respkit-check x");
    auto const at = text.find("  " + show);
    return at == text.npos ? text : text.substr(at + 2, text.find('\n', at) - at - 2);
}

}  // namespace

TEST_CASE("every case holds on the engine") { replay("", {"debug", "clock"}); }
TEST_CASE("every case holds on an engine with a password") { replay("secret", {"auth", "debug", "clock"}); }

TEST_CASE("a file says what it means") {
    auto const d = parse(R"(# about this file

# about this case
case a/f/one
spec  First
spec  and second.
since 7.0
until 7.2
needs debug auth
profile small
> SET k "a b" "" "x"*3"y"
# how it ends
<< "+O" "K\r\n"
<< ... "\r\n" ... "x"
b> GET k
b<< closed
>> "a\r\n" "z"*3 closed
@ advance 1500ms

case a/f/two
> PING
# the end
)",
                         "f.rt", "a/f");
    REQUIRE(d.cases.size() == 2);
    auto const& c = d.cases[0];
    CHECK(c.id == "a/f/one");
    CHECK(c.spec == "First and second.");
    CHECK(c.since == "7.0");
    CHECK(c.until == "7.2");
    CHECK(c.needs == std::vector<std::string>{"debug", "auth"});
    CHECK(c.profile == "small");
    CHECK(c.line == 4);
    CHECK(c.notes == std::vector<std::string>{"# about this file", "", "# about this case"});
    REQUIRE(c.steps.size() == 6);
    CHECK(c.steps[0].words == std::vector<std::string>{"SET", "k", "a b", "", "xxxy"});
    CHECK(c.steps[0].wire() == "*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\na b\r\n$0\r\n\r\n$4\r\nxxxy\r\n");
    CHECK(c.steps[1].want.pieces == std::vector<std::string>{"+OK\r\n", "\r\n", "x"});
    CHECK(c.steps[1].notes == std::vector<std::string>{"# how it ends"});
    CHECK(c.steps[2].connection == "b");
    CHECK(c.steps[3].want.closed);
    CHECK(c.steps[4].bytes == "a\r\nzzz");
    CHECK(c.steps[4].shut);
    CHECK(c.steps[5].by == 1500ms);
    CHECK(d.notes == std::vector<std::string>{"# the end"});
}

TEST_CASE("mistakes are named with file and line") {
    struct row {
        std::string text, want;
    };
    for (auto const& r : std::initializer_list<row>{
             {"> PING\n", "f.rt:1: a step before the first case"},
             {"spec x\n", "f.rt:1: 'spec' before the first case"},
             {"case f/x\n> PING\n", "f.rt:1: the id must be a/f/NAME, not 'f/x'"},
             {"case a/f/\n> PING\n", "f.rt:1: the id must be a/f/NAME, not 'a/f/'"},
             {"case a/f/x y\n> PING\n", "f.rt:1: a blank in the id"},
             {"case a/f/x\n> A\n\ncase a/f/x\n> A\n", "f.rt:4: the id stands twice: a/f/x"},
             {"case a/f/x\n\n", "f.rt:1: a case without steps"},
             {"case a/f/x\ncase a/f/y\n> A\n", "f.rt:1: a case without steps"},
             {"case a/f/x\n> A\nspec y\n", "f.rt:3: 'spec' must stand before the first step"},
             {"case a/f/x\nfoo y\n", "f.rt:2: unknown line 'foo'"},
             {"case a/f/x\n>\n", "f.rt:2: words are missing"},
             {"case a/f/x\n> \"a\n", "f.rt:2: a string without its end, or with an unknown escape"},
             {"case a/f/x\n> \"a\\q\"\n", "f.rt:2: a string without its end, or with an unknown escape"},
             {"case a/f/x\n> \"a\"b\n", "f.rt:2: a blank is missing behind a string"},
             {"case a/f/x\n> a\"b\"\n", "f.rt:2: a quote inside a bare word: a\"b\""},
             {"case a/f/x\n> \"a\"*\n", "f.rt:2: a bad repetition"},
             {"case a/f/x\n> \"a\"*99999999999\n", "f.rt:2: a bad repetition"},
             {"case a/f/x\n>> abc\n", "f.rt:2: strings are due, or 'closed' at the end"},
             {"case a/f/x\n>> closed \"a\"\n", "f.rt:2: strings are due, or 'closed' at the end"},
             {"case a/f/x\n>>\n", "f.rt:2: bytes are missing"},
             {"case a/f/x\n> A\n<<\n", "f.rt:3: bytes are missing"},
             {"case a/f/x\n> A\n<< OK\n", "f.rt:3: strings are due, or ..., or 'closed' at the end"},
             {"case a/f/x\n> A\n<< closed\n<< \"x\"\n", "f.rt:4: nothing can come after 'closed'"},
             {"case a/f/x\n@ wait 1s\n", "f.rt:2: unknown verb 'wait'"},
             {"case a/f/x\n@ advance 1\n", "f.rt:2: a time such as 10ms, 2s or 500us is due, not '1'"},
         })
        CHECK(message(r.text) == r.want);
    CHECK_THROWS_WITH_AS(load("/nonexistent"), "/nonexistent: no .rt files here", format_error);
}

TEST_CASE("files are kept in the canonical layout, which reads as the same cases") {
    namespace fs = std::filesystem;
    int files = 0;
    for (auto const& entry : fs::recursive_directory_iterator(RESPKIT_FIXTURES_SOURCE)) {
        if (entry.path().extension() != ".rt") continue;
        ++files;
        INFO(entry.path().string());
        auto const d = load_file(RESPKIT_FIXTURES_SOURCE, entry.path().string());
        auto const path =
            fs::proximate(entry.path(), RESPKIT_FIXTURES_SOURCE).replace_extension().generic_string();
        auto const text = format(d);
        auto const again = parse(text, entry.path().string(), path);
        CHECK(format(again) == text);
        REQUIRE(again.cases.size() == d.cases.size());
        for (std::size_t i = 0; i < d.cases.size(); ++i) {
            REQUIRE(again.cases[i].steps.size() == d.cases[i].steps.size());
            CHECK(again.cases[i].line == d.cases[i].line);
            for (std::size_t s = 0; s < d.cases[i].steps.size(); ++s) {
                auto const &a = again.cases[i].steps[s], &b = d.cases[i].steps[s];
                CHECK(a.wire() == b.wire());
                CHECK(a.want.pieces == b.want.pieces);
                CHECK(a.want.closed == b.want.closed);
                CHECK(a.line == b.line);
            }
        }
    }
    CHECK(files > 10);
}

TEST_CASE("the layout folds repetitions and breaks long replies") {
    auto const shown = [](std::string const& steps) {
        auto const text = format(parse("case a/f/x\n" + steps, "f.rt", "a/f"));
        return text.substr(text.find('\n') + 1);
    };
    CHECK(shown("> A \"x\"*100 \"b c\"\n") == "> A \"x\"*100 \"b c\"\n");
    CHECK(shown(">> \"PING\\r\\n\"*20 closed\n") == ">> \"PING\\r\\n\"*20 closed\n");
    CHECK(shown("> A\n<< \"a\" ... \"b\"\n<< closed\n") == "> A\n<< \"a\" ... \"b\"\n<< closed\n");
    CHECK(shown("> A\n<< \"\"\n") == "> A\n<< \"\"\n");
    CHECK(shown(">> \"\" closed\n") == ">> closed\n");
    CHECK(shown("@ advance 2000ms\n@ advance 5ms\n@ advance 7us\n") ==
          "@ advance 2s\n@ advance 5ms\n@ advance 7us\n");
}

TEST_CASE("the runner tells right from wrong") {
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {"+OK\r\n"}) == "passed");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {"+NO\r\n"}) == R"(found     "+NO\r\n")");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {"+OK"}) == R"(found     "+OK")");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {""}) == "found     nothing");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {"+OK\r\n+OK\r\n"}) == R"(found     "+OK\r\n")");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {"+OK\r\nCLOSE"}) == "found     nothing, then closed");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n<< closed\n", {"+OK\r\nCLOSE"}) == "passed");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n<< closed\n", {"+OK\r\n"}) == R"(found     "+OK\r\n")");
    CHECK(verdict("> A\n<< closed\n", {"CLOSE"}) == "passed");
    CHECK(verdict("> A\n<< closed\n", {"+\r\nCLOSE"}) == R"(found     "+\r\n", then closed)");
    CHECK(verdict("> A\n> B\n<< \"+b\\r\\n\"\n", {"", "+b\r\n"}) == "passed");
    CHECK(verdict("> A\n> B\n<< \"+b\\r\\n\"\n", {"+a\r\n", "+b\r\n"}) == R"(found     "+a\r\n+b\r\n")");
    CHECK(verdict("> A\nb> B\nb<< \"+b\\r\\n\"\n<< \"+a\\r\\n\"\n", {"+a\r\n", "+b\r\n"}) == "passed");
    CHECK(verdict("> A\nb> B\nb<< \"+b\\r\\n\"\n", {"+a\r\n", "+b\r\n"}) == R"(found     "+a\r\n")");
    CHECK(verdict("> A\n", {""}) == "passed");
    CHECK(verdict("> A\n<< \"+\" ... \"\\r\\n\"\n", {"+x\r\n"}) == "passed");
    CHECK(verdict("> A\n<< \"+\" ... \"\\r\\n\"\n", {"+x"}) == R"(found     "+x")");
    CHECK(verdict("> A\n<< \"$\" ... \"\\r\\n\"\n", {"$5\r\na\r\n"}) == R"(found     "$5\r\na\r\n")");
    CHECK(verdict("> A\n<< \"*\" ... \"b\" ... \"d\\r\\n\"\n", {"*2\r\n+abc\r\n+d\r\n"}) == "passed");
    CHECK(verdict("> A\n<< \"*\" ... \"d\" ... \"b\" ... \"\\r\\n\"\n", {"*2\r\n+abc\r\n+d\r\n"}) !=
          "passed");
    CHECK(verdict("@ advance 1s\n> A\n", {}) == "skipped, needs clock");
}

TEST_CASE("a failure is described for people") {
    scripted_exchange server({"$-1\r\n", "$-1\r\n"});
    runner run(server, facts({}));
    auto const d =
        parse("case a/f/x\nspec A missing value is null.\nways whole by-byte\n> GET k\n<< \"_\\r\\n\"\n",
              "f.rt", "a/f");
    CHECK(describe(d.cases[0], run.run(d.cases[0]), "respkit-check HOST:1") ==
          "FAIL  a/f/x                                                               f.rt:5\n"
          "  rule      A missing value is null.\n"
          "  > GET k\n"
          "  expected  \"_\\r\\n\"\n"
          "  found     \"$-1\\r\\n\"\n"
          "            byte 0: '_' (5f) wanted, '$' (24) found\n"
          "  seen in   whole, by byte\n"
          "  again     respkit-check HOST:1 a/f/x\n");
}

TEST_CASE("sends are replayed whole, cut once at every byte, and byte by byte") {
    scripted_exchange server({});
    runner run(server, facts({}));
    auto const d = parse("case a/f/x\n>> \"abc\"\n", "f.rt", "a/f");
    CHECK(run.run(d.cases[0]).what == outcome::kind::passed);
    CHECK(server.sent == std::vector<std::string>{"abc", "a", "bc", "ab", "c", "a", "b", "c"});
}

TEST_CASE("cases that do not concern the server are skipped, and say why") {
    scripted_exchange server({});
    auto const why = [&](std::string const& line, std::vector<std::string> has) {
        runner const run(server, facts(std::move(has)));
        return run.unfit(parse("case a/f/x\n" + line + "\n> A\n", "f.rt", "a/f").cases[0]).value_or("fit");
    };
    CHECK(why("needs debug", {}) == "needs debug");
    CHECK(why("needs debug", {"debug"}) == "fit");
    CHECK(why("needs auth", {}) == "needs auth");
    CHECK(why("needs auth", {"auth"}) == "fit");
    CHECK(why("spec x", {"auth"}) == "needs a server without password");
    CHECK(why("since 7.0", {}) == "fit");
    CHECK(why("since 7.2", {}) == "since 7.2");
    CHECK(why("until 7.2", {}) == "fit");
    CHECK(why("until 7.0", {}) == "until 7.0");
    CHECK(why("profile small", {}) == "needs a server set up as small");
}

TEST_CASE("versions are compared number by number") {
    CHECK(version_less("7.0.15", "7.2"));
    CHECK(version_less("7.0.9", "7.0.15"));
    CHECK(version_less("6.2.14", "7"));
    CHECK_FALSE(version_less("7.0.15", "7.0"));
    CHECK_FALSE(version_less("7.0", "7.0.0"));
}

TEST_CASE("recording puts the answers in the place of the expectations") {
    scripted_exchange server({"+a\r\n", "$3\r\nabc\r\n", "-E\r\nCLOSE"});
    runner run(server, facts({}));
    auto d = parse("case a/f/x\n> A\n<< \"+old\\r\\n\"\n> B\n# kept\n<< \"$\" ... \"\\r\\n\"\n>> \"C\"\n",
                   "f.rt", "a/f");
    CHECK(run.record(d.cases[0]));
    CHECK(format(d) ==
          "case  a/f/x\n> A\n<< \"+a\\r\\n\"\n> B\n# kept\n<< \"$\" ... \"\\r\\n\"\n>> \"C\"\n<< "
          "\"-E\\r\\n\"\n<< closed\n");
}
