// Nothing that the server can be asked or can say is without a case in fixtures/ and a line in the
// differential test's table: rows, options, error texts.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "differential/error_texts.hpp"
#include "differential/table.hpp"
#include <respkit/fixtures/case.hpp>
#include <respkit/server/command_table.hpp>

namespace {

using namespace respkit::differential;
namespace fixtures = respkit::fixtures;

table const& lines() {
    static auto const all = load_table(RESPKIT_DIFFERENTIAL_TABLE);
    return all;
}

// Every command and subcommand; containers that are nothing without a subcommand left out.
std::set<std::string> rows(respkit::emulation e) {
    std::set<std::string> out;
    respkit::command_table const all(e);
    for (auto const* row : all.all()) {
        if (row->run) out.emplace(row->name);
        for (auto const& sub : row->subcommands)
            if (!sub.since_7_2 || e == respkit::emulation::redis_7_2) out.insert(respkit::full_name(sub));
    }
    return out;
}

// A row's calls: their words, in lower case.
using calls = std::map<std::string, std::set<std::string>>;

void add_call(calls& to, std::vector<std::string> const& call) {
    std::vector<std::string> lower;
    for (auto const& word : call) lower.push_back(respkit::lower_case(word));
    to[lower[0]].insert(lower.begin() + 1, lower.end());
    if (lower.size() > 1) to[lower[0] + "|" + lower[1]].insert(lower.begin() + 2, lower.end());
}

// The first bytes of the replies that an expectation stands for, pushes left out.
std::string heads(fixtures::expectation const& want) {
    using kind = fixtures::expectation::kind;
    auto const push = static_cast<char>(respkit::resp::type::push);
    std::string out;
    if (want.what == kind::reply) out = static_cast<char>(want.value.type);
    if (want.what != kind::bytes) return out == std::string(1, push) ? "" : out;
    for (std::string_view rest = want.pieces.front(); !rest.empty();) {
        if (rest.front() != push) out += rest.starts_with("+QUEUED") ? 'Q' : rest.front();
        auto const first = fixtures::read_reply(rest);
        if (first.what != fixtures::reading::state::whole) break;
        rest.remove_prefix(first.used);
    }
    return out;
}

// What the cases send, row by row, and the error texts that they expect.
struct cases {
    calls all, accepted;  // accepted: not answered with an error, nor put off until EXEC
    std::set<std::string> errors;

    cases() {
        for (auto const& c : fixtures::load(RESPKIT_FIXTURES_SOURCE)) add_case(c);
    }

private:
    void add_case(fixtures::test_case const& c) {
        std::map<std::string, std::deque<std::vector<std::string>>> asked;  // by connection, no reply so far
        for (auto const& s : c.steps) {
            auto& open = asked[s.connection];
            if (s.what == fixtures::step::kind::send) {
                if (!s.words.empty()) add_call(all, s.words);
                open.push_back(s.words);
            } else if (s.what == fixtures::step::kind::expect) {
                for (auto const& piece : s.want.pieces) add_errors(piece);
                for (char const head : heads(s.want)) {
                    if (open.empty()) break;
                    if (head != '-' && head != '!' && head != 'Q' && !open.front().empty())
                        add_call(accepted, open.front());
                    open.pop_front();
                }
            }
        }
    }

    void add_errors(std::string_view reply) {
        for (std::size_t at = 0; at < reply.size();) {
            auto const end = std::min(reply.find("\r\n", at), reply.size());
            if (reply[at] == '-') errors.emplace(reply.substr(at + 1, end - at - 1));
            at = end + 2;
        }
    }
};

cases const& recorded() {
    static cases const all;
    return all;
}

bool excepted(std::vector<exception> const& from, std::string_view what) {
    return std::any_of(from.begin(), from.end(), [&](auto const& e) { return what.starts_with(e.what); });
}

}  // namespace

TEST_CASE("every row has a line in the differential test's table, or a reason to have none") {
    std::set<std::string> known;
    for (auto const& each : lines().lines) known.insert(each.row);
    for (auto const& each : lines().never) known.insert(each.what);
    for (auto const& row : rows(respkit::emulation::redis_7_0)) {
        INFO(row);
        CHECK(known.contains(row));
    }
}

TEST_CASE("every row has a case") {
    for (auto const& row : rows(respkit::emulation::redis_7_2)) {
        INFO(row);
        CHECK(recorded().all.contains(row));
    }
}

TEST_CASE("every option has a case in which it is accepted") {
    auto const known = rows(respkit::emulation::redis_7_0);
    for (auto const& each : lines().lines)
        for (auto const& option : each.options) {
            if (!known.contains(each.row)) continue;
            INFO(each.row << " " << option);
            auto const& from = each.refused ? recorded().all : recorded().accepted;
            auto const at = from.find(each.row);
            CHECK((at != from.end() && at->second.contains(respkit::lower_case(option))));
        }
}

TEST_CASE("every error text has a case") {
    auto const& said = recorded().errors;
    for (auto const& text : error_texts(RESPKIT_SERVER_SOURCE)) {
        if (excepted(lines().uncased, text.print())) continue;
        INFO(text.print() << "  server/" << text.file << ":" << text.line);
        CHECK(std::any_of(said.begin(), said.end(), [&](auto const& error) { return text.matches(error); }));
    }
}

TEST_CASE("error texts are gathered whole, with their gaps") {
    std::string_view const source = R"cpp(
        a = "ERR no "
            "such";
        b("ERR x '" + name(")") + "' y");  // "ERR in a comment"
        text = "ERR open '";
        d = c == '"' ? "POSIX clock" : "-ERR line\r\n")cpp";
    auto const found = error_texts_in(source, "source");
    REQUIRE(found.size() == 4);
    CHECK(found[0].print() == "ERR no such");
    CHECK(found[1].print() == "ERR x '...' y");
    CHECK(found[2].print() == "ERR open '...");
    CHECK(found[3].print() == "ERR line");
    CHECK(found[1].matches("ERR x 'a' b' y"));
    CHECK_FALSE(found[1].matches("ERR x 'a' z"));
    CHECK_FALSE(found[0].matches("ERR no such key"));
    CHECK(found[2].matches("ERR open 'x'"));
}

TEST_CASE("a table's mistakes are named with their line") {
    auto const complaint = [](std::string_view text) {
        try {
            parse_table(text, "t");
        } catch (std::runtime_error const& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    CHECK(complaint("[x]\nGET nosuchpool") == "t:2: there is no pool 'nosuchpool'");
    CHECK(complaint("GET (string") == "t:1: no ')'");
    CHECK(complaint("GET string)") == "t:1: what closes here was never opened: ')'");
    CHECK(complaint("GET string : sometimes") == "t:1: unknown flag 'sometimes'");
    CHECK(complaint("never GET") == "t:1: an exception wants its reason behind ' : '");
    CHECK(complaint("GET string : near 5 rare") == "none");
}
