// ACL: users and what they may do.
#include <cstdio>
#include <string>
#include <vector>

#include <respkit/server/command.hpp>
#include <respkit/server/command_words.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

std::string c_string(std::string_view word) { return std::string(word.substr(0, word.find('\0'))); }

// ACL WHOAMI
void acl_whoami(call& c) { c.reply.bulk(c.who.account->name); }

// ACL USERS
void acl_users(call& c) {
    auto const& all = c.server.users.all();
    c.reply.array(all.size());
    for (auto const& [name, u] : all) c.reply.bulk(name);
}

// ACL LIST
void acl_list(call& c) {
    auto const& all = c.server.users.all();
    c.reply.array(all.size());
    for (auto const& [name, u] : all) c.reply.bulk("user " + name + ' ' + u->text());
}

void reply_rights(call& c, rights const& r) {
    c.reply.bulk("commands");
    c.reply.bulk(r.commands());
    c.reply.bulk("keys");
    c.reply.bulk(r.keys());
    c.reply.bulk("channels");
    c.reply.bulk(r.channels());
}

// ACL GETUSER user
void acl_getuser(call& c) {
    auto const* u = c.server.users.find(c[2]);
    if (!u) return c.reply.null();
    std::vector<std::string_view> flags{u->on ? "on" : "off"};
    if (u->no_password) flags.emplace_back("nopass");
    if (u->payloads == user::sanitizing::skip) flags.emplace_back("skip-sanitize-payload");
    if (u->payloads == user::sanitizing::yes) flags.emplace_back("sanitize-payload");
    c.reply.map(6);
    c.reply.bulk("flags");
    c.reply.set(flags.size());
    for (auto const flag : flags) c.reply.bulk(flag);
    c.reply.bulk("passwords");
    c.reply.array(u->passwords.size());
    for (auto const& digest : u->passwords) c.reply.bulk(digest);
    reply_rights(c, u->sets.front());
    c.reply.bulk("selectors");
    c.reply.array(u->sets.size() - 1);
    for (std::size_t i = 1; i < u->sets.size(); ++i) {
        c.reply.map(3);
        reply_rights(c, u->sets[i]);
    }
}

// ACL SETUSER user [rule ...]
void acl_setuser(call& c) {
    if (has_blanks(c[2])) return c.reply.error("ERR Usernames can't contain spaces or null characters");
    auto* u = c.server.users.find(c[2]);
    user changed = u ? *u : user(std::string(c[2]), c.server.commands);
    if (auto const complaint = changed.apply_all(c.words.subspan(3))) return c.reply.error(*complaint);
    c.server.change(u ? *u : c.server.users.add(c[2]), changed);
    c.reply.ok();
}

// ACL DELUSER user ...
void acl_deluser(call& c) {
    for (auto const name : c.words.subspan(2))
        if (c_string(name) == "default") return c.reply.error("ERR The 'default' user cannot be removed");
    std::int64_t removed = 0;
    for (auto const name : c.words.subspan(2)) removed += c.server.remove_user(name);
    c.reply.integer(removed);
}

// ACL CAT [category]
void acl_cat(call& c) {
    if (c.size() > 3) return c.reply.error(errors::wrong_subcommand("ACL", c[1]));
    if (c.size() == 2) {
        c.reply.array(std::size(category_names));
        for (auto const name : category_names) c.reply.bulk(name);
        return;
    }
    std::uint32_t wanted = 0;
    for (std::size_t i = 0; i < std::size(category_names); ++i)
        if (is_word(c[2], category_names[i])) wanted = 1u << i;
    if (!wanted) return c.reply.error("ERR Unknown category '" + c_string(c[2]) + "'");
    std::vector<std::string> names;
    for (auto const* row : c.server.commands.all()) {
        if (categories_of(*row) & wanted) names.push_back(full_name(*row));
        for (auto const& sub : row->subcommands)
            if (categories_of(sub) & wanted) names.push_back(full_name(sub));
    }
    c.reply.array(names.size());
    for (auto const& name : names) c.reply.bulk(name);
}

// ACL DRYRUN user command [word ...]
void acl_dryrun(call& c) {
    auto const* u = c.server.users.find(c[2]);
    if (!u) return c.reply.error("ERR User '" + c_string(c[2]) + "' not found");
    auto const words = c.words.subspan(3);
    auto const* row = c.server.commands.find(words[0]);
    if (row && !row->subcommands.empty() && words.size() > 1)
        row = command_table::find_subcommand(*row, words[1], c.server.options.emulate);
    if (!row) return c.reply.error("ERR Command '" + c_string(words[0]) + "' not found");
    if (!arity_fits(row->arity, words.size())) return c.reply.error(errors::wrong_arity(full_name(*row)));
    auto const d = u->check(*row, words);
    if (!d) return c.reply.ok();
    std::string const what = d.why == denial::command ? full_name(*row) : c_string(words[d.word]);
    std::string_view const kind = d.why == denial::command ? "command"
                                  : d.why == denial::key   ? "key"
                                                           : "channel";
    c.reply.bulk("This user has no permissions to " +
                 std::string(d.why == denial::command ? "run" : "access") + " the '" + what + "' " +
                 std::string(kind));
}

// ACL GENPASS [bits]
void acl_genpass(call& c) {
    if (c.size() > 3) return c.reply.error(errors::wrong_subcommand("ACL", c[1]));
    std::int64_t bits = 256;
    if (c.size() == 3) {
        auto const n = c.integer(2);
        if (!n) return;
        bits = *n;
    }
    if (bits <= 0 || bits > 4096)
        return c.reply.error(
            "ERR ACL GENPASS argument must be the number of bits for the output password, a positive number "
            "up "
            "to 4096");
    std::string password(static_cast<std::size_t>(bits + 3) / 4, '0');
    for (char& digit : password) digit = "0123456789abcdef"[c.server.shared.random.below(16)];
    c.reply.bulk(password);
}

void reply_entry(call& c, acl_log::entry const& e) {
    constexpr std::string_view reasons[] = {"", "command", "key", "channel", "auth"};
    constexpr std::string_view contexts[] = {"toplevel", "multi", "lua"};
    auto const pair = [&](std::string_view name, std::string_view value) {
        c.reply.bulk(name);
        c.reply.bulk(value);
    };
    c.reply.map(7);
    c.reply.bulk("count");
    c.reply.integer(static_cast<std::int64_t>(e.count));
    pair("reason", reasons[e.why]);
    pair("context", contexts[static_cast<std::size_t>(e.where)]);
    pair("object", e.object);
    pair("username", e.user);
    c.reply.bulk("age-seconds");
    char age[40];
    std::snprintf(age, sizeof age, "%.17g", static_cast<double>(c.now() - e.at) / 1000);
    c.reply.real(age);
    pair("client-info", e.client);
}

// ACL LOG [count | RESET]
void acl_log_entries(call& c) {
    if (c.size() > 3) return c.reply.error(errors::wrong_subcommand("ACL", c[1]));
    if (c.size() == 3 && is_word(c[2], "reset")) {
        c.server.denied.clear();
        return c.reply.ok();
    }
    std::int64_t most = 10;
    if (c.size() == 3) {
        auto const n = c.integer(2);
        if (!n) return;
        most = std::max<std::int64_t>(*n, 0);
    }
    auto left = std::min(static_cast<std::size_t>(most), c.server.denied.entries().size());
    c.reply.array(left);
    for (auto e = c.server.denied.entries().begin(); left > 0; ++e, --left) reply_entry(c, *e);
}

// ACL LOAD, ACL SAVE
void acl_file(call& c) {
    c.reply.error(
        "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the "
        "ACL "
        "SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) "
        "in "
        "order to store users in the Redis configuration.");
}

using namespace flag;

constexpr command sub(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                      std::string_view summary, std::string_view since = "6.0.0") {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags | loading | stale,
                   .run = run,
                   .since = since,
                   .group = "server",
                   .summary = summary,
                   .container = "acl"};
}

constexpr command acl_rows[] = {
    sub("cat", -2, noscript, acl_cat, "Lists the categories, or the commands of one"),
    sub("deluser", -3, admin | noscript, acl_deluser, "Deletes users and ends their connections"),
    sub("dryrun", -4, admin | noscript, acl_dryrun, "Tells whether a user may run a command", "7.0.0"),
    sub("genpass", -2, noscript, acl_genpass, "Makes up a password"),
    sub("getuser", 3, admin | noscript, acl_getuser, "Tells what a user may do"),
    sub("list", 2, admin | noscript, acl_list, "Lists the users and what they may do"),
    sub("load", 2, admin | noscript, acl_file, "Refused: there is no ACL file"),
    sub("log", -2, admin | noscript, acl_log_entries, "Lists what has been denied lately"),
    sub("save", 2, admin | noscript, acl_file, "Refused: there is no ACL file"),
    sub("setuser", -3, admin | noscript, acl_setuser, "Makes a user, or changes what one may do"),
    sub("users", 2, admin | noscript, acl_users, "Lists the users' names"),
    sub("whoami", 2, noscript, acl_whoami, "Tells this connection's user"),
    sub("help", 2, 0, container_help, "Lists the subcommands"),
};

constexpr command rows[] = {
    {.name = "acl",
     .arity = -2,
     .subcommands = acl_rows,
     .since = "6.0.0",
     .group = "server",
     .summary = "Who may do what"},
};

}  // namespace

std::span<command const> access_commands() { return rows; }

}  // namespace respkit
