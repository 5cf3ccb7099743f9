#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include <respkit/bench/console.hpp>
#include <respkit/bench/environment.hpp>
#include <respkit/bench/format.hpp>
#include <respkit/bench/names.hpp>
#include <respkit/bench/prefill.hpp>
#include <respkit/bench/report.hpp>
#include <respkit/bench/runner.hpp>
#include <respkit/bench/suite.hpp>
#include <respkit/bench/target.hpp>

namespace respkit::bench {
namespace {

constexpr int done = 0, failed = 1, cannot_start = 2;

bool is_local(plan const& p) {
    auto const& e = p.target;
    return p.embedded || !e.unix_path.empty() || e.host == "localhost" || e.host == "::1" ||
           e.host.starts_with("127.");
}

// Takes the records of such a line off a server that is not ours, and lets it give their memory back.
void drop_records(client& server, plan const& p, std::uint64_t count) {
    std::vector<std::string> words;
    for (std::uint64_t i = 0; i < count;) {
        words.assign(1, "DEL");
        for (; i < count && words.size() < 1000; ++i) {
            auto& key = words.emplace_back(36, ' ');
            write_guid(key.data(), p.seed, i);
        }
        server.call(words);
    }
    server.call({"MEMORY", "PURGE"});
}

class suite_session {
public:
    suite_session(plan const& p, interrupts& signals)
        : plan_(p), signals_(signals), suite_(make_suite(p)), line_(true) {
        report_.environment = look_around();
        report_.environment.command_line = p.command_line;
        report_.environment.seed = p.seed;
    }

    int run() {
        auto const began = std::chrono::steady_clock::now();
        if (auto const free = free_memory(); free && is_local(plan_) && suite_.bytes() > *free) {
            say(fmt::format(
                "suite {} needs {} MB of memory, and {} MB are free: --scale {:.2g} would fit", suite_.name,
                grouped(suite_.bytes() >> 20), grouped(*free >> 20),
                plan_.suite.scale * 0.9 * static_cast<double>(*free) / static_cast<double>(suite_.bytes())));
            return cannot_start;
        }
        server_ = std::make_unique<target>(plan_);
        report_.target = server_->info();
        out_.write(suite_head(suite_, plan_, report_));
        for (auto const& section : suite_.sections)
            if (!run_section(section)) break;
        report_.interrupted = over_;
        if (suite_.foot && !finished_.empty()) out_.write(suite_.foot(finished_));
        report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        out_.write(fmt::format("{}{:.1f} s\n",
                               over_ ? fmt::format("partial  {} of {} lines of the table · ", whole_, lines())
                                     : std::string("done     "),
                               report_.seconds));
        for (auto const& f : finished_) report_.tests.push_back(f.result);
        if (!plan_.json_path.empty()) ok_ &= write_file(plan_.json_path, json(report_), "--json");
        ok_ &= write_file(plan_.suite.markdown_path, suite_markdown(suite_, plan_, report_, finished_),
                          "--markdown");
        say_what_stays();
        return ok_ && !over_ && !out_.failed() ? done : failed;
    }

private:
    std::size_t lines() const {
        std::size_t n = 0;
        for (auto const& s : suite_.sections) n += s.lines.size();
        return n;
    }

    bool run_section(suite_section const& section) {
        out_.write(section.head);
        auto const first = finished_.size();
        for (auto const& line : section.lines)
            if (!one(section, line)) break;
        auto const mine = std::span<finished const>(finished_).subspan(first);
        if (section.foot && !mine.empty()) out_.write(section.foot(mine));
        if (!over_ && &section != &suite_.sections.back() && !suite_.fresh_server) out_.write("\n");
        return !over_ && !out_.failed();
    }

    // False: no more lines.
    bool one(suite_section const& section, suite_line const& line) {
        std::optional<test_result> t;
        try {
            if (suite_.fresh_server && touched_) {
                server_.reset();
                server_ = std::make_unique<target>(line.plan);
            }
            touched_ = true;
            t = median(line);
            if (suite_.fresh_server && !server_->embedded() && !t->replies.broken())
                drop_records(server_->side(), line.plan, line.plan.requests);
        } catch (std::runtime_error const& e) {
            line_.wipe();
            say(e.what());
            over_ = true;
            if (!t) return false;
        }
        line_.wipe();
        t->name = line.name;
        t->suite = suite_.name;
        t->seed = line.seed;
        over_ |= signals_.seen() || t->partial;
        ok_ &= acceptable(*t, plan_.allow_errors);
        if (t->operations) {
            finished_.push_back({&line, std::move(*t)});
            auto text = section.text(finished_.back());
            if (finished_.back().result.partial) text.insert(text.find('\n'), " (partial)");
            out_.write(text);
            whole_ += !finished_.back().result.partial;
            say_what_failed(finished_.back().result);
        } else {
            say_what_failed(*t);
        }
        return !over_ && !out_.failed();
    }

    // The run whose time is the median; every one must succeed.
    test_result median(suite_line const& line) {
        std::vector<test_result> all;
        for (std::size_t i = 0; i < line.runs; ++i) {
            all.push_back(run_test(line.plan, *server_, line.work, signals_,
                                   [this](auto... how) { line_.show(how...); }));
            all.back().mix = mix(line.work);
            if (!acceptable(all.back(), plan_.allow_errors) || signals_.seen()) return std::move(all.back());
        }
        std::vector<std::uint64_t> times;
        for (auto const& t : all) times.push_back(static_cast<std::uint64_t>(t.seconds * 1e9));
        std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.seconds < b.seconds; });
        auto& chosen = all[all.size() / 2];
        if (times.size() > 1) chosen.all_runs = std::move(times);
        return std::move(chosen);
    }

    static std::string mix(workload const& w) {
        if (!w.then.empty()) return "x / x";
        if (w.words[0] == "SET") return "x / o";
        return w.words[0] == "GET" ? "o / x" : "";
    }

    void say_what_stays() {
        if (!server_ || server_->embedded() || suite_.fresh_server) return;
        std::vector<workload> work;
        plan widest = plan_;
        for (auto const& f : finished_) {
            work.push_back(f.line->work);
            widest.keyspace = std::max(widest.keyspace, f.line->plan.keyspace);
        }
        try {
            auto const names = left_behind(server_->side(), work, widest);
            if (!names.empty()) say("left behind at " + server_->where().name() + ": " + names);
        } catch (connection_lost const&) {
            // Nobody is there to be asked.
        }
    }

    plan const& plan_;
    interrupts& signals_;
    suite const suite_;
    progress_line line_;
    output out_;
    std::unique_ptr<target> server_;
    std::vector<finished> finished_;
    report report_;
    std::size_t whole_ = 0;
    bool touched_ = false;  // the server has had a line
    bool ok_ = true, over_ = false;
};

}  // namespace

int run_suite(plan const& p, interrupts& signals) { return suite_session(p, signals).run(); }

}  // namespace respkit::bench
