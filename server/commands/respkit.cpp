// RESPKIT: what respkit::mock offers to C++, for any language through its own client. docs/remote.md shows
// every command and its reply.
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/contents.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/renewal.hpp>

namespace respkit {
namespace {

using namespace std::chrono_literals;

// Who may steer the server: peers on its own machine.
bool is_local(peer const& p) {
    return p.unix_socket || p.address.starts_with("127.") || p.address.starts_with("[::1]");
}

// Every handler below runs behind this gate.
template <void (*f)(call&)>
void locally(call& c) {
    if (!c.server.options.remote_control && !is_local(c.who.end))
        return c.reply.error(
            "ERR RESPKIT is for clients on the server's own machine; --remote-control opens it to all");
    f(c);
}

std::int64_t signed_number(std::uint64_t n) { return static_cast<std::int64_t>(n); }

void pair(call& c, std::string_view name, std::int64_t n) {
    c.reply.bulk(name);
    c.reply.integer(n);
}
void pair(call& c, std::string_view name, std::string_view text) {
    c.reply.bulk(name);
    c.reply.bulk(text);
}

std::optional<std::chrono::microseconds> duration(call& c, std::size_t i) {
    auto const d = parse_duration(c[i]);
    if (!d)
        c.reply.error("ERR a time like 250us, 50ms, 1.5s or 2m is wanted, not '" +
                      std::string(printable(c[i])) + "'");
    return d;
}

// [COMMAND pattern] [CLIENT pattern] [CONNECTION id] [DB number] [AFTER sequence], from word i on.
std::optional<call_filter> filter(call& c, std::size_t i) {
    call_filter f;
    for (; i < c.size(); i += 2) {
        if (i + 1 == c.size()) {
            c.reply.error("ERR " + std::string(printable(c[i])) + " wants a value");
            return {};
        }
        if (is_word(c[i], "command")) {
            f.command = c[i + 1];
        } else if (is_word(c[i], "client")) {
            f.client = c[i + 1];
        } else {
            auto const n = integer_from(c, i + 1, 0, errors::not_integer);
            if (!n) return {};
            if (is_word(c[i], "connection"))
                f.connection = *n;
            else if (is_word(c[i], "db"))
                f.db = static_cast<int>(std::min<std::uint64_t>(*n, std::numeric_limits<int>::max()));
            else if (is_word(c[i], "after"))
                f.after = *n;
            else {
                c.reply.error("ERR unknown filter '" + std::string(printable(c[i])) +
                              "': COMMAND, CLIENT, CONNECTION, DB or AFTER");
                return {};
            }
        }
    }
    return f;
}

bool journal_is_on(call& c) {
    if (c.server.calls.on()) return true;
    c.reply.error("ERR the journal is off: RESPKIT CALLS ON starts it");
    return false;
}

void show(call& c, recorded_call const& r) {
    c.reply.map(8);
    pair(c, "sequence", signed_number(r.sequence));
    pair(c, "time", r.time.time_since_epoch().count());
    pair(c, "connection", signed_number(r.connection));
    pair(c, "client", r.client);
    pair(c, "db", r.db);
    c.reply.bulk("words");
    c.reply.array(r.words.size());
    for (auto const& word : r.words) c.reply.bulk(word);
    pair(c, "reply", r.reply);
    pair(c, "rule", signed_number(r.rule));
}

// RESPKIT CALLS [LIST filter ... | COUNT filter ... | ON [most] | OFF | CLEAR]
void calls(call& c) {
    auto& j = c.server.calls;
    if (c.size() == 2 || is_word(c[2], "list")) {
        if (!journal_is_on(c)) return;
        auto const f = filter(c, 3);
        if (!f) return;
        auto const found = j.select(*f);
        c.reply.array(found.size());
        for (auto const& r : found) show(c, r);
    } else if (is_word(c[2], "count")) {
        if (!journal_is_on(c)) return;
        if (auto const f = filter(c, 3)) c.reply.integer(signed_number(j.count(*f)));
    } else if (is_word(c[2], "on") && c.size() <= 4) {
        std::optional<std::uint64_t> most = 100'000;
        if (c.size() == 4) most = integer_from(c, 3, 1);
        if (!most) return;
        j.start(*most);
        c.reply.ok();
    } else if (c.size() == 3 && is_word(c[2], "off")) {
        j.stop();
        c.reply.ok();
    } else if (c.size() == 3 && is_word(c[2], "clear")) {
        j.clear();
        c.reply.ok();
    } else {
        c.reply.error("ERR RESPKIT CALLS knows LIST, COUNT, ON, OFF and CLEAR");
    }
    c.server.observe_requests();
}

// RESPKIT WAIT CALLS count timeout filter ... | BLOCKED count timeout | CONNECTED count timeout |
// SUBSCRIBED channel count timeout
void wait(call& c) {
    condition what;
    std::size_t at = 3;
    if (is_word(c[2], "calls")) {
        if (!journal_is_on(c)) return;
        what.kind = condition::what::calls;
    } else if (is_word(c[2], "blocked")) {
        what.kind = condition::what::blocked;
    } else if (is_word(c[2], "connected")) {
        what.kind = condition::what::connected;
    } else if (is_word(c[2], "subscribed")) {
        what.kind = condition::what::subscribed;
        what.channel = c[at++];
    } else {
        return c.reply.error("ERR RESPKIT WAIT knows CALLS, BLOCKED, SUBSCRIBED and CONNECTED");
    }
    bool const filtered = what.kind == condition::what::calls;
    if (c.size() < at + 2 || (!filtered && c.size() > at + 2))
        return c.reply.error("ERR RESPKIT WAIT wants a count and a time-out behind what is waited for");
    auto const count = integer_from(c, at, 0, errors::not_integer);
    if (!count) return;
    what.count = *count;
    auto const timeout = duration(c, at + 1);
    if (!timeout) return;
    if (filtered) {
        auto const f = filter(c, at + 2);
        if (!f) return;
        what.filter = *f;
    }
    if (c.who.executing || holds(what, c.server)) return c.reply.integer(holds(what, c.server));
    c.server.keep_vigil(c.who, std::move(what), c.now() + (timeout->count() + 999) / 1000);
}

// RESPKIT CLOCK [NOW | ADVANCE time | SET microseconds | FREEZE | RESUME]
void clock_command(call& c) {
    auto& time = c.server.time;
    bool const alone = c.size() == 3;
    if (c.size() == 2 || (alone && is_word(c[2], "now"))) {
        // only told
    } else if (alone && is_word(c[2], "freeze")) {
        time.freeze();
    } else if (alone && is_word(c[2], "resume")) {
        time.resume();
    } else if (c.size() == 4 && is_word(c[2], "advance")) {
        auto const step = duration(c, 3);
        if (!step) return;
        time.advance(*step);
    } else if (c.size() == 4 && is_word(c[2], "set")) {
        auto const at = c.integer(3);
        if (!at) return;
        time.set(clock::time_point(std::chrono::microseconds(*at)));
    } else {
        return c.reply.error(
            "ERR RESPKIT CLOCK knows NOW, ADVANCE time, SET microseconds, FREEZE and RESUME");
    }
    c.server.time_moved = c.size() > 2;
    c.server.tick();
    c.reply.integer(c.server.now_us);
}

// RESPKIT SEED number
void seed(call& c) {
    auto const n = c.integer(2);
    if (!n) return;
    try {
        respkit::seed(c.server, static_cast<std::uint64_t>(*n));
        c.reply.ok();
    } catch (std::logic_error const& keys) {
        c.reply.error("ERR " + std::string(keys.what()));
    }
}

void add_rule(call& c) {
    try {
        rule r = parse_rule(c.words.subspan(3));
        auto const owner = r.mine ? c.who.id : 0;
        c.reply.integer(signed_number(c.server.rules.add(std::move(r), owner)));
    } catch (word_error const& bad) {
        c.reply.error("ERR word " + std::to_string(bad.at + 1) + " of the rule: " + bad.what());
    }
}

void list_rules(call& c) {
    auto const all = c.server.rules.entries();
    c.reply.array(all.size());
    for (auto const& e : all) {
        c.reply.map(4);
        pair(c, "id", signed_number(e.id));
        pair(c, "rule", print_rule(e.what));
        pair(c, "matched", signed_number(e.matched));
        pair(c, "acted", signed_number(e.acted));
    }
}

// RESPKIT RULE ADD rule ... | LIST | UNMET | DELETE id | CLEAR
void rule_command(call& c) {
    auto& rules = c.server.rules;
    if (is_word(c[2], "add")) {
        add_rule(c);
    } else if (c.size() == 3 && is_word(c[2], "list")) {
        list_rules(c);
    } else if (c.size() == 3 && is_word(c[2], "unmet")) {
        auto const lines = rules.unmet();
        c.reply.array(lines.size());
        for (auto const& line : lines) c.reply.bulk(line);
    } else if (c.size() == 4 && is_word(c[2], "delete")) {
        if (auto const id = integer_from(c, 3, 0, errors::not_integer)) c.reply.integer(rules.remove(*id));
    } else if (c.size() == 3 && is_word(c[2], "clear")) {
        rules.clear();
        c.reply.ok();
    } else {
        c.reply.error("ERR RESPKIT RULE knows ADD, LIST, UNMET, DELETE id and CLEAR");
    }
    c.server.observe_requests();
}

// Ends all other clients that f(session) says; returns how many.
template <class F>
std::int64_t end_others(call& c, F f) {
    std::vector<session*> those;
    for (auto const& [id, s] : c.server.sessions)
        if (s != &c.who && !s->in_house && f(*s)) those.push_back(s);
    for (auto* s : those) c.server.end(*s);
    return static_cast<std::int64_t>(those.size());
}

// RESPKIT KILL [CLIENT pattern | CONNECTION id]
void kill(call& c) {
    if (c.size() == 2) return c.reply.integer(end_others(c, [](session const&) { return true; }));
    if (c.size() == 4 && is_word(c[2], "client"))
        return c.reply.integer(end_others(c, [&](session const& s) { return glob_match(c[3], s.name); }));
    if (c.size() == 4 && is_word(c[2], "connection")) {
        auto const id = integer_from(c, 3, 1, errors::not_integer);
        if (!id) return;
        return c.reply.integer(end_others(c, [&](session const& s) { return s.id == *id; }));
    }
    c.reply.error("ERR RESPKIT KILL knows CLIENT pattern and CONNECTION id; alone it means all others");
}

// RESPKIT RESTART
void restart(call& c) {
    end_others(c, [](session const&) { return true; });
    respkit::restart(c.server);
    c.reply.ok();
    c.who.closing = session::ending::after_reply;
}

// RESPKIT STATE [name]
void state_command(call& c) {
    if (c.size() == 2) return c.reply.simple(name_of(c.server.state));
    auto const s = parse_state(c[2]);
    if (!s || c.size() > 3)
        return c.reply.error("ERR a state is NORMAL, LOADING, READONLY, MASTERDOWN, NOREPLICAS or OOM");
    c.server.state = *s;
    c.reply.ok();
}

// RESPKIT DUMP [database]
void dump(call& c) {
    if (c.size() == 2) return c.reply.verbatim("txt", contents::dump(c.server));
    auto const n = c.integer(2);
    if (!n) return;
    if (c.size() > 3 || *n < 0 || *n >= c.server.options.databases)
        return c.reply.error("ERR RESPKIT DUMP wants a database's number");
    c.reply.verbatim("txt", contents::dump(c.server.database(static_cast<int>(*n))));
}

// RESPKIT UNSUPPORTED
void unsupported(call& c) {
    c.reply.map(c.server.unsupported.size());
    for (auto const& [name, n] : c.server.unsupported) pair(c, name, signed_number(n));
}

constexpr command sub(std::string_view name, int arity, void (*run)(call&), std::string_view summary,
                      std::uint32_t flags = 0) {
    using namespace flag;
    command row{.name = name,
                .arity = arity,
                .flags = flags | admin | noscript | loading | stale | skip_monitor | skip_slowlog,
                .run = run,
                .since = "0.1.0",
                .group = "respkit",
                .summary = summary,
                .container = "respkit"};
    return row;
}

constexpr command respkit_rows[] = {
    sub("calls", -2, locally<calls>, "The journal: the requests that have come, and their replies"),
    sub("wait", -5, locally<wait>, "Waits for calls, blocked clients, subscribers or connections"),
    sub("clock", -2, locally<clock_command>, "Tells, moves, stops or resumes the server's time"),
    sub("seed", 3, locally<seed>, "Makes what is random repeat from here on, before there are keys",
        flag::no_multi),
    sub("rule", -3, locally<rule_command>, "Sets, lists and removes rules: faults, delays, replies"),
    sub("kill", -2, locally<kill>, "Ends other clients' connections"),
    sub("restart", 2, locally<restart>, "Ends all connections as a restart does; data and rules stay",
        flag::no_multi),
    sub("state", -2, locally<state_command>, "Tells or sets the state in which commands are refused"),
    sub("dump", -2, locally<dump>, "All keys and what they hold, as text"),
    sub("unsupported", 2, locally<unsupported>, "The commands asked for that are not here, with counts"),
    sub("help", 2, locally<container_help>, "Lists the subcommands"),
};

constexpr command rows[] = {
    {.name = "respkit",
     .arity = -2,
     .subcommands = respkit_rows,
     .since = "0.1.0",
     .group = "respkit",
     .summary = "Steers this server",
     .hidden = true},
};

}  // namespace

std::span<command const> respkit_commands() { return rows; }

}  // namespace respkit
