// respkit-bench: parse, run, report. Results go to stdout, everything else to stderr.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <respkit/bench/console.hpp>
#include <respkit/bench/environment.hpp>
#include <respkit/bench/format.hpp>
#include <respkit/bench/interrupts.hpp>
#include <respkit/bench/plan.hpp>
#include <respkit/bench/prefill.hpp>
#include <respkit/bench/report.hpp>
#include <respkit/bench/runner.hpp>
#include <respkit/bench/suite.hpp>
#include <respkit/bench/target.hpp>
#include <respkit/bench/workload.hpp>

namespace {

using namespace respkit;
using namespace respkit::bench;

constexpr int done = 0, failed = 1, cannot_start = 2;

// A standard stream that was closed would else be the number of the next socket, and be written to.
void take_closed_streams() {
    for (int taken = 0; taken >= 0 && taken <= STDERR_FILENO;) {
        taken = ::open("/dev/null", O_RDONLY);
        if (taken > STDERR_FILENO) ::close(taken);
    }
}

std::string read_stdin() {
    std::string all;
    char chunk[65536];
    for (std::size_t n; (n = std::fread(chunk, 1, sizeof chunk, stdin)) > 0;) all.append(chunk, n);
    return all;
}

int idle(plan const& p, target& server, interrupts& signals) {
    std::vector<client> open;
    for (std::size_t i = 0; i < p.connections; ++i)
        open.emplace_back(server.where(), std::span(&server.resolved(), 1),
                          p.resp3 ? resp::version::v3 : resp::version::v2, client::default_timeout);
    say(fmt::format("{} idle connections to {}, until Ctrl+C", p.connections, server.where().name()));
    signals.wait();
    return done;
}

// All that runs between a good command line and the exit code.
class session {
public:
    session(plan const& p, target& server, interrupts& signals)
        : plan_(p), server_(server), signals_(signals), line_(!p.csv && !p.quiet) {
        report_.target = server.info();
        report_.environment = look_around();
        report_.environment.command_line = p.command_line;
        report_.environment.seed = p.seed;
    }

    int run() {
        auto const began = std::chrono::steady_clock::now();
        auto const ticks_before = ticks();
        workloads_ = plan_.command.empty()
                         ? select(redis_tests(plan_.data_size, plan_.keyspace > 0), plan_.tests)
                         : std::vector{custom(plan_.command)};
        warn();
        print_head();
        do {
            report_.tests.clear();  // -l: what is reported is the last round
            for (std::size_t i = 0; i < workloads_.size() && one(i);) ++i;
        } while (plan_.loop && !over_ && !out_.failed());
        line_.wipe();
        report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        if (auto const after = ticks(); after && ticks_before && after->all > ticks_before->all)
            report_.environment.steal_percent = 100 *
                                                static_cast<double>(after->steal - ticks_before->steal) /
                                                static_cast<double>(after->all - ticks_before->all);
        if (!plan_.quiet && !plan_.csv)
            print(text_foot(report_, plan_, server_.embedded() && default_redis_answers()));
        if (!plan_.json_path.empty()) ok_ &= write_file(plan_.json_path, json(report_), "--json");
        if (!server_.embedded()) say_what_stays();
        return ok_ && !out_.failed() ? done : failed;
    }

private:
    void print(std::string const& text) { out_.write(text); }

    void warn() {
        if (!plan_.command.empty() || plan_.keyspace > most_keys_filled) {
            if (plan_.keyspace > most_keys_filled && plan_.command.empty())
                say(fmt::format("GET's keys are not filled above -r {}: its hit ratio tells",
                                grouped(most_keys_filled)));
            return;
        }
        if (!plan_.keyspace && !plan_.quiet && !plan_.csv)
            say("one key for all requests, as in redis-benchmark; -r N spreads them over N keys");
    }

    void print_head() {
        if (plan_.csv) return print(csv_head());
        if (!plan_.quiet) print(text_head(report_, plan_));
    }

    // The test of that number. False: no more tests.
    bool one(std::size_t number) {
        auto const& w = workloads_[number];
        std::optional<test_result> t;
        auto const ran_before = std::exchange(ran_, std::max(ran_, number + 1));
        try {
            t = run_test(plan_, server_, w, signals_, [this](auto... how) { line_.show(how...); });
        } catch (prefill_error const& e) {
            ran_ = ran_before;
            return give_up(e.what());
        } catch (std::runtime_error const& e) {
            return give_up(e.what());
        }
        line_.wipe();
        if (signals_.seen()) over_ = report_.interrupted = true;
        if (t->operations) {
            print(plan_.csv     ? csv_row(*t, plan_.precision)
                  : plan_.quiet ? quiet_row(*t, plan_.precision)
                                : text_row(*t, plan_.precision));
        }
        ok_ &= acceptable(*t, plan_.allow_errors);
        over_ |= t->partial;
        say_what_failed(*t);
        if (t->operations) report_.tests.push_back(std::move(*t));
        return !over_ && !out_.failed();
    }

    bool give_up(std::string const& why) {
        line_.wipe();
        say(why);
        over_ = true;
        ok_ = false;
        return false;
    }

    void say_what_stays() {
        try {
            auto const names = left_behind(server_.side(), std::span(workloads_).first(ran_), plan_);
            if (!names.empty()) say("left behind at " + server_.where().name() + ": " + names);
        } catch (connection_lost const&) {
            // Nobody is there to be asked.
        }
    }

    plan const& plan_;
    target& server_;
    interrupts& signals_;
    progress_line line_;
    output out_;
    std::vector<workload> workloads_;
    std::size_t ran_ = 0;  // of workloads_, in any round
    report report_;
    bool ok_ = true, over_ = false;
};

int run(plan& p) {
    for (auto const& warning : p.warnings) say(warning);
    if (p.last_word_from_stdin) p.command.push_back(read_stdin());
    if (!can_write(p.json_path, "--json") || !can_write(p.suite.markdown_path, "--markdown"))
        return cannot_start;
    // Our own server has the other ends; and a few descriptors stand for all the rest.
    auto const needed = p.connections * (p.embedded ? 2 : 1) + p.threads + 16;
    if (auto const most = raise_descriptor_limit(); needed > most) {
        say(fmt::format("{} connections need {} descriptors, and this process may have {} (-c, ulimit -Hn)",
                        grouped(std::uint64_t{p.connections}), grouped(std::uint64_t{needed}),
                        grouped(std::uint64_t{most})));
        return cannot_start;
    }
    interrupts signals;
    if (!p.suite.name.empty()) return run_suite(p, signals);
    target server(p);
    if (server.engine())
        say("no server, no sockets: requests go to an engine on the load's own thread");
    else if (server.embedded())
        say("no server was named: one of respkit's own runs inside this process, at " +
            server.where().name());
    if (p.idle) return idle(p, server, signals);
    return session(p, server, signals).run();
}

}  // namespace

int main(int argc, char** argv) {
    take_closed_streams();
    std::signal(SIGPIPE, SIG_IGN);
    auto parsed = parse(argc, argv);
    if (!parsed.plan) {
        std::fputs(parsed.err.c_str(), stderr);
        output out;
        out.write(parsed.out);
        return out.failed() ? failed : parsed.exit_code;
    }
    try {
        return run(*parsed.plan);
    } catch (std::exception const& e) {
        say(e.what());
        return cannot_start;
    }
}
