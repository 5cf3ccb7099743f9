// The suites' lines, run small against a server that counts.
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <respkit/bench/interrupts.hpp>
#include <respkit/bench/names.hpp>
#include <respkit/bench/report.hpp>
#include <respkit/bench/runner.hpp>
#include <respkit/bench/suite.hpp>
#include <respkit/bench/target.hpp>
#include <respkit/server/mock.hpp>

using namespace respkit;
using namespace respkit::bench;

namespace {

// A plan for a suite at 1,000 operations a line, aimed at a server of the test's own.
plan small(std::string const& name, mock const& server) {
    plan p;
    p.embedded = false;
    p.target.port = static_cast<std::uint16_t>(server.port());
    p.suite.name = name;
    p.suite.scale = 1e-6;
    p.suite.cold = true;
    return p;
}

std::uint64_t calls(mock& server, std::string const& command) {
    auto const text = server.run({"INFO", "commandstats"}).text;
    auto const field = info_field(text, "cmdstat_" + command);
    return field ? std::strtoull(field->c_str() + field->find('=') + 1, nullptr, 10) : 0;
}

test_result run(suite_line const& line) {
    static interrupts signals;
    target to(line.plan);
    auto t = run_test(line.plan, to, line.work, signals, [](auto...) {});
    t.name = line.name;
    t.seed = line.seed;
    if (t.driver == "hiredis") t.mix = line.name.substr(0, line.name.find(','));
    return t;
}

std::vector<finished> run(suite const& s) {
    std::vector<finished> all;
    for (auto const& section : s.sections)
        for (auto const& line : section.lines) {
            auto t = run(line);
            CAPTURE(line.name);
            CAPTURE(t.trouble);
            CHECK_FALSE(t.partial);
            CHECK(t.operations == line.plan.requests);
            CHECK(t.replies.good() == line.plan.requests * t.commands);
            all.push_back({&line, std::move(t)});
        }
    return all;
}

}  // namespace

TEST_CASE("suite redis: the seed's fifteen lines in its order, each with exactly its requests") {
    mock server;
    auto const s = make_suite(small("redis", server));
    auto const all = run(s);
    std::string titles;
    for (auto const& f : all) {
        auto const text = s.sections[0].text(f);
        titles += text.substr(0, text.find(": ")) + "|";
        CHECK(text.ends_with(" requests per second\n"));
        CHECK(f.result.connections == 10);
    }
    CHECK(titles ==
          "PING_INLINE|PING_BULK|SET|GET|INCR|LPUSH|LPOP|SADD|SPOP|LPUSH (needed to benchmark LRANGE)|"
          "LRANGE_100 (first 100 elements)|LRANGE_300 (first 300 elements)|LRANGE_500 (first 450 elements)|"
          "LRANGE_600 (first 600 elements)|MSET (10 keys)|");
    CHECK(calls(server, "set") == 1100);  // a tenth is warm-up
    CHECK(calls(server, "get") == 1100);
    CHECK(calls(server, "lpush") == 2200);
    CHECK(calls(server, "lrange") == 4400);
    CHECK(all[12].line->work.words == std::vector<std::string>{"LRANGE", "mylist", "0", "449"});
    CHECK(all[12].result.hit_ratio == 1.0);
    auto const foot = s.foot(all);
    CHECK(foot.find("LPUSH              ") != std::string::npos);
    CHECK(foot.find("36,179   40,145    1.11  one run each: cannot tell") != std::string::npos);
    CHECK(foot.find("0.98  same within 5 %") != std::string::npos);
}

TEST_CASE("suite jedis: 4 and 36 lines in the seed's order, exact counts, one key for each operation") {
    mock server;
    auto const s = make_suite(small("jedis", server));
    REQUIRE(s.sections.size() == 4);
    auto const all = run(s);
    REQUIRE(all.size() == 40);
    std::vector<std::string> lines;
    for (auto const& section : s.sections)
        for (auto const& f : all)
            if (f.line >= section.lines.data() && f.line < section.lines.data() + section.lines.size())
                lines.push_back(section.text(f));
    CHECK(lines[0].starts_with("SET: "));
    CHECK(lines[1].starts_with("LPUSH: "));
    CHECK(lines[2].starts_with("SET: "));
    CHECK(lines[3].starts_with("GET: "));
    for (std::size_t i = 0; i < 36; ++i) {
        std::string const mix = std::vector{"x / o", "o / x", "x / x"}[i % 3];
        auto const threads = i / 9 % 2 ? "20" : "10";
        CHECK(all[i + 4].line->name.starts_with(mix + ", " + threads + " threads, 1000 ops"));
        CHECK(all[i + 4].line->name.ends_with(", piped") == (i >= 18));
        CHECK(all[i + 4].result.commands == (i % 3 == 2 ? 2 : 1));
        CHECK(all[i + 4].result.opened == all[i + 4].result.threads);
    }
    CHECK(calls(server, "set") == 2 * 1100 + 24 * 1000);  // redis-benchmark's lines warm up, the pool is cold
    CHECK(calls(server, "get") == 1100 + 24 * 1000);
    CHECK(calls(server, "lpush") == 1100);
    CHECK(server.run({"EXISTS", "key:000000000000", "key:000000000999", "key:000000001000"}).integer == 2);
    CHECK(server.run({"DBSIZE"}).integer == 1000 + 2);  // key:__rand_int__ and mylist are sections 2 and 3
    CHECK(s.foot(all).find("\na) a pipeline gains ") != std::string::npos);
    CHECK(s.sections[2].foot(std::span(all).subspan(4, 18)).find("* one task") == 0);
    CHECK(s.sections[3].lines[8].seed[0].value == doctest::Approx(290023.2019));
}

TEST_CASE("suite jedis: tasks, pool and borrowing as asked for") {
    mock server;
    auto p = small("jedis", server);
    p.suite.task_ops = 100;
    p.suite.pool = 3;
    p.suite.borrow = borrowing::operation;
    p.suite.test_on_borrow = true;
    auto const s = make_suite(p);
    auto const t = run(s.sections[2].lines[2]);
    CHECK_FALSE(t.partial);
    CHECK(t.opened == 3);
    CHECK(t.replies.ok == 2000);
    CHECK(t.hit_ratio == 1.0);
    CHECK(t.waits.count() == 1000);
    CHECK(calls(server, "ping") >= 1000);
}

TEST_CASE("suite servicestack: loads and pools in the seed's order, the seed's records") {
    mock server;
    auto const s = make_suite(small("servicestack", server));
    CHECK(s.fresh_server);
    auto const all = run(s);
    REQUIRE(all.size() == 13);
    auto const first = [&](std::size_t section, std::size_t i) {
        auto const text = s.sections[section].text(all[i]);
        return text.substr(0, text.find(" - "));
    };
    CHECK(first(0, 0) == "1,000 records (1 thread)");
    CHECK(first(0, 3) == "1,000 records (32 threads)");
    CHECK(first(1, 4) == "1,000 records (1 caller)");
    CHECK(first(1, 7) == "1,000 records (32 callers)");
    auto const pool = s.sections[2].text(all[8]);
    CHECK(
        pool.starts_with("Pool with 1 write master and 2 readonly slave (1 opened):\n"
                         "Inserted 96 data items with degree of parallelism 32. Elapsed time: 00:00:0"));
    CHECK(s.sections[3].text(all[12]).starts_with("No pool, a connection for each item:\nInserted 1000 "));
    CHECK(all[1].result.opened == 32);
    CHECK(all[9].result.opened <= 10);  // writers only
    CHECK(all[6].result.connections == 1);
    CHECK(all[7].result.window == 32);
    CHECK(calls(server, "set") == 8 * 1000 + 2 * 96 + 3 * 1000);
    CHECK(server.run({"DBSIZE"}).integer == 1000);  // the same records in every line
    std::string guid(36, ' ');
    write_guid(guid.data(), 1, 999);
    auto const value = server.run({"GET", guid}).text;
    CHECK(value.size() == 252);
    CHECK(value.starts_with(guid + "_ABCDEFGHIGKLMNOPQRSTYVWXYZ_ABC"));
}

TEST_CASE("suite servicestack: an eager pool opens its readers, too") {
    mock server, replica;
    auto p = small("servicestack", server);
    p.suite.eager = true;
    p.suite.readers.emplace_back().port = static_cast<std::uint16_t>(replica.port());
    auto const s = make_suite(p);
    CHECK(run(s.sections[2].lines[0]).opened == 3);
    auto to_replica = p;
    to_replica.target = p.suite.readers[0];
    target const last(to_replica);  // answered, so those before it have been accepted
    CHECK(replica.counts().connections == 3);
}

TEST_CASE("suite: a pool that runs dry, and a server that is not there, are told") {
    mock server;
    auto p = small("jedis", server);
    auto line = make_suite(p).sections[2].lines[0];
    line.plan.target.port = 1;
    CHECK_THROWS_AS(run(line), connect_error);
    // A blocking command keeps the only connection.
    line = make_suite(p).sections[2].lines[0];
    line.plan.threads = line.plan.connections = 2;
    line.plan.pool.size = 1;
    line.plan.pool.patience = std::chrono::milliseconds(5);
    line.plan.task_ops = 1;
    line.work = custom({"BLPOP", "nosuch", "0.1"});
    auto const t = run(line);
    CHECK(t.partial);
    CHECK(t.trouble.starts_with("the pool is dry: its 1 connections to "));
}

TEST_CASE("scaled counts are rounded up and never below 1,000") {
    CHECK(scaled(1'000'000, 0.5) == 500'000);
    CHECK(scaled(1'000'000, 0.0000001) == 1000);
    CHECK(scaled(100'000, 0.012345) == 1235);
    CHECK(scaled(1000, 0.1) == 1000);
    CHECK(scaled(96, 0.1) == 96);
    CHECK(scaled(1000, 3) == 3000);
}

TEST_CASE("GUIDs are of version 4, differ, and repeat with the seed") {
    std::set<std::string> seen;
    std::string guid(36, ' ');
    for (std::uint64_t i = 0; i < 1000; ++i) {
        write_guid(guid.data(), 1, i);
        CHECK(guid.find_first_not_of("0123456789abcdef-") == std::string::npos);
        CHECK(guid[14] == '4');
        CHECK(std::string_view("89ab").find(guid[19]) != std::string_view::npos);
        CHECK(guid[8] == '-');
        CHECK(guid[23] == '-');
        seen.insert(guid);
    }
    CHECK(seen.size() == 1000);
    write_guid(guid.data(), 1, 5);
    CHECK(seen.contains(guid));
    write_guid(guid.data(), 2, 5);
    CHECK_FALSE(seen.contains(guid));
}

TEST_CASE("JSON and Markdown of a suite hold what was published beside what was measured") {
    mock server;
    auto const p = small("jedis", server);
    auto const s = make_suite(p);
    std::vector<finished> all;
    all.push_back({&s.sections[3].lines[2], run(s.sections[3].lines[2])});
    all[0].result.mix = "x / x";
    all[0].result.suite = "jedis";
    bench::report r;
    r.tests.push_back(all[0].result);
    auto const root = boost::json::parse(json(r));
    auto const& t = root.at("tests").at(0);
    CHECK(t.at("suite").as_string() == "jedis");
    CHECK(t.at("seed_value").as_double() == doctest::Approx(19230.76923));
    CHECK(t.at("seed").at("milliseconds").to_number<double>() == 52);
    auto const& parameters = t.at("parameters");
    CHECK(parameters.at("threads").as_int64() == 10);
    CHECK(parameters.at("total_ops").as_int64() == 1000);
    CHECK(parameters.at("task_ops").as_int64() == 1000);
    CHECK(parameters.at("piped").as_bool());
    CHECK(parameters.at("mix").as_string() == "x / x");
    CHECK(parameters.at("driver").as_string() == "hiredis");
    CHECK(t.at("replies").at("ok").as_int64() == 2000);
    auto const markdown = suite_markdown(s, p, r, all);
    CHECK(markdown.find("| Write / Read | Number Threads | Total Ops | Ops per thread | Time ms |") !=
          std::string::npos);
    CHECK(markdown.find("\n| x / x | 10 | 1000 | 1000 | ") != std::string::npos);
    CHECK(markdown.find(" | 52 | 19231 |\n") != std::string::npos);
}

TEST_CASE("every driver sends what it is told, and no more") {
    for (auto const how : {driver::asio, driver::hiredis, driver::memory}) {
        mock server;
        plan p;
        p.driver = how;
        p.embedded = how == driver::memory;
        p.target.port = static_cast<std::uint16_t>(server.port());
        p.requests = 1003;
        p.connections = 4;
        p.threads = how == driver::hiredis ? 4 : 1;
        p.pipeline = 7;
        p.keyspace = 50;
        static interrupts signals;
        target to(p);
        for (auto const& w : select(redis_tests(3, true), {})) {
            CAPTURE(w.title);
            auto const t = run_test(p, to, w, signals, [](auto...) {});
            CHECK_FALSE(t.partial);
            CHECK(t.replies.ok == 1003);
            CHECK(t.hit_ratio.value_or(1) == 1);
            CHECK(t.latency.count() == 1003);
        }
        CHECK(to.side().call({"LLEN", "mylist"}).integer > 600);
        CHECK(to.side().call({"EXISTS", "key:000000000049"}).integer == 1);
        if (how != driver::memory) CHECK(calls(server, "set") == 1003 + 100);
    }
}
