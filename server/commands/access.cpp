// ACL: one user, "default", who may do everything. What would need others is not here.
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
void acl_whoami(call& c) { c.reply.bulk("default"); }

// ACL USERS
void acl_users(call& c) {
    c.reply.array(1);
    c.reply.bulk("default");
}

// Redis shows the hash of a password, which is not kept here.
bool may_be_shown(call& c) {
    if (c.server.options.password.empty()) return true;
    c.reply.error("ERR this server does not show a user that has a password");
    return false;
}

// ACL LIST
void acl_list(call& c) {
    if (!may_be_shown(c)) return;
    c.reply.array(1);
    c.reply.bulk("user default on nopass ~* &* +@all");
}

// ACL GETUSER user
void acl_getuser(call& c) {
    if (c[2] != "default") return c.reply.null();
    if (!may_be_shown(c)) return;
    c.reply.map(6);
    c.reply.bulk("flags");
    c.reply.set(2);
    c.reply.bulk("on");
    c.reply.bulk("nopass");
    c.reply.bulk("passwords");
    c.reply.array(0);
    for (auto const word : {"commands", "+@all", "keys", "~*", "channels", "&*", "selectors"})
        c.reply.bulk(word);
    c.reply.array(0);
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
            if (categories_of(sub) & wanted &&
                (!sub.since_7_2 || c.server.options.emulate == emulation::redis_7_2))
                names.push_back(full_name(sub));
    }
    c.reply.array(names.size());
    for (auto const& name : names) c.reply.bulk(name);
}

// ACL DELUSER user ...
void acl_deluser(call& c) {
    for (auto const name : c.words.subspan(2))
        if (name == "default") return c.reply.error("ERR The 'default' user cannot be removed");
    c.reply.integer(0);
}

// ACL DRYRUN user command [word ...]
void acl_dryrun(call& c) {
    if (c[2] != "default") return c.reply.error("ERR User '" + c_string(c[2]) + "' not found");
    auto const words = c.words.subspan(3);
    auto const* row = c.server.commands.find(words[0]);
    if (row && !row->subcommands.empty() && words.size() > 1)
        row = command_table::find_subcommand(*row, words[1], c.server.options.emulate);
    if (!row) return c.reply.error("ERR Command '" + c_string(words[0]) + "' not found");
    if (!arity_fits(row->arity, words.size())) return c.reply.error(errors::wrong_arity(full_name(*row)));
    c.reply.ok();
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
    sub("deluser", -3, admin | noscript, acl_deluser, "Deletes users: there is none to delete"),
    sub("dryrun", -4, admin | noscript, acl_dryrun, "Tells whether a user may run a command", "7.0.0"),
    sub("getuser", 3, admin | noscript, acl_getuser, "Tells what a user may do"),
    sub("list", 2, admin | noscript, acl_list, "Lists the users and what they may do"),
    sub("users", 2, admin | noscript, acl_users, "Lists the users: default"),
    sub("whoami", 2, noscript, acl_whoami, "Tells this connection's user: default"),
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
