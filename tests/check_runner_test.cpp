// The runner, on a server that answers from a list.
#include <deque>

#include <doctest/doctest.h>

#include <respkit/fixtures/runner.hpp>
#include <respkit/resp/command.hpp>

namespace {

using namespace respkit::fixtures;
using namespace std::chrono_literals;

// One reply for each send; what was sent is kept. Time passes for those who wait. A reply "~50 x" comes only
// when 50 ms have passed, one that ends in CLOSE closes the connection.
class scripted_exchange : public exchange {
public:
    explicit scripted_exchange(std::deque<std::string> replies) : replies_(std::move(replies)) {}
    std::unique_ptr<connection> open() override { return std::make_unique<link>(*this); }
    bool advance(microseconds step) override {
        now_ += step;
        return true;
    }
    microseconds now() const override { return now_; }
    std::vector<std::string> sent;

private:
    struct link : connection {
        explicit link(scripted_exchange& o) : owner(o) {}
        void send(std::string_view bytes) override {
            if (bytes == respkit::resp::command({"FLUSHALL"}) || bytes == respkit::resp::command({"PING"})) {
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
            if (!out.starts_with('~')) return;
            auto const blank = out.find(' ');
            ready = owner.now_ + milliseconds(std::stoi(out.substr(1, blank)));
            out.erase(0, blank + 1);
        }
        void shut() override {}
        state receive(std::string& into, milliseconds patience) override {
            if (owner.now_ < ready && patience > 0ms) owner.now_ = std::min(ready, owner.now_ + patience);
            if (out.empty() && !closed && patience > 0ms) owner.now_ += patience;
            if (owner.now_ < ready) return state::open;
            into += out;
            out.clear();
            return closed ? state::closed : state::open;
        }
        scripted_exchange& owner;
        std::string out;
        microseconds ready{0};
        bool closed = false;
    };
    std::deque<std::string> replies_;
    microseconds now_{1'000'000};
};

runner_options facts(std::vector<std::string> has = {}) {
    runner_options o;
    o.patience = 100ms;
    o.has = std::move(has);
    o.version = "7.0.15";
    return o;
}

test_case the_case(std::string const& text) { return parse("case a/f/x\n" + text, "f.rt", "a/f").cases[0]; }

// What becomes of a case on a server with these replies, whole only: "passed", or the line of describe()
// that begins with `show`.
std::string verdict(std::string const& steps, std::deque<std::string> replies,
                    std::string const& show = "found") {
    scripted_exchange server(std::move(replies));
    runner run(server, facts());
    auto const c = the_case("ways whole\n" + steps);
    auto const result = run.run(c);
    if (result.what == outcome::kind::passed) return "passed";
    if (result.what == outcome::kind::skipped) return "skipped, " + result.why;
    auto const text = describe(c, result, "respkit-check x");
    auto const at = text.find("  " + show);
    return at == text.npos ? text : text.substr(at + 2, text.find('\n', at) - at - 2);
}

}  // namespace

TEST_CASE("the runner tells right from wrong") {
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {"+OK\r\n"}) == "passed");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {"+NO\r\n"}) == R"(found     NO         "+NO\r\n")");
    CHECK(verdict("> A\n< OK\n", {"+NO\r\n"}) == R"(found     NO         "+NO\r\n")");
    CHECK(verdict("> A\n< (null)\n", {"$-1\r\n"}) == R"(found     (nil)      "$-1\r\n")");
    CHECK(verdict("> A\n< (null)\n", {"$-1\r\n"}, "expected") == R"(expected  (null)     "_\r\n")");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {"+OK"}) == R"(found     "+OK")");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n", {""}) == "found     nothing");
    CHECK(verdict("> A\n< OK\n", {"+OK\r\n+OK\r\n"}) == R"(found     OK         "+OK\r\n")");
    CHECK(verdict("> A\n< OK\n", {"+OK\r\nCLOSE"}) == "found     nothing, then closed");
    CHECK(verdict("> A\n<< \"+OK\\r\\n\"\n<< closed\n", {"+OK\r\nCLOSE"}) == "passed");
    CHECK(verdict("> A\n< OK\n< (closed)\n", {"+OK\r\nCLOSE"}) == "passed");
    CHECK(verdict("> A\n< OK\n< (closed)\n", {"+OK\r\n"}, "expected") == "expected  closed");
    CHECK(verdict("> A\n< OK\n< (closed)\n", {"+OK\r\n"}) == "found     nothing");
    CHECK(verdict("> A\n<< closed\n", {"CLOSE"}) == "passed");
    CHECK(verdict("> A\n<< closed\n", {"+\r\nCLOSE"}) == R"(found     +""        "+\r\n", then closed)");
    CHECK(verdict("> A\n> B\n< b\n", {"", "+b\r\n"}) == "passed");
    CHECK(verdict("> A\n> B\n< b\n", {"+a\r\n", "+b\r\n"}) == R"(found     a b        "+a\r\n+b\r\n")");
    CHECK(verdict("> A\n> B\n< a\n< b\n", {"+a\r\n", "+b\r\n"}) == "passed");
    CHECK(verdict("> A\n> B\n< b\n< a\n", {"+a\r\n", "+b\r\n"}) != "passed");
    CHECK(verdict("> A\nb> B\nb< b\n< a\n", {"+a\r\n", "+b\r\n"}) == "passed");
    CHECK(verdict("> A\nb> B\nb< b\n", {"+a\r\n", "+b\r\n"}) == R"(found     a          "+a\r\n")");
    CHECK(verdict("> A\n", {""}) == "passed");
    CHECK(verdict("> A\n<< \"+\" ... \"\\r\\n\"\n", {"+x\r\n"}) == "passed");
    CHECK(verdict("> A\n<< \"+\" ... \"\\r\\n\"\n", {"+x"}) == R"(found     "+x")");
    CHECK(verdict("> A\n<< \"$\" ... \"\\r\\n\"\n", {"$5\r\na\r\n"}) == R"(found     "$5\r\na\r\n")");
    CHECK(verdict("> A\n<< \"*\" ... \"b\" ... \"d\\r\\n\"\n", {"*2\r\n+abc\r\n+d\r\n"}) == "passed");
    CHECK(verdict("> A\n<< \"*\" ... \"d\" ... \"b\" ... \"\\r\\n\"\n", {"*2\r\n+abc\r\n+d\r\n"}) !=
          "passed");
    CHECK(verdict("> A\n< (unordered) [2, 1]\n", {"*2\r\n:1\r\n:2\r\n"}) == "passed");
    CHECK(verdict("> A\n< (unordered) [2, 1]\n", {"*2\r\n:1\r\n:1\r\n"}, "expected") ==
          "expected  (unordered) [2, 1]");
    CHECK(verdict("@ advance 1s\n> A\n", {}) == "skipped, needs clock");
}

TEST_CASE("nothing has come, or something has") {
    CHECK(verdict("> A\n< a\nb> B\nb< (nothing)\n> C\n< c\n", {"+a\r\n", "", "+c\r\n"}) == "passed");
    CHECK(verdict("> A\n< a\nb> B\nb< (nothing)\n", {"+a\r\n", "+b\r\n"}) ==
          R"(found     b          "+b\r\n")");
    CHECK(verdict("> A\n< (nothing)\n", {"CLOSE"}) == "found     nothing, then closed");
}

TEST_CASE("replies come in time") {
    auto const bounds = [](std::string const& expectation, std::string const& reply) {
        auto const found = verdict("> A\n< " + expectation + "\n", {reply}, "          too");
        return found.starts_with("FAIL") ? verdict("> A\n< " + expectation + "\n", {reply}, "          no")
                                         : found;
    };
    CHECK(bounds("(after 90ms) (nil)", "~95 $-1\r\n") == "passed");
    CHECK(bounds("(after 90ms) (nil)", "~50 $-1\r\n") == "          too early: after 50ms, not before 90ms");
    CHECK(bounds("(within 90ms) (nil)", "~50 $-1\r\n") == "passed");
    CHECK(bounds("(within 40ms) (nil)", "~50 $-1\r\n").find("no more within") != std::string::npos);
    CHECK(bounds("(after 20ms) (within 90ms) (nil)", "~50 $-1\r\n") == "passed");
    CHECK(bounds("(nil)", "~500 $-1\r\n").find("no more within 100ms") != std::string::npos);
    CHECK(bounds("(after 400ms) (within 600ms) (nil)", "~500 $-1\r\n") ==
          "passed");  // beyond the case's time
}

TEST_CASE("a failure is described for people") {
    scripted_exchange server({"$-1\r\n", "$-1\r\n"});
    runner run(server, facts());
    auto const c = the_case("spec A missing value is null.\nways whole by-byte\n> GET k\n< (null)\n");
    CHECK(describe(c, run.run(c), "respkit-check HOST:1") ==
          "FAIL  a/f/x                                                               f.rt:5\n"
          "  rule      A missing value is null.\n"
          "  > GET k\n"
          "  expected  (null)     \"_\\r\\n\"\n"
          "  found     (nil)      \"$-1\\r\\n\"\n"
          "            byte 0: '_' (5f) wanted, '$' (24) found\n"
          "  seen in   whole, by byte\n"
          "  again     respkit-check HOST:1 a/f/x\n");
}

TEST_CASE("sends are replayed whole, cut once at every byte, byte by byte, and pipelined") {
    scripted_exchange server({});
    runner run(server, facts());
    CHECK(run.run(the_case(">> \"abc\"\n>> \"d\"\n")).what == outcome::kind::passed);
    CHECK(server.sent ==
          std::vector<std::string>{"abc", "d", "a", "bc", "d", "ab", "c", "d", "a", "b", "c", "d", "abcd"});
}

TEST_CASE("long sends are cut at a seeded choice of places") {
    auto const c = the_case(">> \"x\"*1000\n");
    CHECK(cuts(c, 10, 1).size() == 10);
    CHECK(cuts(c, 10, 1) == cuts(c, 10, 1));
    CHECK(cuts(c, 10, 1) != cuts(c, 10, 2));
    CHECK(cuts(c, 2000, 1).size() == 999);
    CHECK(cuts(the_case(">> \"x\"*1000\n< (after 10ms) OK\n"), 10, 1).size() == 3);
}

TEST_CASE("what is pipelined is what nothing holds back") {
    auto const sent = [](std::string const& steps) {
        scripted_exchange server({"+a\r\n+b\r\n", "+c\r\n"});
        runner run(server, facts());
        run.run(the_case("ways pipelined\n" + steps));
        return server.sent;
    };
    using list = std::vector<std::string>;
    CHECK(sent(">> \"a\"\n< a\n>> \"b\"\n< b\n") == list{"ab"});
    CHECK(sent(">> \"a\"\n< a\n< b\nb>> \"b\"\n>> \"c\"\n") == list{"a", "b", "c"});
    CHECK(sent(">> \"a\"\n< a\n< b\n@ advance 1ms\n>> \"b\"\n") == list{"a", "b"});
    CHECK(sent(">> \"a\"\n< a\n< b\nb< (nothing)\n>> \"b\"\n") == list{"a", "b"});
    CHECK(sent(">> \"a\"\n< (after 1us) a\n< b\n>> \"b\"\n").front() == "a");
}

TEST_CASE("three repetitions in a row, each on empty databases") {
    auto const once = respkit::resp::command({"GET", "k"});
    auto const joint = respkit::resp::command({"RESET"}) + respkit::resp::command({"FLUSHALL"});
    auto const c = the_case("ways pipelined\n> GET k\n< (nil)\n> GET k\n< (nil)\n");
    std::string const two = "$-1\r\n$-1\r\n", between = "+RESET\r\n+OK\r\n";
    {
        scripted_exchange server({two + between + two + between + two});
        runner run(server, facts({"reset"}));
        CHECK(run.run(c).what == outcome::kind::passed);
        CHECK(server.sent ==
              std::vector<std::string>{once + once + joint + once + once + joint + once + once});
    }
    {
        scripted_exchange server({two + between + "$-1\r\n+x\r\n" + between + two});
        runner run(server, facts({"reset"}));
        auto const result = run.run(c);
        REQUIRE(result.what == outcome::kind::failed);
        CHECK(result.failures[0].step == 3);
        CHECK(way_text(result.failures[0].how) == "pipelined");
    }
    CHECK(repeatable(c));
    CHECK_FALSE(repeatable(the_case("> A\nb> B\n")));
    CHECK_FALSE(repeatable(the_case("> A\n< (closed)\n")));
    CHECK_FALSE(repeatable(the_case(">> \"PING\\r\\n\" closed\n")));
    CHECK_FALSE(repeatable(the_case(">> \"*1\\r\\n$4\\r\\nPI\"\n")));
    CHECK(repeatable(the_case(">> \"*1\\r\\n$4\\r\\nPI\"\n>> \"NG\\r\\n\"\n< PONG\n")));
}

TEST_CASE("a wrong order is seen when sends are pipelined") {
    std::deque<std::string> const right(7, "+a\r\n");  // whole, cut at 1 and by byte: one by one
    scripted_exchange server({"+a\r\n", "+b\r\n", "+b\r\n+a\r\n"});
    runner run(server, facts());
    auto const c = the_case("ways whole pipelined\n>> \"a\"\n< a\n>> \"b\"\n< b\n");
    auto const result = run.run(c);
    REQUIRE(result.failures.size() == 1);
    CHECK(way_text(result.failures[0].how) == "pipelined");
}

TEST_CASE("cases that do not concern the server are skipped, and say why") {
    scripted_exchange server({});
    auto const why = [&](std::string const& line, std::vector<std::string> has, std::string profile = {},
                         bool strict = false, std::string version = "7.0.15") {
        auto o = facts(std::move(has));
        o.profile = std::move(profile);
        o.strict = strict;
        o.version = std::move(version);
        runner const run(server, o);
        return run.unfit(the_case(line + "\n> A\n")).value_or("fit");
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
    CHECK(why("profile spec", {}) == "fit");
    CHECK(why("profile spec", {}, "spec") == "fit");
    CHECK(why("spec x", {}, "spec") == "not in profile spec");
    CHECK(why("profile redis-7.0", {}) == "fit");
    CHECK(why("profile redis-7.2", {}) == "not in profile redis-7.0");
    CHECK(why("profile redis-7.2", {}, "", false, "7.2.4") == "fit");
    CHECK(why("profile redis-7.0", {}, "redis-7.2") == "not in profile redis-7.2");
    CHECK(why("profile strict", {}) == "profile strict");
    CHECK(why("profile strict", {}, "", true) == "fit");
    CHECK(why("profile strict", {}, "spec", true) == "fit");
}

TEST_CASE("cases run side by side only if they keep to their database") {
    auto const keeps = [](std::string const& steps) { return keeps_to_its_database(the_case(steps)); };
    CHECK(keeps("> set k v\n> GET k\nb> BLPOP l 0\n"));
    CHECK(keeps(">> \"GET k\\r\\n*1\\r\\n$3\\r\\nDEL\\r\\n\"\n"));
    CHECK(keeps(">> \"*x\\r\\n\"\n"));
    CHECK_FALSE(keeps("> SELECT 1\n"));
    CHECK_FALSE(keeps("> GET k\nb> FLUSHALL\n"));
    CHECK_FALSE(keeps("> PUBLISH c m\n"));
    CHECK_FALSE(keeps("> FOO\n"));
    CHECK_FALSE(keeps(">> \"*1\\r\\n$8\\r\\nFLUS\"\n>> \"HALL\\r\\n\"\n"));
    CHECK_FALSE(keeps("needs auth\n> GET k\n"));
}

TEST_CASE("recording puts the answers in the place of the expectations") {
    auto const recorded = [](std::string const& steps, std::deque<std::string> replies) {
        scripted_exchange server(std::move(replies));
        runner run(server, facts());
        auto d = parse("case a/f/x\n" + steps, "f.rt", "a/f");
        CHECK(run.record(d.cases[0]));
        auto const text = format(d);
        return text.substr(text.find('\n') + 1);
    };
    CHECK(recorded("> A\n< old\n> B\n# kept\n<< \"$\" ... \"\\r\\n\"\n>> \"C\"\n",
                   {"+a\r\n", "$3\r\nabc\r\n", "-E\r\nCLOSE"}) ==
          "> A\n< a\n> B\n# kept\n<< \"$\" ... \"\\r\\n\"\n>> \"C\"\n< (error) E\n< (closed)\n");
    CHECK(recorded("> A\n<< \"+a\\r\\n\"\n> B\n<< \"+old\\r\\n\"\n> C\n", {"+a\r\n", "+b\r\n", ":07\r\n"}) ==
          "> A\n<< \"+a\\r\\n\"\n> B\n< b\n> C\n<< \":07\\r\\n\"\n");
    CHECK(recorded("> A\n< (unordered) [2, 1]\n> B\n< (unordered) [2, 1]\n",
                   {"*2\r\n:1\r\n:2\r\n", "*2\r\n:1\r\n:1\r\n"}) ==
          "> A\n< (unordered) [2, 1]\n> B\n< [1, 1]\n");
    CHECK(recorded("> A\n< (nothing)\n> B\n< (nothing)\n", {"", "+b\r\n"}) == "> A\n< (nothing)\n> B\n< b\n");
    CHECK(recorded("> A\n# kept\n< (after 40ms) OK\n", {"~50 $-1\r\n"}) ==
          "> A\n# kept\n< (after 40ms) (nil)\n");
    CHECK(recorded("> A\n<< closed\n", {"CLOSE"}) == "> A\n<< closed\n");
}
