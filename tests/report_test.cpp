#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <respkit/bench/format.hpp>
#include <respkit/bench/reply_scanner.hpp>
#include <respkit/bench/report.hpp>
#include <respkit/bench/verdict.hpp>

using namespace respkit::bench;

namespace {

test_result sample() {
    test_result t;
    t.name = "SET";
    t.label = "SET";
    t.suite = "redis";
    t.requests = t.operations = 100'000;
    t.seconds = 0.8;
    t.per_second = 125'000;
    t.connections = 50;
    t.data_size = 3;
    t.allowed = 50;
    t.replies.ok = 100'000;
    for (std::uint64_t i = 0; i < 1000; ++i) t.latency.record(300'000 + i * 200, 100);
    t.client_cpu = {300'000'000, 450'000'000};
    t.busiest_client = 0.9375;
    t.server_cpu = cpu{200'000'000, 400'000'000};
    t.server_busy = 0.75;
    judge(t);
    return t;
}

report of(test_result t) {
    report r;
    r.target = {"tcp", "127.0.0.1:6379", "redis 7.0.15"};
    r.environment.cpu_model = "Some(R) CPU 1234 @ 2.00GHz";
    r.environment.cores = 2;
    r.environment.kernel = "Linux 6.1.0-1-amd64";
    r.environment.seed = 1;
    r.seconds = 1.5;
    r.tests.push_back(std::move(t));
    return r;
}

}  // namespace

TEST_CASE("-q and --csv are redis-benchmark's lines") {
    auto t = sample();
    CHECK(quiet_row(t, 3) == "SET: 125000.00 requests per second, p50=0.400 msec\n");
    CHECK(csv_head() ==
          "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\",\"p95_latency_ms\","
          "\"p99_latency_ms\",\"max_latency_ms\"\n");
    CHECK(csv_row(t, 3) ==
          "\"SET\",\"125000.00\",\"0.400\",\"0.300\",\"0.400\",\"0.490\",\"0.498\",\"0.500\"\n");
    t.name = "SET \"a\"";
    CHECK(csv_row(t, 1).starts_with("\"SET \"\"a\"\"\",\"125000.00\",\"0.4\","));
}

TEST_CASE("a row of the table") {
    auto t = sample();
    CHECK(text_row(t, 3) ==
          "SET              125,000    400    498    500    500   7,500  6,000  client 94%\n");
    t.server_cpu.reset();
    t.server_busy.reset();
    t.partial = true;
    CHECK(text_row(t, 4) ==
          "SET              125,000  399.9  497.9  499.7  499.8   7,500      -  client 94% (partial)\n");
}

TEST_CASE("figures of any size leave a blank between columns") {
    auto t = sample();
    t.per_second = 2'480'165;
    t.latency.record(146'312'000);
    CHECK(text_row(t, 3) ==
          "SET                2.48M    400    498    500  146ms   7,500  6,000  client 94%\n");
    t.latency.record(12'000'000'000, 10'000);
    t.server_cpu->user = 883'320 * t.operations;
    auto const row = text_row(t, 3);
    CHECK(row.find("  12s    12s    12s ") != std::string::npos);
    CHECK(row.find("   887k  client") != std::string::npos);
}

TEST_CASE("a run that is too short gets no verdict") {
    auto t = sample();
    t.seconds = 0.01;
    judge(t);
    CHECK(text_row(t, 3).find("too short\n") != std::string::npos);
    plan p;
    auto const foot = text_foot(of(t), p, false);
    CHECK(foot.find("verdict  too short to tell in 1 of 1.\n") != std::string::npos);
    CHECK(foot.find("client-bound") == std::string::npos);
}

TEST_CASE("the head fits a terminal and says what was done") {
    plan p;
    auto const r = of(sample());
    auto const head = text_head(r, p);
    CHECK(head.find("closed loop · 50 clients · pipeline 1 · 3 bytes · 1 key\n") != std::string::npos);
    CHECK(head.find("server   redis 7.0.15, 127.0.0.1:6379\n") != std::string::npos);
    CHECK(head.find("machine  2 × Some 1234 · Linux 6.1 · seed 1\n") != std::string::npos);
    CHECK(head.find("each     100,000 requests after 10,000 of warm-up; keys and lists filled before\n") !=
          std::string::npos);
    for (char const c : to_ascii(head + text_foot(r, p, false))) CHECK(static_cast<unsigned char>(c) < 128);
}

TEST_CASE("only the embedded server is said not to be Redis") {
    plan p;
    auto r = of(sample());
    CHECK(text_foot(r, p, true).find("not Redis") == std::string::npos);
    r.target.kind = "embedded";
    CHECK(text_foot(r, p, true).find("One answers at 127.0.0.1:6379: respkit-bench -p 6379\n") !=
          std::string::npos);
    CHECK(text_foot(r, p, false).find("One answers") == std::string::npos);
}

TEST_CASE("verdicts follow the thresholds") {
    struct row {
        double client;
        std::optional<double> server;
        bound want;
    };
    for (row const& r :
         {row{0.95, 0.5, bound::client}, row{0.5, 0.95, bound::server}, row{0.9, 0.9, bound::both},
          row{0.89, 0.89, bound::neither}, row{0.95, {}, bound::client}, row{0.5, {}, bound::neither}}) {
        auto t = sample();
        t.busiest_client = r.client;
        t.server_busy = r.server;
        judge(t);
        CHECK(t.verdict == r.want);
    }
    auto t = sample();
    CHECK(t.outstanding == doctest::Approx(50).epsilon(0.01));
    CHECK(t.verdict_reason.find("too short") == std::string::npos);
    t.allowed = 20;
    t.seconds = 0.01;
    judge(t);
    CHECK(t.verdict_reason.find("Little's law fails") != std::string::npos);
    CHECK(t.verdict_reason.find("too short") != std::string::npos);
    CHECK(explain(t).find("90 %") != std::string::npos);
}

TEST_CASE("JSON has every field of the contract") {
    auto const root = boost::json::parse(json(of(sample()))).as_object();
    CHECK(root.at("schema").as_int64() == 1);
    CHECK(root.at("target").at("kind").as_string() == "tcp");
    for (char const* key :
         {"cpu", "cores", "kernel", "governor", "load", "steal_percent", "command_line", "seed", "started"})
        CHECK(root.at("environment").as_object().contains(key));
    auto const& t = root.at("tests").at(0).as_object();
    for (char const* key : {"name",         "suite",       "parameters", "loop",           "operations",
                            "seconds",      "per_second",  "replies",    "hit_ratio",      "latency_ns",
                            "response_ns",  "lateness_ns", "histogram",  "timeline",       "cpu_ns_per_op",
                            "memory_bytes", "checks",      "verdict",    "verdict_reason", "seed_value"})
        CHECK_MESSAGE(t.contains(key), key);
    for (char const* key : {"min", "mean", "p50", "p90", "p95", "p99", "p99_9", "max"})
        CHECK(t.at("latency_ns").as_object().contains(key));
    CHECK(t.at("latency_ns").at("min").as_int64() == 300'000);
    CHECK(t.at("hit_ratio").is_null());
    CHECK(t.at("cpu_ns_per_op").at("client").as_int64() == 7500);
    CHECK(t.at("cpu_ns_per_op").at("client_user").is_null());  // below a second the split is a guess
    CHECK(histogram::decode(std::string(t.at("histogram").as_string())).count() == 100'000);
}

TEST_CASE("replies are told apart, wherever they are cut") {
    struct row {
        char const* wire;
        hit counts;
        std::size_t replies;
        std::uint64_t ok, nil, hits, errors;
    };
    for (row const& r : {
             row{"+OK\r\n+PONG\r\n+QUEUED\r\n", hit::none, 3, 3, 0, 0, 0},
             row{"$3\r\nVXK\r\n$-1\r\n$0\r\n\r\n_\r\n", hit::not_null, 4, 2, 2, 2, 0},
             row{":1\r\n:-12\r\n-ERR a b\r\n-LOADING x\r\n!5\r\nERR z\r\n", hit::none, 5, 2, 0, 0, 3},
             row{"*2\r\n$1\r\na\r\n$1\r\nb\r\n*0\r\n*-1\r\n", hit::not_empty, 3, 2, 1, 1, 0},
             row{"*3\r\n:1\r\n*2\r\n$1\r\na\r\n:2\r\n$-1\r\n*3\r\n+a\r\n+b\r\n#t\r\n", hit::whole_range, 2, 2,
                 0, 2, 0},
             row{"*2\r\n+a\r\n+b\r\n", hit::whole_range, 1, 1, 0, 0, 0},
             row{">2\r\n+x\r\n+y\r\n+OK\r\n", hit::none, 1, 1, 0, 0, 0},
             row{"|1\r\n+k\r\n+v\r\n$1\r\na\r\n", hit::not_null, 1, 1, 0, 1, 0},
             row{"%1\r\n+k\r\n~1\r\n,1.5\r\n", hit::none, 1, 1, 0, 0, 0},
         }) {
        std::string const wire = r.wire;
        CAPTURE(wire);
        for (std::size_t piece : {wire.size(), std::size_t{1}, std::size_t{3}}) {
            reply_scanner scanner(r.counts, 3);
            tally t;
            std::string held;
            std::size_t replies = 0;
            for (std::size_t at = 0; at < wire.size(); at += piece) {
                held += wire.substr(at, piece);
                auto const step = scanner.scan(held, 100, t);
                REQUIRE(step.why == respkit::resp::fault::none);
                held.erase(0, step.consumed);
                replies += step.replies;
            }
            CHECK(held == "");
            CHECK(replies == r.replies);
            CHECK(t.ok == r.ok);
            CHECK(t.nil == r.nil);
            CHECK(t.hits == r.hits);
            CHECK(t.error_replies == r.errors);
        }
    }
}

TEST_CASE("errors are counted by their first word, what is no reply, or not asked for, is told") {
    tally t;
    reply_scanner scanner(hit::none, 0);
    scanner.scan("-ERR a\r\n-OOM command\r\n-OOM again\r\n", 3, t);
    CHECK(t.errors == std::map<std::string, std::uint64_t>{{"ERR", 1}, {"OOM", 2}});
    CHECK(t.first_error == "ERR a");
    auto const extra = scanner.scan("+OK\r\n+OK\r\n", 1, t);
    CHECK(extra.unasked);
    CHECK(extra.consumed == 5);
    CHECK(scanner.scan("?\r\n", 1, t).why != respkit::resp::fault::none);
    for (char const* inside : {"*1\r\n>1\r\n+a\r\n", "*1\r\n.\r\n", "$3\r\nabcd\r\n", ":x\r\n"})
        CHECK(reply_scanner(hit::none, 0).scan(inside, 1, t).why != respkit::resp::fault::none);
}

TEST_CASE("numbers for people") {
    CHECK(grouped(std::uint64_t{0}) == "0");
    CHECK(grouped(std::uint64_t{999}) == "999");
    CHECK(grouped(std::uint64_t{1'234'567}) == "1,234,567");
    CHECK(grouped(1234.56, 1) == "1,234.6");
    CHECK(milliseconds(263'400, 3) == "0.263");
    CHECK(to_ascii("2 × µs · ÷ …") == "2 x us, / ...");
}
