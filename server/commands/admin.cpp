// What administrators ask of a server. A mock keeps nothing on disk: SAVE and its kin answer as Redis does
// where there is nothing to complain of, and write nothing.
#include <string>

#include <respkit/server/blocking.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

// ROLE
void role(call& c) {
    c.reply.array(3);
    c.reply.bulk("master");
    c.reply.integer(0);  // the replication offset
    c.reply.array(0);
}

// WAIT numreplicas milliseconds: there are no replicas, so none has heard of anything
void wait(call& c) {
    auto const wanted = c.integer(1);
    if (!wanted) return;
    auto const n = c.integer(2, "ERR timeout is not an integer or out of range");
    if (!n) return;
    if (*n < 0) return c.reply.error("ERR timeout is negative");
    if (*wanted <= 0 || c.who.executing) return c.reply.integer(0);
    constexpr std::int64_t never = INT64_MAX - 1;
    waiting what{.row = &c.row,
                 .words = {},
                 .db = c.db.number(),
                 .wanted = kind::string,
                 .until = *n ? c.now() + std::min(*n, never - c.now()) : 0,
                 .serve = nullptr,
                 .places = {},
                 .timed_out = [](resp::writer& reply) { reply.integer(0); }};
    c.server.waiting.enter(c.who, std::move(what), {});
    c.db.shared().deadline_changed = true;
}

void note_save(call& c) {
    c.server.saved_us = c.server.now_us;
    c.server.shared.changes = 0;
}

// SAVE
void save(call& c) {
    note_save(c);
    c.reply.ok();
}

// BGSAVE [SCHEDULE]
void bgsave(call& c) {
    if (c.size() > 2 || (c.size() == 2 && !is_word(c[1], "schedule"))) return c.reply.error(errors::syntax);
    note_save(c);
    c.reply.simple(c.who.executing ? "Background saving scheduled" : "Background saving started");
}

// BGREWRITEAOF
void bgrewriteaof(call& c) {
    c.reply.simple(c.who.executing ? "Background append only file rewriting scheduled"
                                   : "Background append only file rewriting started");
}

// LASTSAVE
void lastsave(call& c) { c.reply.integer(c.server.saved_us / 1000000); }

// SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] | ABORT
void shutdown(call& c) {
    bool with = false, without = false, abort = false, other = false;
    for (auto const word : c.words.subspan(1)) {
        if (is_word(word, "save"))
            with = true;
        else if (is_word(word, "nosave"))
            without = true;
        else if (is_word(word, "abort"))
            abort = true;
        else if (is_word(word, "now") || is_word(word, "force"))
            other = true;
        else
            return c.reply.error(errors::syntax);
    }
    if ((with && without) || (abort && (with || without || other))) return c.reply.error(errors::syntax);
    if (abort) return c.reply.error("ERR No shutdown in progress.");
    if (!c.server.options.on_shutdown)
        return c.reply.error("ERR this server ends with the program that it is part of");
    if (with) return c.reply.error("ERR this server cannot save: SHUTDOWN NOSAVE ends it");
    c.who.closing = session::ending::at_once;
    c.server.options.on_shutdown();
}

// MONITOR
void monitor(call& c) {
    if (c.who.executing) return c.reply.error("ERR MONITOR isn't allowed for DENY BLOCKING client");
    if (!c.server.monitors.enter(c.who)) return;
    c.server.observe_commands();
    c.reply.ok();
}

// READONLY, READWRITE, ASKING, CLUSTER …
void no_cluster(call& c) { c.reply.error("ERR This instance has cluster support disabled"); }

using namespace flag;

constexpr command make(std::string_view name, int arity, std::uint32_t flags, std::uint32_t categories,
                       void (*run)(call&), std::string_view since, std::string_view group,
                       std::string_view summary) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags,
                   .categories = categories,
                   .run = run,
                   .since = since,
                   .group = group,
                   .summary = summary};
}

constexpr command tipped(command row, std::string_view first, std::string_view second = {}) {
    row.tips[0] = first;
    row.tips[1] = second;
    return row;
}

constexpr std::uint32_t of_admin = category::admin | category::dangerous;
constexpr std::uint32_t saves = admin | noscript | no_async_loading;
constexpr std::string_view random_reply = "nondeterministic_output";

constexpr command node(std::string_view name, int arity, std::uint32_t flags, std::string_view summary,
                       std::string_view since = "3.0.0", std::string_view tip = {}) {
    auto row = make(name, arity, flags | stale, 0, no_cluster, since, "cluster", summary);
    row.container = "cluster";
    row.tips[0] = tip;
    return row;
}
constexpr std::uint32_t changes = admin | no_async_loading;

// All are refused: there is no cluster.
constexpr command cluster_rows[] = {
    node("addslots", -3, changes, "Would give slots to this node"),
    node("addslotsrange", -4, changes, "Would give ranges of slots to this node", "7.0.0"),
    node("bumpepoch", 2, changes, "Would advance the epoch", "3.0.0", random_reply),
    node("count-failure-reports", 3, admin, "Would count reports of a node's failure", "3.0.0", random_reply),
    node("countkeysinslot", 3, 0, "Would count a slot's keys"),
    node("delslots", -3, changes, "Would take slots from this node"),
    node("delslotsrange", -4, changes, "Would take ranges of slots from this node", "7.0.0"),
    node("failover", -2, changes, "Would make a replica the master"),
    node("flushslots", 2, changes, "Would take all slots from this node"),
    node("forget", 3, changes, "Would remove a node"),
    node("getkeysinslot", 4, 0, "Would list a slot's keys", "3.0.0", random_reply),
    node("help", 2, loading, "Would list the subcommands", "5.0.0"),
    node("info", 2, 0, "Would describe the cluster", "3.0.0", random_reply),
    node("keyslot", 3, 0, "Would tell a key's slot"),
    node("links", 2, 0, "Would list the links between nodes", "7.0.0", random_reply),
    node("meet", -4, changes, "Would join nodes"),
    node("myid", 2, 0, "Would tell this node's name"),
    node("nodes", 2, 0, "Would list the nodes", "3.0.0", random_reply),
    node("replicas", 3, admin, "Would list a node's replicas", "5.0.0", random_reply),
    node("replicate", 3, changes, "Would make this node a replica"),
    node("reset", -2, admin | noscript, "Would forget the cluster"),
    node("saveconfig", 2, changes, "Would write the cluster's configuration"),
    node("set-config-epoch", 3, changes, "Would set the epoch"),
    node("setslot", -4, changes, "Would move a slot"),
    node("shards", 2, 0, "Would list the shards", "7.0.0", random_reply),
    node("slaves", 3, admin, "Would list a node's replicas", "3.0.0", random_reply),
    node("slots", 2, 0, "Would list the slots", "3.0.0", random_reply),
};

constexpr command rows[] = {
    make("role", 1, noscript | loading | stale | fast, of_admin, role, "2.8.12", "server",
         "Tells the part in replication: a master without replicas"),
    tipped(make("wait", 3, noscript, category::connection, wait, "3.0.0", "generic",
                "Waits for replicas, of which there are none"),
           "request_policy:all_shards", "response_policy:agg_min"),
    make("save", 1, saves | no_multi, 0, save, "1.0.0", "server",
         "Notes the time of a save: nothing is written"),
    make("bgsave", -1, saves, 0, bgsave, "1.0.0", "server", "Notes the time of a save: nothing is written"),
    make("bgrewriteaof", 1, saves, 0, bgrewriteaof, "1.0.0", "server",
         "Answers as if there were a file: nothing is written"),
    tipped(make("lastsave", 1, loading | stale | fast, of_admin, lastsave, "1.0.0", "server",
                "Tells when SAVE or BGSAVE was last asked for, or the server began"),
           random_reply),
    make("shutdown", -1, admin | noscript | loading | stale | no_multi | allow_busy, 0, shutdown, "1.0.0",
         "server", "Ends respkit-server; refused where the server is part of a program"),
    make("monitor", 1, admin | noscript | loading | stale, 0, monitor, "1.0.0", "server",
         "Shows every command that is run"),
    make("readonly", 1, loading | stale | fast, category::connection, no_cluster, "3.0.0", "cluster",
         "Would allow reads from a replica: refused, there is no cluster"),
    make("readwrite", 1, loading | stale | fast, category::connection, no_cluster, "3.0.0", "cluster",
         "Would end READONLY: refused, there is no cluster"),
    make("asking", 1, fast, category::connection, no_cluster, "3.0.0", "cluster",
         "Would follow a redirection: refused, there is no cluster"),
    {.name = "cluster",
     .arity = -2,
     .subcommands = cluster_rows,
     .since = "3.0.0",
     .group = "cluster",
     .summary = "Everything about clusters: refused, there is none"},
};

}  // namespace

std::span<command const> admin_commands() { return rows; }

}  // namespace respkit
