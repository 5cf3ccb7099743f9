// What a run is told as: text, TAP, JUnit's XML, JSON, Markdown.
#include <algorithm>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <respkit/fixtures/report.hpp>

namespace {

using namespace respkit::fixtures;

test_case named(std::string const& id) {
    auto const path = id.substr(0, id.rfind('/'));
    return parse("case " + id + "\nspec <Rule> & \"more\"\n> GET k\n< (null)\n", "/cases/" + path + ".rt",
                 path)
        .cases[0];
}

failure wrong(cutting::way way, std::string found) {
    failure f;
    f.how.what = way;
    f.step = 1;
    f.expected = named("protocol/types/x").steps[1].want;
    f.found = std::move(found);
    return f;
}

// Two that pass, two that fail, one that is skipped.
struct sample {
    std::vector<test_case> cases = {named("commands/sets/a"), named("commands/sets/b"),
                                    named("commands/zsets/c"), named("protocol/types/d"),
                                    named("protocol/limits/e")};
    report r;

    sample() {
        r.target = "HOST:1";
        r.server = "redis 7.0.15";
        r.profile = "redis-7.0";
        r.seconds = 1.25;
        r.again = "respkit-check HOST:1";
        using kind = outcome::kind;
        using way = cutting::way;
        r.cases = {
            {&cases[0], {kind::passed, {}, {}}},
            {&cases[1], {kind::failed, {}, {wrong(way::by_byte, "*1\r\n<&\x01\r\n")}}},
            {&cases[2], {kind::passed, {}, {}}},
            {&cases[3], {kind::failed, {}, {wrong(way::whole, "$-1\r\n"), wrong(way::pipelined, "$-1\r\n")}}},
            {&cases[4], {kind::skipped, "needs auth", {}}}};
    }
};

std::size_t times(std::string const& text, std::string const& what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
    return n;
}

// Every element of an XML text is closed in order, and no '<' or '&' stands loose.
bool well_formed(std::string xml) {
    std::vector<std::string> open;
    for (std::size_t at = 0; (at = xml.find('<', at)) != xml.npos;) {
        auto const end = xml.find('>', at);
        if (end == xml.npos) return false;
        auto const tag = xml.substr(at + 1, end - at - 1);
        if (tag.find('<') != tag.npos) return false;
        at = end;
        if (tag[0] == '?' || tag.back() == '/') continue;
        if (tag[0] != '/') {
            open.push_back(tag.substr(0, tag.find(' ')));
        } else if (open.empty() || open.back() != tag.substr(1)) {
            return false;
        } else {
            open.pop_back();
        }
    }
    for (std::size_t at = 0; (at = xml.find('&', at)) != xml.npos; ++at)
        if (xml.compare(at, 4, "&lt;") && xml.compare(at, 4, "&gt;") && xml.compare(at, 5, "&amp;") &&
            xml.compare(at, 6, "&quot;"))
            return false;
    return open.empty() &&
           std::none_of(xml.begin(), xml.end(), [](char c) { return c > 0 && c < ' ' && c != '\n'; });
}

}  // namespace

TEST_CASE("counts, groups and levels") {
    sample const s;
    CHECK(count(s.r).passed == 2);
    CHECK(count(s.r).failed == 2);
    CHECK(count(s.r).skipped == 1);
    auto const all = groups(s.r);
    REQUIRE(all.size() == 4);
    CHECK(all[0].name == "commands/sets");
    CHECK(all[0].count.failed == 1);
    auto const states = [](report const& r) {
        std::string out;
        for (auto const& l : levels(r))
            out += l.name + (l.is == level::state::holds ? "+ " : l.is == level::state::broken ? "- " : "? ");
        return out;
    };
    CHECK(states(s.r) == "L0? L0b- L1- L2- L3- L4? L5? ");
    auto right_type = s.r;
    right_type.cases[1].result.failures = {wrong(cutting::way::whole, "_\r\n")};
    CHECK(states(right_type) == "L0? L0b+ L1- L2+ L3- L4? L5? ");
    // What was left out cannot hold, what is broken stays broken; chunk invariance is of all cases.
    auto selected = right_type;
    selected.left_out = {"commands/lists"};
    CHECK(states(selected) == "L0? L0b? L1- L2? L3- L4? L5? ");
    CHECK_FALSE(passed(s.r));
    auto good = s.r;
    for (auto& c : good.cases) c.result = {};
    CHECK(passed(good));
    good.stopped = "gone";
    CHECK_FALSE(passed(good));
}

TEST_CASE("text for people") {
    sample s;
    CHECK(headline(s.r, 2214, "empty, so FLUSHALL is allowed") ==
          "respkit-check " RESPKIT_VERSION
          "   2,214 cases · redis-7.0 · whole, cut, by byte, pipelined\n"
          "target   HOST:1, redis 7.0.15 · empty, so FLUSHALL is allowed\n");
    auto const shown = text(s.r);
    CHECK(shown.starts_with("sets 1, 1 FAIL   zsets 1   types 0, 1 FAIL\n\nFAIL  commands/sets/b"));
    CHECK(shown.find("2 passed · 2 failed · 1 skipped (1 needs auth)") != std::string::npos);
    CHECK(shown.find("not to L0b (sets), L1 (types), L2 (sets), L3 (sets)") != std::string::npos);
    CHECK(shown.find("exit 1\n") != std::string::npos);
    CHECK(shown.find("seen in   by byte: the answer depends on how the bytes arrive") != std::string::npos);
    s.r.stopped = "commands/sets/b: the server does not answer";
    CHECK(text(s.r).find("STOPPED  commands/sets/b: the server does not answer\n") != std::string::npos);
    s.r.cases[1].result = s.r.cases[3].result = {};
    s.r.left_out = {"commands/lists", "protocol/types"};
    CHECK(text(s.r).find("no level was checked whole") != std::string::npos);
    s.r.left_out = {"protocol/types"};
    CHECK(text(s.r).find("conforms to L2, L3 ") != std::string::npos);
    CHECK(thousands(1234567) == "1,234,567");
    CHECK(thousands(123) == "123");
}

TEST_CASE("TAP") {
    sample s;
    s.r.stopped = "gone";
    auto const out = tap(s.r);
    CHECK(out.starts_with(
        "TAP version 14\n1..5\nok 1 - commands/sets/a\nnot ok 2 - commands/sets/b\n  ---\n  message: |\n"));
    CHECK(out.find("ok 5 - protocol/limits/e # SKIP needs auth\nBail out! gone\n") != std::string::npos);
    CHECK(times(out, "\nok ") + times(out, "\nnot ok ") == 5);
    CHECK(times(out, "  ---\n") == times(out, "  ...\n"));
}

TEST_CASE("JUnit") {
    sample const s;
    auto const out = junit(s.r);
    CHECK(well_formed(out));
    CHECK(times(out, "<testsuite ") == 4);
    CHECK(times(out, "<testcase ") == 5);
    CHECK(times(out, "<failure ") == 2);
    CHECK(times(out, "<skipped ") == 1);
    CHECK(out.find("<testsuites name=\"respkit-check\" tests=\"5\" failures=\"2\" skipped=\"1\" errors=\"0\" "
                   "time=\"1.250\">") != std::string::npos);
    CHECK(out.find("&lt;Rule&gt; &amp; &quot;more&quot;") != std::string::npos);
    CHECK(out.find(" file=\"commands/sets.rt\" line=\"1\"") != std::string::npos);
}

TEST_CASE("JSON") {
    sample const s;
    auto const v = boost::json::parse(json(s.r));
    CHECK(v.at("schema").as_int64() == 1);
    CHECK(v.at("counts").at("failed").to_number<int>() == 2);
    CHECK_FALSE(v.at("passed").as_bool());
    CHECK(v.at("stopped").is_null());
    CHECK(v.at("groups").as_array().size() == 4);
    CHECK(v.at("levels").as_array().size() == 7);
    auto const& c = v.at("cases").as_array().at(1);
    CHECK(c.at("id").as_string() == "commands/sets/b");
    CHECK(c.at("outcome").as_string() == "failed");
    auto const& f = c.at("failures").as_array().at(0);
    CHECK(f.at("way").as_string() == "by byte");
    CHECK(f.at("line").to_number<int>() == 4);
    CHECK(f.at("expected").as_string() == "< (null)");
    CHECK(f.at("found").as_string() == R"("*1\r\n<&\x01\r\n")");
}

TEST_CASE("Markdown") {
    sample const s;
    auto const out = markdown(s.r);
    CHECK(out.starts_with("# HOST:1, redis 7.0.15\n"));
    CHECK(out.find("| commands/sets | 1 | 1 | 0 |\n") != std::string::npos);
    CHECK(out.find("| **all** | 2 | 2 | 1 |\n") != std::string::npos);
    CHECK(out.find("| L0 | request framing | not checked |\n") != std::string::npos);
    CHECK(times(out, "\n```\n") % 2 == 0);
}
