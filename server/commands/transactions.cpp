// Transactions: requests that are queued and then run together, unless a watched key has changed.
#include <utility>

#include <respkit/server/command.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

void end_transaction(call& c) {
    c.who.multi.reset();
    c.server.watched.unwatch(c.who);
    c.server.observe_keys();
}

// MULTI
void multi(call& c) {
    if (c.who.multi) return c.reply.error("ERR MULTI calls can not be nested");
    c.who.multi.emplace();
    c.reply.ok();
}

// DISCARD
void discard(call& c) {
    if (!c.who.multi) return c.reply.error("ERR DISCARD without MULTI");
    end_transaction(c);
    c.reply.ok();
}

std::string no_longer_allowed(denial d) {
    std::string const why = d.why == denial::command ? "no permission to execute the command or subcommand"
                            : d.why == denial::key
                                ? "no permission to touch the specified keys"
                                : "no permission to access one of the channels used as arguments";
    return "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. "
           "This command is no longer allowed for the following reason: " +
           why;
}

// EXEC
void exec(call& c) {
    if (!c.who.multi) return c.reply.error("ERR EXEC without MULTI");
    // A watched key whose time has come is gone by now, seen or not.
    for (auto const& [db, key] : c.who.watching) c.server.database(db).peek(key);
    auto const overtaken = c.who.overtaken;
    auto const all = std::move(*c.who.multi);
    end_transaction(c);
    if (all.poisoned) return c.reply.error("EXECABORT Transaction discarded because of previous errors.");
    if (overtaken) return c.reply.null_array();

    c.reply.array(all.queue.size());
    struct mark {
        bool& set;
        explicit mark(bool& b) : set(b) { set = true; }
        ~mark() { set = false; }
    } const executing(c.who.executing);
    for (auto const& request : all.queue) {
        std::vector<std::string_view> const words(request.words.begin(), request.words.end());
        if (!c.who.account->unlimited()) [[unlikely]]
            if (auto const d = c.server.forbids(c.who, *request.row, words, acl_log::context::multi)) {
                resp::writer refusal(c.server.replies_to(c.who), c.who.protocol);
                refusal.error(no_longer_allowed(d));
                c.server.count_error(refusal.last_error());
                ++c.server.by_command[request.row->number].rejected;
                continue;
            }
        c.server.execute(c.who, *request.row, words);
    }
}

// WATCH key [key ...]
void watch(call& c) {
    if (c.who.multi) return c.reply.error("ERR WATCH inside MULTI is not allowed");
    for (auto const key : c.words.subspan(1)) {
        c.db.peek(key);  // what has expired is as good as not there, and no change when it goes
        c.server.watched.watch(c.who, c.who.db, key);
    }
    c.server.observe_keys();
    c.reply.ok();
}

// UNWATCH
void unwatch(call& c) {
    c.server.watched.unwatch(c.who);
    c.server.observe_keys();
    c.reply.ok();
}

using namespace flag;

constexpr command make(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                       std::string_view since, std::string_view summary) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags | noscript | loading | stale,
                   .categories = category::transaction,
                   .run = run,
                   .since = since,
                   .group = "transactions",
                   .summary = summary};
}
constexpr command watching_keys(command row) {
    row.keys[0] = key::all(key::looks_at);
    return row;
}

constexpr command rows[] = {
    make("multi", 1, fast | allow_busy | never_queued, multi, "1.2.0", "Begins a transaction"),
    make("exec", 1, skip_slowlog | never_queued, exec, "1.2.0", "Runs what has been queued since MULTI"),
    make("discard", 1, fast | allow_busy | never_queued, discard, "2.0.0",
         "Forgets what has been queued since MULTI"),
    watching_keys(make("watch", -2, fast | allow_busy | never_queued, watch, "2.2.0",
                       "Lets the next EXEC fail if one of the keys changes")),
    make("unwatch", 1, fast | allow_busy, unwatch, "2.2.0", "Watches no key any longer"),
};

}  // namespace

std::span<command const> transaction_commands() { return rows; }

}  // namespace respkit
