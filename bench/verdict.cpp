#include <algorithm>

#include <fmt/format.h>

#include <respkit/bench/format.hpp>
#include <respkit/bench/verdict.hpp>

namespace respkit::bench {

std::string_view name(bound b) {
    switch (b) {
        case bound::client:
            return "client-bound";
        case bound::server:
            return "server-bound";
        case bound::both:
            return "both";
        case bound::neither:
            return "neither";
    }
    return "";
}

bool too_short(test_result const& t) { return t.seconds < least_seconds || t.operations < least_operations; }

double client_cores(test_result const& t) {
    return t.seconds > 0 ? static_cast<double>(t.client_cpu.total()) / 1e9 / t.seconds : 0;
}

void judge(test_result& t) {
    t.outstanding = t.per_second * static_cast<double>(t.commands) * t.latency.mean() / 1e9;
    auto const server_share =
        t.server_busy ? fmt::format("{:.0f} %", 100 * *t.server_busy) : std::string("unknown");
    bool client = t.busiest_client >= full;
    bool server = t.server_busy && *t.server_busy >= full;
    t.verdict_reason = fmt::format("busiest load thread {:.0f} % of the window, server thread {}",
                                   100 * t.busiest_client, server_share);
    if (t.allowed == 1 && t.server_busy && t.driver != "memory") {
        // Client and server work in turn, so nobody can fill a core: the larger share of the cycle decides.
        auto const theirs = *t.server_busy, ours = client_cores(t);
        auto const between = std::max(0.0, 1 - ours - theirs);
        client = ours >= theirs && ours >= between;
        server = !client && theirs >= between;
        t.verdict_reason = fmt::format(
            "one request at a time: client {:.0f} %, server {:.0f} %, loopback and waking {:.0f} % "
            "of its cycle",
            100 * ours, 100 * theirs, 100 * between);
    } else if (t.driver == "hiredis") {
        // Many threads that block: together they are full once they have what the server leaves of the cores.
        auto const left = static_cast<double>(t.cores) - t.server_busy.value_or(0);
        client = client_cores(t) >= full * left;
        t.verdict_reason = fmt::format("load threads {:.2f} of {} cores, server thread {}", client_cores(t),
                                       t.cores, server_share);
    }
    t.verdict = client && server ? bound::both
                : client         ? bound::client
                : server         ? bound::server
                                 : bound::neither;
    if (t.partial) t.verdict_reason += "; partial: " + t.trouble;
    if (too_short(t))
        t.verdict_reason += fmt::format("; run too short to support these figures ({:.3f} s, {} operations)",
                                        t.seconds, grouped(t.operations));
    if (t.outstanding > little_slack * static_cast<double>(t.allowed))
        t.verdict_reason += fmt::format("; Little's law fails: {:.1f} in flight where {} were allowed",
                                        t.outstanding, grouped(t.allowed));
}

std::string explain(test_result const& t) {
    std::string out = fmt::format("{}: {}\n  {}\n", t.label, name(t.verdict), t.verdict_reason);
    out += fmt::format(
        "  full from {:.0f} %: load thread {:.1f} %, server {}\n", 100 * full, 100 * t.busiest_client,
        t.server_busy ? fmt::format("{:.1f} %", 100 * *t.server_busy) : std::string("does not say"));
    out += fmt::format(
        "  in flight {:.1f} = {:.0f} ok/s × {:.1f} µs mean; allowed {} (warning above × {:.2f})\n",
        t.outstanding, t.per_second, t.latency.mean() / 1e3, grouped(t.allowed), little_slack);
    out += fmt::format("  window {:.3f} s, {} operations; too short below {} s or {} operations\n", t.seconds,
                       grouped(t.operations), least_seconds, grouped(least_operations));
    return out;
}

}  // namespace respkit::bench
