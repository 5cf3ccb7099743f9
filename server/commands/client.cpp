// CLIENT: the connections.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <respkit/server/arguments.hpp>
#include <respkit/server/blocking.hpp>
#include <respkit/server/client_rows.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

// CLIENT ID
void client_id(call& c) { c.reply.integer(static_cast<std::int64_t>(c.who.id)); }

// CLIENT GETNAME
void client_getname(call& c) {
    if (c.who.name.empty())
        c.reply.null();
    else
        c.reply.bulk(c.who.name);
}

// CLIENT SETNAME name
void client_setname(call& c) {
    if (!is_client_name(c[2])) return c.reply.error(errors::bad_client_name);
    c.who.name = c[2];
    c.reply.ok();
}

// CLIENT SETINFO LIB-NAME name | LIB-VER version
void client_setinfo(call& c) {
    bool const is_name = is_word(c[2], "lib-name");
    if (!is_name && !is_word(c[2], "lib-ver"))
        return c.reply.error("ERR Unrecognized option '" + std::string(c[2].substr(0, c[2].find('\0'))) +
                             "'");
    for (char const ch : c[3])
        if (ch < '!' || ch > '~')
            return c.reply.error("ERR " + std::string(is_name ? "lib-name" : "lib-ver") +
                                 " cannot contain spaces, newlines or special characters.");
    (is_name ? c.who.library_name : c.who.library_version) = c[3];
    c.reply.ok();
}

enum class client_type { normal, master, replica, pubsub };

client_type type_of(session const& s) { return s.subscriber() ? client_type::pubsub : client_type::normal; }

std::optional<client_type> parse_type(call& c, std::size_t i) {
    if (is_word(c[i], "normal")) return client_type::normal;
    if (is_word(c[i], "master")) return client_type::master;
    if (is_word(c[i], "replica") || is_word(c[i], "slave")) return client_type::replica;
    if (is_word(c[i], "pubsub")) return client_type::pubsub;
    c.reply.error("ERR Unknown client type '" + std::string(c[i].substr(0, c[i].find('\0'))) + "'");
    return {};
}

// CLIENT INFO
void client_info(call& c) { c.reply.verbatim("txt", c.server.describe(c.who, c.words) + '\n'); }

std::string line_of(call& c, session const& s) {
    return (&s == &c.who ? c.server.describe(s, c.words) : c.server.describe(s)) + '\n';
}

// CLIENT LIST [TYPE normal | master | replica | pubsub] [ID id ...]
void client_list(call& c) {
    std::string lines;
    if (c.size() == 4 && is_word(c[2], "type")) {
        auto const wanted = parse_type(c, 3);
        if (!wanted) return;
        for (auto const& [id, s] : c.server.sessions)
            if (type_of(*s) == *wanted) lines += line_of(c, *s);
    } else if (c.size() > 3 && is_word(c[2], "id")) {
        for (std::size_t i = 3; i < c.size(); ++i) {
            auto const id = c.integer(i, "ERR Invalid client ID");
            if (!id) return;
            auto const at = c.server.sessions.find(static_cast<std::uint64_t>(*id));
            if (*id > 0 && at != c.server.sessions.end()) lines += line_of(c, *at->second);
        }
    } else if (c.size() > 2) {
        return c.reply.error(errors::syntax);
    } else {
        for (auto const& [id, s] : c.server.sessions) lines += line_of(c, *s);
    }
    c.reply.verbatim("txt", lines);
}

// CLIENT UNBLOCK id [TIMEOUT | ERROR]
void client_unblock(call& c) {
    if (c.size() > 4) return c.reply.error(errors::wrong_subcommand("CLIENT", c[1]));
    bool const as_error = c.size() == 4 && is_word(c[3], "error");
    if (c.size() == 4 && !as_error && !is_word(c[3], "timeout"))
        return c.reply.error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    auto const id = c.integer(2);
    if (!id) return;
    auto const at = c.server.sessions.find(static_cast<std::uint64_t>(*id));
    bool const waits = at != c.server.sessions.end() && at->second->waits;
    if (waits) c.server.end_wait(*at->second, as_error ? wait_end::unblocked : wait_end::timed_out);
    c.reply.integer(waits);
}

// Whom CLIENT KILL means.
struct kill_filter {
    std::uint64_t id = 0;
    std::optional<client_type> type;
    std::optional<std::string_view> address, local_address;
    user const* account = nullptr;
    bool skip_me = true;

    bool fits(session const& s, session const& me) const {
        return (!id || s.id == id) && (!account || s.account == account) && (!type || type_of(s) == *type) &&
               (!address || s.end.address == *address) &&
               (!local_address || s.end.local_address == *local_address) && !(skip_me && &s == &me);
    }
};

// Pairs of words from the third on. Nothing if a complaint has been written.
std::optional<kill_filter> parse_kill(call& c) {
    kill_filter f;
    auto const refuse = [&](std::string_view text) -> std::optional<kill_filter> {
        c.reply.error(text);
        return {};
    };
    auto const c_string = [&](std::size_t i) { return c[i].substr(0, c[i].find('\0')); };
    for (std::size_t i = 2; i < c.size(); i += 2) {
        if (i + 1 == c.size()) return refuse(errors::syntax);
        if (is_word(c[i], "id")) {
            auto const id = integer_from(c, i + 1, 1, "ERR client-id should be greater than 0");
            if (!id) return {};
            f.id = *id;
        } else if (is_word(c[i], "type")) {
            f.type = parse_type(c, i + 1);
            if (!f.type) return {};
        } else if (is_word(c[i], "addr")) {
            f.address = c_string(i + 1);
        } else if (is_word(c[i], "laddr")) {
            f.local_address = c_string(i + 1);
        } else if (is_word(c[i], "user")) {
            f.account = c.server.users.find(c[i + 1]);
            if (!f.account) return refuse("ERR No such user '" + std::string(c_string(i + 1)) + "'");
        } else if (is_word(c[i], "skipme") && (is_word(c[i + 1], "yes") || is_word(c[i + 1], "no"))) {
            f.skip_me = is_word(c[i + 1], "yes");
        } else {
            return refuse(errors::syntax);
        }
    }
    return f;
}

// CLIENT KILL address | [ID id] [TYPE type] [USER name] [ADDR address] [LADDR address] [SKIPME yes | no] ...
void client_kill(call& c) {
    bool const by_address = c.size() == 3;
    auto filter = by_address ? kill_filter{.type = {}, .address = c[2], .local_address = {}, .skip_me = false}
                             : parse_kill(c);
    if (!filter) return;
    std::vector<session*> found;
    for (auto const& [id, s] : c.server.sessions)
        if (filter->fits(*s, c.who)) found.push_back(s);
    if (!by_address)
        c.reply.integer(static_cast<std::int64_t>(found.size()));
    else if (found.empty())
        c.reply.error("ERR No such client");
    else
        c.reply.ok();
    for (auto* s : found) {
        if (s == &c.who)
            s->closing = session::ending::after_reply;
        else
            c.server.end(*s);
    }
}

// CLIENT REPLY ON | OFF | SKIP
void client_reply(call& c) {
    auto& s = c.who.silences;
    if (is_word(c[2], "on")) {
        s = 0;
        resp::writer(c.who.output(), c.who.protocol).ok();
    } else if (is_word(c[2], "off")) {
        s |= session::off;
    } else if (is_word(c[2], "skip")) {
        if (!(s & session::off)) s |= session::skip_next;
    } else {
        c.reply.error(errors::syntax);
    }
}

// CLIENT NO-EVICT ON | OFF
void client_no_evict(call& c) {
    bool const on = is_word(c[2], "on");
    if (!on && !is_word(c[2], "off")) return c.reply.error(errors::syntax);
    c.who.keeps_memory = on;
    c.reply.ok();
}

// CLIENT PAUSE milliseconds [WRITE | ALL]
void client_pause(call& c) {
    if (c.size() > 4) return c.reply.error(errors::wrong_subcommand("CLIENT", c[1]));
    bool const writes_only = c.size() == 4 && is_word(c[3], "write");
    if (c.size() == 4 && !writes_only && !is_word(c[3], "all"))
        return c.reply.error("ERR CLIENT PAUSE mode must be WRITE or ALL");
    auto const until = read_milliseconds(c, 2);
    if (!until) return;
    // A time that Redis' sum cannot hold lies in the past there.
    if (*until) c.server.paused.begin(*until, !writes_only);
    c.reply.ok();
}

// CLIENT UNPAUSE
void client_unpause(call& c) {
    c.server.end_pause();
    c.reply.ok();
}

using namespace flag;

constexpr command sub(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                      std::string_view since, std::string_view summary, std::string_view tip = {}) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags | loading | stale,
                   .categories = category::connection,
                   .run = run,
                   .tips = {tip},
                   .since = since,
                   .group = "connection",
                   .summary = summary,
                   .container = "client"};
}
constexpr command of_7_2(command row) {
    row.since_7_2 = true;
    return row;
}

constexpr command client_rows[] = {
    sub("id", 2, noscript, client_id, "5.0.0", "Tells the number of this connection"),
    sub("getname", 2, noscript, client_getname, "2.6.9", "Tells the name of this connection"),
    sub("setname", 3, noscript, client_setname, "2.6.9", "Names this connection"),
    of_7_2(
        sub("setinfo", 4, noscript, client_setinfo, "7.2.0", "Notes which library drives this connection")),
    sub("info", 2, noscript, client_info, "6.2.0", "Describes this connection", "nondeterministic_output"),
    sub("list", -2, admin | noscript, client_list, "2.4.0", "Describes every connection",
        "nondeterministic_output"),
    sub("kill", -3, admin | noscript, client_kill, "2.4.0", "Closes other clients' connections"),
    sub("reply", 3, noscript, client_reply, "3.2.0", "Silences replies, or that of the next command"),
    sub("no-evict", 3, admin | noscript, client_no_evict, "7.0.0",
        "Notes whether this connection is to be spared if memory runs out: here none is evicted"),
    sub("pause", -3, admin | noscript, client_pause, "2.9.50", "Holds up requests for a time"),
    sub("unpause", 2, admin | noscript, client_unpause, "6.2.0", "Lets requests go on"),
    sub("tracking", -3, noscript, client_tracking, "6.0.0", "Tells this client which keys have changed"),
    sub("trackinginfo", 2, noscript, client_trackinginfo, "6.2.0",
        "Tells how this client is told of changes"),
    sub("caching", 3, noscript, client_caching, "6.0.0",
        "Says whether the next command's keys are to be tracked"),
    sub("getredir", 2, noscript, client_getredir, "6.0.0", "Tells which client is told instead of this one"),
    sub("unblock", -3, admin | noscript, client_unblock, "5.0.0", "Ends another client's wait"),
    sub("help", 2, 0, container_help, "5.0.0", "Lists the subcommands"),
};

constexpr command rows[] = {
    {.name = "client",
     .arity = -2,
     .subcommands = client_rows,
     .since = "2.4.0",
     .group = "connection",
     .summary = "Everything about connections"},
};

}  // namespace

std::span<command const> client_commands() { return rows; }

}  // namespace respkit
