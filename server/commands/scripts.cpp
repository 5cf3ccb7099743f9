// Scripts. There is no Lua here: those run that have been registered in C++ (engine::add_script).
#include <string>

#include <respkit/server/command.hpp>
#include <respkit/server/digest.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

constexpr std::string_view no_script = "NOSCRIPT No matching script. Please use EVAL.";

bool key_count_fits(call& c) {
    auto const keys = c.integer(2);
    if (!keys) return false;
    if (*keys <= static_cast<std::int64_t>(c.size()) - 3 && *keys >= 0) return true;
    c.reply.error(*keys < 0 ? "ERR Number of keys can't be negative"
                            : "ERR Number of keys can't be greater than number of args");
    return false;
}

// The script of this text, which from now on is loaded. Null if nobody has registered it.
script_store::script* load(call& c, std::string_view body, std::string& sha) {
    sha = sha1(body);
    auto* s = c.server.scripts.find(sha);
    if (s)
        s->loaded = true;
    else
        c.server.count_unsupported("script " + sha);
    return s;
}

std::string no_lua(std::string_view sha) {
    return "ERR this server runs no Lua: register what the script does in C++, with engine::add_script for "
           "its SHA1 " +
           std::string(sha);
}

// EVAL script numkeys [key ...] [word ...], EVAL_RO
void eval(call& c) {
    c.server.monitors.show(c.who, c.server.now_us, c.words);  // before the commands in it
    if (!key_count_fits(c)) return;
    std::string sha;
    if (!load(c, c[1], sha)) return c.reply.error(no_lua(sha));
    run_script(c, sha, c.row.flags & flag::readonly);
}

// EVALSHA sha1 numkeys [key ...] [word ...], EVALSHA_RO
void evalsha(call& c) {
    c.server.monitors.show(c.who, c.server.now_us, c.words);
    if (c[1].size() != 40) return c.reply.error(no_script);
    if (!key_count_fits(c)) return;
    auto const* s = c.server.scripts.find(c[1]);
    if (!s || !s->loaded) return c.reply.error(no_script);
    run_script(c, lower_case(c[1]), c.row.flags & flag::readonly);
}

// SCRIPT LOAD script
void script_load(call& c) {
    std::string sha;
    if (!load(c, c[2], sha)) return c.reply.error(no_lua(sha));
    c.reply.bulk(sha);
}

// SCRIPT EXISTS sha1 ...
void script_exists(call& c) {
    c.reply.array(c.size() - 2);
    for (auto const sha : c.words.subspan(2)) {
        auto const* s = c.server.scripts.find(sha);
        c.reply.integer(s && s->loaded);
    }
}

// SCRIPT FLUSH [ASYNC | SYNC]
void script_flush(call& c) {
    bool const known = c.size() == 2 || (c.size() == 3 && (is_word(c[2], "sync") || is_word(c[2], "async")));
    if (!known) return c.reply.error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
    c.server.scripts.flush();
    c.reply.ok();
}

// SCRIPT KILL
void script_kill(call& c) { c.reply.error("NOTBUSY No scripts in execution right now."); }

using namespace flag;

constexpr command sub(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                      std::string_view requests, std::string_view responses, std::string_view summary) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags | noscript,
                   .categories = category::scripting,
                   .run = run,
                   .tips = {requests, responses},
                   .since = "2.6.0",
                   .group = "scripting",
                   .summary = summary,
                   .container = "script"};
}

constexpr std::string_view to_nodes = "request_policy:all_nodes", to_shards = "request_policy:all_shards";

constexpr command script_rows[] = {
    sub("exists", -3, 0, script_exists, to_shards, "response_policy:agg_logical_and",
        "Tells which scripts are loaded"),
    sub("flush", -2, 0, script_flush, to_nodes, "response_policy:all_succeeded",
        "Lets EVALSHA find no script until it is loaded again"),
    sub("kill", 2, allow_busy, script_kill, to_shards, "response_policy:one_succeeded",
        "Would end a script: none is running"),
    sub("load", 3, stale, script_load, to_nodes, "response_policy:all_succeeded",
        "Loads a script that has been registered in C++"),
    {.name = "help",
     .arity = 2,
     .flags = loading | stale,
     .categories = category::scripting,
     .run = container_help,
     .since = "5.0.0",
     .group = "scripting",
     .summary = "Lists the subcommands",
     .container = "script"},
};

constexpr key_spec noted(key_spec k, std::string_view note) {
    k = key::from(2, key::counted(k));
    k.note = note;
    return k;
}
constexpr key_spec changes =
    noted(key::exchanges, "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE");
constexpr key_spec reads =
    noted(key::reads, "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS");

constexpr command row(std::string_view name, std::uint32_t flags, key_spec k, void (*run)(call&),
                      std::string_view since, std::string_view summary) {
    return command{.name = name,
                   .arity = -3,
                   .flags = flags | noscript | stale | skip_monitor | no_mandatory_keys | movablekeys,
                   .categories = category::scripting,
                   .keys = {k},
                   .run = run,
                   .since = since,
                   .group = "scripting",
                   .summary = summary};
}

constexpr command rows[] = {
    row("eval", like_write, changes, eval, "2.6.0", "Runs a script that has been registered in C++"),
    row("eval_ro", readonly, reads, eval, "7.0.0", "Runs such a script, which must not write"),
    row("evalsha", like_write, key::from(2, key::counted(key::exchanges)), evalsha, "2.6.0",
        "Runs a script that is loaded, by its SHA1"),
    row("evalsha_ro", readonly, key::from(2, key::counted(key::reads)), evalsha, "7.0.0",
        "Runs such a script by its SHA1, which must not write"),
    {.name = "script",
     .arity = -2,
     .subcommands = script_rows,
     .since = "2.6.0",
     .group = "scripting",
     .summary = "The scripts that EVAL and EVALSHA run"},
};

}  // namespace

std::span<command const> script_commands() { return rows; }

}  // namespace respkit
