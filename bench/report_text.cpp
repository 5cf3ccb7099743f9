#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <respkit/bench/environment.hpp>
#include <respkit/bench/format.hpp>
#include <respkit/bench/report.hpp>
#include <respkit/bench/verdict.hpp>

namespace respkit::bench {
namespace {

// "AMD EPYC 7763 64-Core Processor" → "AMD EPYC 7763": a line has 80 columns.
std::string short_model(std::string model) {
    for (std::string_view const noise : {"(R)", "(TM)", "(r)", "(tm)", " Processor", " CPU"})
        for (auto at = model.find(noise); at != std::string::npos; at = model.find(noise))
            model.erase(at, noise.size());
    model.erase(std::min(model.find(" @"), model.size()));
    if (auto const cores = model.find("-Core"); cores != std::string::npos)
        model.erase(std::min(model.rfind(' ', cores), model.size()));
    return model.size() > 28 ? model.substr(0, 27) + "…" : model;
}

std::string short_kernel(std::string const& kernel) {
    auto const dot = kernel.find('.');
    auto const end = kernel.find_first_not_of("0123456789", dot == std::string::npos ? 0 : dot + 1);
    return kernel.substr(0, end);
}

std::string share(double part) { return fmt::format("{:.0f}%", 100 * part); }

std::string bound_by(test_result const& t) {
    if (too_short(t)) return "too short";
    switch (t.verdict) {
        case bound::client:
            return "client " + share(t.busiest_client);
        case bound::server:
            return "server " + share(*t.server_busy);
        case bound::both:
            return "both";
        case bound::neither:
            return "neither";
    }
    return {};
}

// A figure that leaves a blank before it in its column: "99,999", then "218k" and "2.48M".
std::string fitting(double value, std::size_t width) {
    auto const plain = grouped(value, 0);
    if (plain.size() < width) return plain;
    return value < 1e6 ? fmt::format("{:.0f}k", value / 1e3) : fmt::format("{:.4g}M", value / 1e6);
}

// Microseconds, from 100 ms on milliseconds, from 10 s on seconds, with their unit.
std::string time_column(double us, int decimals) {
    if (us < 10) decimals = std::max(decimals, 1);
    if (us < 100e3) return grouped(us, us < 1e3 ? decimals : 0);
    return us < 10e6 ? fmt::format("{:.0f}ms", us / 1e3) : fmt::format("{:.0f}s", us / 1e6);
}

std::string per_operation(std::optional<cpu> const& used, test_result const& t) {
    if (!used || !t.operations) return "-";
    return fitting(static_cast<double>(used->total()) / static_cast<double>(t.operations), 7);
}

std::string keys(plan const& p) {
    return p.keyspace ? grouped(p.keyspace) + " keys (-r)" : std::string("1 key");
}

std::string some(std::uint64_t n, std::string_view what) {
    return fmt::format("{} {}{}", grouped(n), what, n == 1 ? "" : "s");
}

// How often each verdict was reached, the commonest first.
std::string count_verdicts(std::vector<test_result> const& tests) {
    std::vector<std::pair<std::size_t, std::string_view>> counts;
    auto const add = [&](std::string_view verdict, auto holds) {
        auto const n = static_cast<std::size_t>(std::count_if(tests.begin(), tests.end(), holds));
        if (n) counts.emplace_back(n, verdict);
    };
    for (auto const b : {bound::client, bound::server, bound::both, bound::neither})
        add(name(b), [&](test_result const& t) { return t.verdict == b && !too_short(t); });
    add("too short to tell", too_short);
    std::stable_sort(counts.begin(), counts.end(),
                     [](auto const& a, auto const& b) { return a.first > b.first; });
    std::string out;
    for (auto const& [n, verdict] : counts)
        out += fmt::format("{}{} in {} of {}", out.empty() ? "" : ", ", verdict, n, tests.size());
    return out;
}

std::string meaning(std::vector<test_result> const& tests) {
    auto const any = [&](bound b) {
        return std::any_of(tests.begin(), tests.end(),
                           [&](auto const& t) { return t.verdict == b && !too_short(t); });
    };
    std::string out;
    if (any(bound::client))
        out +=
            "         client-bound: the load thread filled its core, the server did not. Read\n"
            "         ok/s as \"at least\"; the server's price is its ns/op. (--threads)\n";
    if (any(bound::both))
        out += "         both: load thread and server each filled a core; compare their ns/op.\n";
    if (any(bound::neither))
        out +=
            "         neither: nobody filled a core; the requests in flight set the pace, or\n"
            "         other programs on this machine did.\n";
    if (std::any_of(tests.begin(), tests.end(), too_short))
        out += fmt::format("         too short: under {} s or {} requests a test; raise -n.\n", least_seconds,
                           grouped(least_operations));
    return out;
}

// What is wrong with a test beside its being short: "GET: partial: server went away …".
std::string remarks(test_result const& t) {
    std::string out;
    auto const& reason = t.verdict_reason;
    for (auto at = reason.find("; "); at != std::string::npos;) {
        auto const next = reason.find("; ", at + 2);
        auto const remark = reason.substr(at + 2, next == std::string::npos ? next : next - at - 2);
        if (!remark.starts_with("run too short")) out += fmt::format("         {}: {}\n", t.label, remark);
        at = next;
    }
    return out;
}

}  // namespace

std::string text_head(report const& r, plan const& p) {
    std::string out;
    auto const depth = p.window ? fmt::format("window {}", grouped(std::uint64_t{p.window}))
                                : fmt::format("pipeline {}", grouped(std::uint64_t{p.pipeline}));
    out += fmt::format("respkit-bench {}   closed loop · {} · {}", version(), some(p.connections, "client"),
                       depth);
    if (p.command.empty()) out += " · " + some(p.data_size, "byte");
    if (p.command.empty() || p.keyspace) out += " · " + keys(p);
    if (p.threads > 1) out += fmt::format(" · {} threads", p.threads);
    if (p.driver == driver::hiredis) out += " · hiredis";
    if (p.resp3) out += " · RESP3";
    if (!p.keep_alive) out += " · reconnecting";
    auto const& at = r.target.address;
    out += r.target.kind == "memory"
               ? std::string("\nserver   none: bytes go to an engine on the load's own thread")
           : r.target.kind == "embedded"
               ? "\nserver   respkit's own, inside this process, " + at
               : "\nserver   " + (r.target.server.empty() ? "" : r.target.server + ", ") + at;
    auto const& e = r.environment;
    out += fmt::format("\nmachine  {} × {} · {}", e.cores,
                       e.cpu_model.empty() ? "?" : short_model(e.cpu_model), short_kernel(e.kernel));
    if (e.load) out += fmt::format(" · load {:.1f}", *e.load);
    out += fmt::format(" · seed {}", e.seed);
    out +=
        fmt::format("\neach     {} after {} of warm-up", some(p.requests, "request"), grouped(p.warm_up()));
    out += p.command.empty() ? "; keys and lists filled before\n" : "\n";
    out += fmt::format("\n{:<16}{:>8}{:>7}{:>7}{:>7}{:>7}{:>8}{:>7}  {}\n", "test", "ok/s", "p50", "p99",
                       "p99.9", "max", "client", "server", "bound by");
    out += "                          service time, µs           CPU, ns/op      (busy)\n";
    return out;
}

std::string text_row(test_result const& t, int precision) {
    auto const us = [&](std::uint64_t ns) {
        return t.latency.empty() ? "-"
                                 : time_column(static_cast<double>(ns) / 1e3, std::max(0, precision - 3));
    };
    auto const& h = t.latency;
    return fmt::format("{:<16}{:>8}{:>7}{:>7}{:>7}{:>7}{:>8}{:>7}  {}{}\n", t.label, fitting(t.per_second, 8),
                       us(h.percentile(50)), us(h.percentile(99)), us(h.percentile(99.9)), us(h.max()),
                       per_operation(t.client_cpu, t), per_operation(t.server_cpu, t), bound_by(t),
                       t.partial ? " (partial)" : "");
}

std::string text_foot(report const& r, plan const& p, bool redis_nearby) {
    std::string out;
    if (!r.tests.empty()) out += "\nverdict  " + count_verdicts(r.tests) + ".\n" + meaning(r.tests);
    tally all;
    std::optional<double> worst_hits;
    double outstanding = 0, allowed = 0;
    for (auto const& t : r.tests) {
        all += t.replies;
        outstanding += t.outstanding;
        allowed += static_cast<double>(t.allowed);
        if (t.hit_ratio) worst_hits = std::min(worst_hits.value_or(1), *t.hit_ratio);
    }
    out += fmt::format("checks   {} ok, {} nil, {}", grouped(all.ok), grouped(all.nil),
                       some(all.error_replies, "error"));
    if (worst_hits)
        out += fmt::format(" · hits {}{:.4g} %", *worst_hits < 1 ? "down to " : "", 100 * *worst_hits);
    if (auto const n = static_cast<double>(r.tests.size()); n > 0)
        out += fmt::format(" · in flight {} of {}", grouped(outstanding / n, 1), grouped(allowed / n, 0));
    out += '\n';
    if (all.broken())
        out += fmt::format("         {}, {}, {}\n", some(all.disconnects, "disconnect"),
                           some(all.timeouts, "time-out"), some(all.protocol_errors, "protocol error"));
    if (r.environment.steal_percent.value_or(0) >= 1)
        out += fmt::format("         steal {:.1f} %: other guests of this machine took processor time\n",
                           *r.environment.steal_percent);
    for (auto const& t : r.tests) out += remarks(t);
    if (p.explain)
        for (auto const& t : r.tests) out += explain(t);
    if (r.target.kind == "embedded")
        out += redis_nearby ? "This was not Redis. One answers at 127.0.0.1:6379: respkit-bench -p 6379\n"
                            : "This was not Redis. Aim at one: respkit-bench -h HOST -p PORT\n";
    std::string hints;
    if (p.json_path.empty()) hints += "Keep it: --json run.json";
    if (!p.explain) hints += hints.empty() ? "How it judges: --explain" : " · how it judges: --explain";
    out += fmt::format("{:<68}{:>9.1f} s\n", hints, r.seconds);
    return out;
}

std::string quiet_row(test_result const& t, int precision) {
    return fmt::format("{}: {:.2f} requests per second, p50={} msec{}\n", t.name, t.per_second,
                       milliseconds(static_cast<double>(t.latency.percentile(50)), precision),
                       t.partial ? " (partial)" : "");
}

std::string csv_head() {
    return "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\",\"p95_latency_ms\","
           "\"p99_latency_ms\",\"max_latency_ms\"\n";
}

std::string csv_row(test_result const& t, int precision) {
    std::string title;
    for (char const c : t.name) title.append(c == '"' ? 2 : 1, c);
    auto out = fmt::format("\"{}\",\"{:.2f}\",\"{}\"", title, t.per_second,
                           milliseconds(t.latency.mean(), precision));
    auto const& h = t.latency;
    for (auto const ns : {h.min(), h.percentile(50), h.percentile(95), h.percentile(99), h.max()})
        out += ",\"" + milliseconds(static_cast<double>(ns), precision) + "\"";
    return out + "\n";
}

}  // namespace respkit::bench
