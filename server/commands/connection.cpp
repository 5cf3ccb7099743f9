// What a client says about itself: handshake, authentication, CLIENT.
#include <string>

#include <respkit/server/command.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

// PING [message]
void ping(call& c) {
    if (c.size() > 2) return c.reply.error(errors::wrong_arity(c.row.name));
    if (c.who.subscriber() && c.who.protocol == resp::version::v2) {
        c.reply.array(2);
        c.reply.bulk("pong");
        c.reply.bulk(c.size() == 2 ? c[1] : "");
    } else if (c.size() == 2) {
        c.reply.bulk(c[1]);
    } else {
        c.reply.simple("PONG");
    }
}

// ECHO message
void echo(call& c) { c.reply.bulk(c[1]); }

void let_in(call& c) {
    c.who.authenticated = true;
    c.who.reader.authenticated(true);
}

// One user, "default", with or without a password.
bool authenticate(call& c, std::string_view user, std::string_view password) {
    auto const& wanted = c.server.options.password;
    if (user == "default" && (wanted.empty() || password == wanted)) {
        let_in(c);
        return true;
    }
    c.reply.error(errors::wrong_password);
    return false;
}

// AUTH [username] password
void auth(call& c) {
    if (c.size() > 3) return c.reply.error(errors::syntax);
    if (c.size() == 2 && c.server.options.password.empty())
        return c.reply.error(
            "ERR AUTH <password> called without any password configured for the default user. Are you sure "
            "your "
            "configuration is correct?");
    if (authenticate(c, c.size() == 3 ? c[1] : "default", c[c.size() - 1])) c.reply.ok();
}

bool valid_name(call& c, std::string_view name) {
    for (char const ch : name)
        if (ch < '!' || ch > '~') {
            c.reply.error("ERR Client names cannot contain spaces, newlines or special characters.");
            return false;
        }
    return true;
}

// HELLO [2 | 3 [AUTH username password] [SETNAME name]]
void hello(call& c) {
    std::int64_t version = 0;
    if (c.size() > 1) {
        auto const n = c.integer(1, "ERR Protocol version is not an integer or out of range");
        if (!n) return;
        if (*n < 2 || *n > 3) return c.reply.error("NOPROTO unsupported protocol version");
        version = *n;
    }
    for (std::size_t i = 2; i < c.size(); ++i) {
        if (is_word(c[i], "auth") && i + 2 < c.size()) {
            if (!authenticate(c, c[i + 1], c[i + 2])) return;
            i += 2;
        } else if (is_word(c[i], "setname") && i + 1 < c.size()) {
            if (!valid_name(c, c[++i])) return;
            c.who.name = c[i];
        } else {
            return c.reply.error("ERR Syntax error in HELLO option '" +
                                 std::string(c[i].substr(0, c[i].find('\0'))) + "'");
        }
    }
    if (!c.who.authenticated)
        return c.reply.error(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH "
            "<user> <pass> "
            "option can be used to authenticate the client and select the RESP protocol version at the same "
            "time");
    if (version) c.who.protocol = version == 3 ? resp::version::v3 : resp::version::v2;

    c.reply.speak(c.who.protocol);
    c.reply.map(7);
    c.reply.bulk("server");
    c.reply.bulk("redis");
    c.reply.bulk("version");
    c.reply.bulk(c.server.version());
    c.reply.bulk("proto");
    c.reply.integer(static_cast<int>(c.who.protocol));
    c.reply.bulk("id");
    c.reply.integer(static_cast<std::int64_t>(c.who.id));
    c.reply.bulk("mode");
    c.reply.bulk("standalone");
    c.reply.bulk("role");
    c.reply.bulk("master");
    c.reply.bulk("modules");
    c.reply.array(0);
}

// SELECT index
void select(call& c) {
    auto const n = c.integer(1);
    if (!n) return;
    if (*n < INT32_MIN || *n > INT32_MAX)
        return c.reply.error("ERR value is out of range, value must between -2147483648 and 2147483647");
    if (*n < 0 || *n >= static_cast<std::int64_t>(c.server.databases.size()))
        return c.reply.error(errors::db_out_of_range);
    c.who.db = static_cast<int>(*n);
    c.reply.ok();
}

// QUIT
void quit(call& c) {
    c.reply.ok();
    c.who.closing = session::ending::after_reply;
}

// RESET: as if it had just connected
void reset(call& c) {
    c.who.multi.reset();
    c.server.release(c.who);
    c.who.db = 0;
    c.who.protocol = resp::version::v2;
    c.who.name.clear();
    c.who.authenticated = c.server.options.password.empty();
    c.who.reader.authenticated(c.who.authenticated);
    c.reply.simple("RESET");
}

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
    if (!valid_name(c, c[2])) return;
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

std::string flags_of(session const& s) {
    std::string out;
    if (s.subscriber()) out += 'P';
    if (s.multi) out += 'x';
    if (s.waits) out += 'b';
    if (s.overtaken) out += 'd';
    if (s.end.unix_socket) out += 'U';
    return out.empty() ? "N" : out;
}

// One line of CLIENT LIST. What a mock has no such thing for shows the value of an idle Redis.
std::string describe(call& c, session const& s) {
    bool const is_me = &s == &c.who;
    std::size_t const argument_bytes = is_me ? c[0].size() + (c.size() > 1 ? c[1].size() : 0) : 0;
    auto const seconds = [&](std::int64_t since) {
        return std::to_string(std::max<std::int64_t>(c.now() - since, 0) / 1000);
    };
    auto const count = [&](topic t) {
        return std::to_string(s.subscribed[static_cast<std::size_t>(t)].size());
    };
    std::string line = "id=" + std::to_string(s.id) + " addr=" + s.end.address +
                       " laddr=" + s.end.local_address + " fd=" + std::to_string(s.end.descriptor) +
                       " name=" + s.name + " age=" + seconds(s.since) + " idle=" + seconds(s.last_active) +
                       " flags=" + flags_of(s) + " db=" + std::to_string(s.db) +
                       " sub=" + count(topic::channel) + " psub=" + count(topic::pattern) +
                       " ssub=" + count(topic::shard_channel) +
                       " multi=" + (s.multi ? std::to_string(s.multi->queue.size()) : "-1");
    line += " qbuf=" + std::to_string(is_me ? s.input_bytes : 0) + " qbuf-free=" + (is_me ? "20448" : "0") +
            " argv-mem=" + std::to_string(argument_bytes) + " multi-mem=0 rbs=" + (is_me ? "16384" : "1024") +
            " rbp=" + (is_me ? "16384" : "0") + " obl=0 oll=0 omem=0 tot-mem=" + (is_me ? "37658" : "1800");
    line += " events=r cmd=" + (s.last_command ? full_name(*s.last_command) : "NULL") +
            " user=default redir=-1 resp=" + (s.protocol == resp::version::v3 ? "3" : "2");
    if (c.server.options.emulate == emulation::redis_7_2)
        line += " lib-name=" + s.library_name + " lib-ver=" + s.library_version;
    return line += '\n';
}

// CLIENT INFO
void client_info(call& c) { c.reply.verbatim("txt", describe(c, c.who)); }

// CLIENT LIST [TYPE normal | master | replica | pubsub] [ID id ...]
void client_list(call& c) {
    std::string lines;
    if (c.size() == 4 && is_word(c[2], "type")) {
        bool const normal = is_word(c[3], "normal");
        if (!normal && !is_word(c[3], "master") && !is_word(c[3], "replica") && !is_word(c[3], "slave") &&
            !is_word(c[3], "pubsub"))
            return c.reply.error("ERR Unknown client type '" + std::string(c[3].substr(0, c[3].find('\0'))) +
                                 "'");
        bool const listening = is_word(c[3], "pubsub");
        for (auto const& [id, s] : c.server.sessions)
            if (s->subscriber() ? listening : normal) lines += describe(c, *s);
    } else if (c.size() > 3 && is_word(c[2], "id")) {
        for (std::size_t i = 3; i < c.size(); ++i) {
            auto const id = c.integer(i, "ERR Invalid client ID");
            if (!id) return;
            auto const at = c.server.sessions.find(static_cast<std::uint64_t>(*id));
            if (*id > 0 && at != c.server.sessions.end()) lines += describe(c, *at->second);
        }
    } else if (c.size() > 2) {
        return c.reply.error(errors::syntax);
    } else {
        for (auto const& [id, s] : c.server.sessions) lines += describe(c, *s);
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
    sub("unblock", -3, admin | noscript, client_unblock, "5.0.0", "Ends another client's wait"),
    sub("help", 2, 0, container_help, "5.0.0", "Lists the subcommands"),
};

constexpr std::uint32_t greeting = noscript | loading | stale | fast | no_auth | allow_busy;

constexpr command row(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                      std::string_view since, std::string_view summary) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags,
                   .categories = category::connection,
                   .run = run,
                   .since = since,
                   .group = "connection",
                   .summary = summary};
}

constexpr command rows[] = {
    {.name = "ping",
     .arity = -1,
     .flags = fast | for_subscribers,
     .categories = category::connection,
     .run = ping,
     .tips = {"request_policy:all_shards", "response_policy:all_succeeded"},
     .since = "1.0.0",
     .group = "connection",
     .summary = "Answers PONG, or the message"},
    row("echo", 2, loading | stale | fast, echo, "1.0.0", "Answers the message"),
    row("hello", -1, greeting, hello, "6.0.0",
        "Chooses the protocol, authenticates and names the connection"),
    row("auth", -2, greeting, auth, "1.0.0", "Authenticates the connection"),
    row("select", 2, loading | stale | fast, select, "1.0.0", "Chooses the database"),
    row("quit", -1, greeting | never_queued | for_subscribers, quit, "1.0.0", "Closes the connection"),
    row("reset", 1, greeting | never_queued | for_subscribers, reset, "6.2.0",
        "Makes the connection as good as new"),
    {.name = "client",
     .arity = -2,
     .subcommands = client_rows,
     .since = "2.4.0",
     .group = "connection",
     .summary = "Everything about connections"},
};

}  // namespace

std::span<command const> connection_commands() { return rows; }

}  // namespace respkit
