// What a client says about itself: handshake, authentication.
#include <string>

#include <respkit/server/command.hpp>
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

bool authenticate(call& c, std::string_view user, std::string_view password) {
    if (c.server.log_in(c.who, user, password, c.words)) return true;
    c.reply.error(errors::wrong_password);
    return false;
}

// AUTH [username] password
void auth(call& c) {
    if (c.size() > 3) return c.reply.error(errors::syntax);
    if (c.size() == 2 && c.server.users.default_user().no_password)
        return c.reply.error(
            "ERR AUTH <password> called without any password configured for the default user. Are you sure "
            "your "
            "configuration is correct?");
    if (authenticate(c, c.size() == 3 ? c[1] : "default", c[c.size() - 1])) c.reply.ok();
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
            if (!is_client_name(c[++i])) return c.reply.error(errors::bad_client_name);
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
    c.server.admit_as_default(c.who);
    c.who.silences = 0;
    resp::writer(c.who.output(), c.who.protocol).simple("RESET");
}

using namespace flag;

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
};

}  // namespace

std::span<command const> connection_commands() { return rows; }

}  // namespace respkit
