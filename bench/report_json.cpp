#include <boost/json.hpp>
#include <boost/json/src.hpp>

#include <respkit/bench/environment.hpp>
#include <respkit/bench/report.hpp>
#include <respkit/bench/verdict.hpp>

namespace respkit::bench {
namespace {

namespace js = boost::json;

// The kernel splits processor time into user and system by sampling: below a second they cannot be told
// apart.
constexpr std::uint64_t least_split = 1'000'000'000;

template <class T>
js::value or_null(std::optional<T> const& v) {
    if (!v) return nullptr;
    return js::value_from(*v);
}

js::value or_null(std::string const& text) {
    if (text.empty()) return nullptr;
    return js::value(text);
}

js::value latency(histogram const& h) {
    if (h.empty()) return nullptr;
    return {{"min", h.min()},
            {"mean", static_cast<std::uint64_t>(h.mean() + 0.5)},
            {"p50", h.percentile(50)},
            {"p90", h.percentile(90)},
            {"p95", h.percentile(95)},
            {"p99", h.percentile(99)},
            {"p99_9", h.percentile(99.9)},
            {"max", h.max()}};
}

js::object cpu_per_op(test_result const& t) {
    js::object out;
    auto const add = [&](std::string const& who, std::optional<cpu> const& used) {
        auto const per_op = [&](std::uint64_t ns) -> js::value {
            return static_cast<std::uint64_t>(static_cast<double>(ns) / static_cast<double>(t.operations) +
                                              0.5);
        };
        bool const known = used && t.operations;
        bool const split = known && used->total() >= least_split;
        out[who] = known ? per_op(used->total()) : js::value(nullptr);
        out[who + "_user"] = split ? per_op(used->user) : js::value(nullptr);
        out[who + "_system"] = split ? per_op(used->system) : js::value(nullptr);
    };
    add("client", t.client_cpu);
    add("server", t.server_cpu);
    return out;
}

js::object replies(tally const& r) {
    js::object errors;
    for (auto const& [word, n] : r.errors) errors[word] = n;
    return {{"ok", r.ok},
            {"nil", r.nil},
            {"errors", errors},
            {"protocol_errors", r.protocol_errors},
            {"timeouts", r.timeouts},
            {"disconnects", r.disconnects}};
}

js::object parameters(test_result const& t) {
    js::object out{{"requests", t.requests},
                   {"warm_up", t.warm_up},
                   {"clients", t.connections},
                   {"threads", t.threads},
                   {"pipeline", t.window ? js::value(nullptr) : js::value(t.pipeline)},
                   {"window", t.window ? js::value(t.window) : js::value(nullptr)},
                   {"data_size", t.suite == "custom" ? js::value(nullptr) : js::value(t.data_size)},
                   {"keyspace", t.keyspace ? js::value(t.keyspace) : js::value(nullptr)},
                   {"keep_alive", t.keep_alive},
                   {"protocol", t.resp3 ? 3 : 2},
                   {"driver", t.driver}};
    bool const of_suite = !t.seed.empty() || !t.mix.empty();
    if (!of_suite) return out;
    out["total_ops"] = t.requests;
    out["task_ops"] = t.task_operations ? js::value(t.task_operations) : js::value(nullptr);
    out["piped"] = t.pipeline > 1;
    out["mix"] = or_null(t.mix);
    out["callers"] = t.window ? t.window : t.connections;
    return out;
}

js::object test(test_result const& t) {
    js::array timeline;
    for (auto const& m : t.timeline)
        timeline.push_back({{"at", m.at}, {"per_second", m.per_second}, {"p50", m.p50}, {"p99", m.p99}});
    js::object out{{"name", t.name},
                   {"suite", t.suite},
                   {"parameters", parameters(t)},
                   {"loop", "closed"},
                   {"partial", t.partial},
                   {"operations", t.operations},
                   {"seconds", t.seconds},
                   {"per_second", t.per_second},
                   {"replies", replies(t.replies)},
                   {"hit_ratio", or_null(t.hit_ratio)},
                   {"latency_ns", latency(t.latency)},
                   {"response_ns", nullptr},
                   {"lateness_ns", nullptr},
                   {"histogram", t.latency.encode()},
                   {"timeline", timeline},
                   {"cpu_ns_per_op", cpu_per_op(t)}};
    out["memory_bytes"] = {{"client", or_null(t.client_memory)}, {"server", or_null(t.server_memory)}};
    out["checks"] = {{"outstanding", t.outstanding}, {"allowed", t.allowed}};
    out["verdict"] = name(t.verdict);
    out["verdict_reason"] = t.verdict_reason;
    // What was published for this line: the figure that compares to ours, and all of them by name.
    js::object seed;
    for (auto const& s : t.seed) seed[s.what] = s.value;
    out["seed_value"] = t.seed.empty() ? js::value(nullptr) : js::value(t.seed[0].value);
    if (!t.seed.empty()) out["seed"] = seed;
    if (!t.all_runs.empty()) out["runs_ns"] = js::value_from(t.all_runs);
    if (t.driver == "hiredis") out["pool"] = {{"opened", t.opened}, {"wait_ns", latency(t.waits)}};
    return out;
}

}  // namespace

std::string json(report const& r) {
    auto const& e = r.environment;
    js::array tests;
    for (auto const& t : r.tests) tests.push_back(test(t));
    js::object const out{
        {"respkit", version()},
        {"schema", 1},
        {"target",
         {{"kind", r.target.kind}, {"address", r.target.address}, {"server", or_null(r.target.server)}}},
        {"environment",
         {{"cpu", or_null(e.cpu_model)},
          {"cores", e.cores},
          {"kernel", or_null(e.kernel)},
          {"governor", or_null(e.governor)},
          {"load", or_null(e.load)},
          {"steal_percent", or_null(e.steal_percent)},
          {"command_line", e.command_line},
          {"seed", e.seed},
          {"started", e.started}}},
        {"partial", r.interrupted},
        {"tests", tests}};
    return js::serialize(out) + "\n";
}

}  // namespace respkit::bench
