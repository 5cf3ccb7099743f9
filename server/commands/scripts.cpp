// Scripts: there is no Lua here, so none can be loaded and none is ever found.
#include <string>

#include <respkit/server/command.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

// EVALSHA sha1 numkeys [key ...] [word ...], EVALSHA_RO
void evalsha(call& c) {
    constexpr std::string_view no_script = "NOSCRIPT No matching script. Please use EVAL.";
    if (c[1].size() != 40) return c.reply.error(no_script);
    auto const keys = c.integer(2);
    if (!keys) return;
    if (*keys > static_cast<std::int64_t>(c.size()) - 3)
        return c.reply.error("ERR Number of keys can't be greater than number of args");
    if (*keys < 0) return c.reply.error("ERR Number of keys can't be negative");
    c.reply.error(no_script);
}

// SCRIPT EXISTS sha1 ...
void script_exists(call& c) {
    c.reply.array(c.size() - 2);
    for (std::size_t i = 2; i < c.size(); ++i) c.reply.integer(0);
}

// SCRIPT FLUSH [ASYNC | SYNC]
void script_flush(call& c) {
    bool const known = c.size() == 2 || (c.size() == 3 && (is_word(c[2], "sync") || is_word(c[2], "async")));
    if (!known) return c.reply.error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
    c.reply.ok();
}

// SCRIPT KILL
void script_kill(call& c) { c.reply.error("NOTBUSY No scripts in execution right now."); }

using namespace flag;

constexpr command sub(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                      std::string_view response, std::string_view summary) {
    return command{
        .name = name,
        .arity = arity,
        .flags = flags | noscript,
        .categories = category::scripting,
        .run = run,
        .tips = {name == "flush" ? "request_policy:all_nodes" : "request_policy:all_shards", response},
        .since = "2.6.0",
        .group = "scripting",
        .summary = summary,
        .container = "script"};
}

constexpr command script_rows[] = {
    sub("exists", -3, 0, script_exists, "response_policy:agg_logical_and",
        "Tells which scripts are loaded: none"),
    sub("flush", -2, 0, script_flush, "response_policy:all_succeeded", "Forgets the scripts: there are none"),
    sub("kill", 2, allow_busy, script_kill, "response_policy:one_succeeded",
        "Would end a script: none is running"),
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

constexpr command by_digest(std::string_view name, std::uint32_t flags, key_spec k, std::string_view since) {
    return command{.name = name,
                   .arity = -3,
                   .flags = flags | noscript | stale | skip_monitor | no_mandatory_keys | movablekeys,
                   .categories = category::scripting,
                   .keys = {key::from(2, key::counted(k))},
                   .run = evalsha,
                   .since = since,
                   .group = "scripting",
                   .summary = "Would run a script that has been loaded: there are none"};
}

constexpr command rows[] = {
    by_digest("evalsha", 0, key::exchanges, "2.6.0"),
    by_digest("evalsha_ro", readonly, key::reads, "7.0.0"),
    {.name = "script",
     .arity = -2,
     .subcommands = script_rows,
     .since = "2.6.0",
     .group = "scripting",
     .summary = "Lua scripts, of which there are none"},
};

}  // namespace

std::span<command const> script_commands() { return rows; }

}  // namespace respkit
