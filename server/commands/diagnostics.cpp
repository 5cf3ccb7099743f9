// SLOWLOG and LATENCY. Nothing is measured here, so nothing was slow.
#include <string>

#include <respkit/server/command.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

// SLOWLOG GET [count]
void slowlog_get(call& c) {
    if (c.size() > 3) return c.reply.error(errors::wrong_subcommand("SLOWLOG", c[1]));
    if (c.size() == 3) {
        auto const n = c.integer(2, "ERR count should be greater than or equal to -1");
        if (!n) return;
        if (*n < -1) return c.reply.error("ERR count should be greater than or equal to -1");
    }
    c.reply.array(0);
}

void nothing(call& c) { c.reply.array(0); }  // LATENCY LATEST, LATENCY HISTORY event
void none(call& c) { c.reply.integer(0); }   // SLOWLOG LEN, LATENCY RESET [event ...]
void done(call& c) { c.reply.ok(); }         // SLOWLOG RESET: it is as empty as it was

// LATENCY HISTOGRAM [command ...]
void latency_histogram(call& c) { c.reply.map(0); }

// LATENCY GRAPH event
void latency_graph(call& c) {
    c.reply.error("ERR No samples available for event '" + std::string(c[2].substr(0, c[2].find('\0'))) +
                  "'");
}

// LATENCY DOCTOR
void latency_doctor(call& c) {
    c.reply.verbatim("txt", "This server does not watch latencies: there is nothing to tell.\n");
}

using namespace flag;

constexpr command sub(std::string_view container, std::string_view name, int arity, std::uint32_t flags,
                      void (*run)(call&), std::string_view since, std::string_view summary,
                      std::initializer_list<std::string_view> tips = {}) {
    command row{.name = name,
                .arity = arity,
                .flags = flags | loading | stale,
                .run = run,
                .since = since,
                .group = "server",
                .summary = summary,
                .container = container};
    std::size_t i = 0;
    for (auto const tip : tips) row.tips[i++] = tip;
    return row;
}

constexpr std::string_view random_reply = "nondeterministic_output";
constexpr std::string_view all_nodes = "request_policy:all_nodes";
constexpr std::string_view succeeded = "response_policy:all_succeeded";
constexpr std::string_view special = "response_policy:special";

constexpr command slowlog_rows[] = {
    sub("slowlog", "get", -2, admin, slowlog_get, "2.2.12", "Lists slow commands: here none",
        {all_nodes, random_reply}),
    sub("slowlog", "len", 2, admin, none, "2.2.12", "Counts slow commands: here none",
        {all_nodes, "response_policy:agg_sum", random_reply}),
    sub("slowlog", "reset", 2, admin, done, "2.2.12", "Forgets slow commands", {all_nodes, succeeded}),
    sub("slowlog", "help", 2, 0, container_help, "6.2.0", "Lists the subcommands"),
};

constexpr command latency_rows[] = {
    sub("latency", "doctor", 2, admin | noscript, latency_doctor, "2.8.13",
        "Says that latencies are not watched", {random_reply, all_nodes, special}),
    sub("latency", "graph", 3, admin | noscript, latency_graph, "2.8.13",
        "Would draw an event's latencies: there are none", {random_reply, all_nodes, special}),
    sub("latency", "histogram", -2, admin | noscript, latency_histogram, "7.0.0",
        "Tells how long commands took: nothing is recorded", {random_reply, all_nodes, special}),
    sub("latency", "history", 3, admin | noscript, nothing, "2.8.13",
        "Lists an event's latencies: nothing is recorded", {random_reply, all_nodes, special}),
    sub("latency", "latest", 2, admin | noscript, nothing, "2.8.13",
        "Lists every event's last latency: nothing is recorded", {random_reply, all_nodes, special}),
    sub("latency", "reset", -2, admin | noscript, none, "2.8.13", "Forgets latencies: there are none",
        {all_nodes, succeeded}),
    sub("latency", "help", 2, 0, container_help, "2.8.13", "Lists the subcommands"),
};

constexpr command rows[] = {
    {.name = "slowlog",
     .arity = -2,
     .subcommands = slowlog_rows,
     .since = "2.2.12",
     .group = "server",
     .summary = "The commands that took long"},
    {.name = "latency",
     .arity = -2,
     .subcommands = latency_rows,
     .since = "2.8.13",
     .group = "server",
     .summary = "How long things took"},
};

}  // namespace

std::span<command const> diagnostic_commands() { return rows; }

}  // namespace respkit
