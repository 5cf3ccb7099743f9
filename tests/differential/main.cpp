// respkit-differential: random commands to a real Redis and to the mock, replies compared byte for byte.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <random>

#include <CLI/CLI.hpp>

#include "coverage.hpp"
#include "shrink.hpp"
#include <respkit/resp/text.hpp>
#include <respkit/server/command.hpp>

namespace {

using namespace respkit::differential;
using steady = std::chrono::steady_clock;

struct options {
    std::string reference, mock;
    std::string table = RESPKIT_DIFFERENTIAL_TABLE, sources = RESPKIT_SERVER_SOURCE;
    double seconds = 0;
    std::uint64_t commands = 0;
    std::uint64_t seed = std::random_device{}();
    std::size_t failures = 10;
    std::vector<std::string> only;
    bool list = false, round = false, require_coverage = false;
};

// The names that COMMAND LIST tells.
std::vector<std::string> rows_of(peer& p) {
    std::vector<std::string> out;
    for (auto const& each : p.control().call({"COMMAND", "LIST", "FILTERBY", "PATTERN", "*"}).items)
        out.push_back(each.text);
    std::sort(out.begin(), out.end());
    return out;
}

bool has(std::vector<std::string> const& rows, std::string const& row) {
    return std::binary_search(rows.begin(), rows.end(), row);
}

bool picked(options const& o, line const& l) {
    return o.only.empty() || std::any_of(o.only.begin(), o.only.end(), [&](auto const& word) {
               return word == l.family || respkit::lower_case(word) == l.row;
           });
}

// What both servers have, and of it what was asked for.
ground survey(options const& o, table const& t, peer& reference, peer& mock,
              std::vector<std::string> const& rows) {
    ground out;
    auto const there = rows_of(reference);
    auto const both = [&](std::string const& row) { return has(rows, row) && has(there, row); };
    for (auto const& each : t.lines)
        if (both(each.row) && picked(o, each)) out.lines.push_back(&each);
    for (auto const& each : encoding_limits())
        if (!reference.control().call({"CONFIG", "GET", each.name}).items.empty() &&
            !mock.control().call({"CONFIG", "GET", each.name}).items.empty())
            out.limits.emplace_back(each.name);
    out.multi = both("multi") && both("exec");
    out.subscribe = both("psubscribe");
    return out;
}

// Differences of the same command in the same words are one.
std::string signature(difference const& d) {
    auto const head = [](std::string const& reply) {
        std::string out;
        for (char const c : reply.substr(0, 40))
            if (c < '0' || c > '9') out += c;
        return reply.starts_with('-') || reply.starts_with('$') ? out : out.substr(0, 1);
    };
    return d.row + " " + head(d.expected) + " " + head(d.found);
}

class run {
public:
    run(options const& o, table const& t)
        : options_(o),
          table_(t),
          reference_(o.reference),
          mock_(o.mock),
          rows_(rows_of(mock_)),
          ground_(survey(o, t, reference_, mock_, rows_)),
          generator_(ground_),
          coverage_(t, ground_, rows_, error_texts(o.sources)),
          player_(reference_, mock_, ground_,
                  [this](request const& of, std::string_view reply) { coverage_.seen(of, reply); }) {
        if (ground_.lines.empty()) throw std::runtime_error("the two servers have no such command in common");
    }

    int go() {
        std::cout << "respkit-differential   seed " << options_.seed << " · " << ground_.lines.size()
                  << " of " << table_.lines.size() << " lines · reference " << options_.reference
                  << " · mock " << options_.mock << "\n"
                  << std::flush;
        auto const begin = steady::now();
        respkit::random_source seeds(options_.seed);
        std::uint64_t rounds = 0;
        for (bool first = true; first || more(begin); first = false, ++rounds) {
            auto const made = generator_.make(options_.round ? options_.seed : seeds());
            if (auto const found = player_.play(made, true)) report(made, *found);
            if (options_.round || found_.size() >= options_.failures) break;
        }
        std::chrono::duration<double> const took = steady::now() - begin;
        auto const replies = player_.compared();
        std::cout << replies << " replies compared in " << rounds + 1 << " rounds, "
                  << static_cast<std::uint64_t>(static_cast<double>(replies) / took.count()) << " a second\n";
        bool const covered = coverage_.report(std::cout);
        for (auto const& [what, times] : found_)
            if (times > 1) std::cout << times << " times: " << respkit::resp::quote(what) << "\n";
        std::cout << found_.size() << " differences";
        if (passing_) std::cout << ", and " << passing_ << " that did not happen again";
        std::cout << std::endl;
        return !found_.empty() || (options_.require_coverage && !covered) ? 1 : 0;
    }

private:
    bool more(steady::time_point begin) const {
        if (options_.commands) return player_.compared() < options_.commands;
        return std::chrono::duration<double>(steady::now() - begin).count() < options_.seconds;
    }

    void report(script const& whole, difference const& first) {
        auto& times = found_[signature(first)];
        if (times++) return;
        auto const small = shrink(player_, whole, first);
        if (!small.again) {
            found_.erase(signature(first));
            ++passing_;
            std::cout << "\nonce, and not again (round " << whole.seed
                      << "): " << respkit::resp::quote(first.what.words[0]) << "\n  redis "
                      << respkit::resp::quote(first.expected) << "\n  mock  "
                      << respkit::resp::quote(first.found) << "\n";
            return;
        }
        std::cout << "\n"
                  << print_case(player_, small) << "# again  --round " << whole.seed << "\n"
                  << std::flush;
    }

    options const& options_;
    table const& table_;
    peer reference_, mock_;
    std::vector<std::string> rows_;  // of the mock
    ground ground_;
    generator generator_;
    coverage coverage_;
    player player_;
    std::map<std::string, std::size_t> found_;
    std::size_t passing_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    options o;
    CLI::App app("Random commands to a real Redis and to the mock, replies compared.",
                 "respkit-differential");
    app.add_option("--reference", o.reference, "HOST:PORT of the real Redis; all its data is deleted");
    app.add_option("--mock", o.mock, "HOST:PORT of the server under test; all its data is deleted");
    app.add_option("--seconds", o.seconds, "how long");
    app.add_option("--commands", o.commands, "or how many");
    app.add_option("--seed", o.seed, "the run is the same for the same seed");
    auto* const one = app.add_option("--round", o.seed, "this one round, as a difference names it");
    app.add_option("--only", o.only, "families or commands");
    app.add_option("--failures", o.failures, "stop after so many differences")->capture_default_str();
    app.add_option("--table", o.table, "the generator's lines")->capture_default_str();
    app.add_option("--sources", o.sources, "where the error texts are gathered")->capture_default_str();
    app.add_flag("--list", o.list, "print families and commands, and run nothing");
    app.add_flag("--require-coverage", o.require_coverage,
                 "a row, option or text that is not seen is a failure");
    CLI11_PARSE(app, argc, argv);
    o.round = one->count() > 0;
    try {
        auto const lines = load_table(o.table);
        if (o.list) {
            for (auto const& each : lines.lines) std::cout << each.family << "  " << each.row << "\n";
            return 0;
        }
        if (o.reference.empty() || o.mock.empty())
            throw std::runtime_error("--reference and --mock are needed");
        return run(o, lines).go();
    } catch (std::exception const& error) {
        std::cerr << "respkit-differential: " << error.what() << "\n";
        return 2;
    }
}
