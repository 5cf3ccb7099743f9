// FUNCTION and FCALL: there is no Lua here, so no library is ever there.
#include <string>

#include <respkit/server/command.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

using namespace std::string_view_literals;

// FUNCTION DUMP of no library: the version of Redis 7.0's file format and a checksum.
constexpr auto nothing = "\n\0]\x9b\\@\x0f\x7f\xa2\xda"sv;

// FCALL function numkeys [key ...] [word ...], FCALL_RO
void fcall(call& c) {
    c.server.monitors.show(c.who, c.server.now_us, c.words);
    c.reply.error("ERR Function not found");
}

// FUNCTION DELETE library
void function_delete(call& c) { c.reply.error("ERR Library not found"); }

// FUNCTION DUMP
void function_dump(call& c) { c.reply.bulk(nothing); }

// FUNCTION FLUSH [ASYNC | SYNC]
void function_flush(call& c) {
    if (c.size() > 3) return c.reply.error(errors::wrong_subcommand("FUNCTION", c[1]));
    if (c.size() == 3 && !is_word(c[2], "sync") && !is_word(c[2], "async"))
        return c.reply.error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
    c.reply.ok();
}

// FUNCTION KILL
void function_kill(call& c) { c.reply.error("NOTBUSY No scripts in execution right now."); }

// FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE]
void function_list(call& c) {
    bool named = false, with_code = false;
    for (std::size_t i = 2; i < c.size(); ++i) {
        if (!with_code && is_word(c[i], "withcode")) {
            with_code = true;
        } else if (!named && is_word(c[i], "libraryname")) {
            if (++i == c.size()) return c.reply.error("ERR library name argument was not given");
            named = true;
        } else {
            return c.reply.error("ERR Unknown argument " + std::string(c[i].substr(0, c[i].find('\0'))));
        }
    }
    c.reply.array(0);
}

// FUNCTION LOAD [REPLACE] code
void function_load(call& c) {
    for (std::size_t i = 2; i + 1 < c.size(); ++i)
        if (!is_word(c[i], "replace"))
            return c.reply.error("ERR Unknown option given: " + std::string(c[i].substr(0, c[i].find('\0'))));
    c.server.count_unsupported("function|load");
    c.reply.error(
        "ERR FUNCTION LOAD is not supported: this server runs no Lua. Scripts for EVAL can be registered in "
        "C++ (engine::add_script)");
}

// FUNCTION RESTORE dump [FLUSH | APPEND | REPLACE]
void function_restore(call& c) {
    if (c.size() > 4) return c.reply.error(errors::wrong_subcommand("FUNCTION", c[1]));
    if (c.size() == 4 && !is_word(c[3], "flush") && !is_word(c[3], "append") && !is_word(c[3], "replace"))
        return c.reply.error(
            "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
    if (c[2] == nothing) return c.reply.ok();
    c.server.count_unsupported("function|restore");
    c.reply.error("ERR FUNCTION RESTORE is not supported: this server has no RDB format and runs no Lua");
}

// FUNCTION STATS
void function_stats(call& c) {
    c.reply.map(2);
    c.reply.bulk("running_script");
    c.reply.null();
    c.reply.bulk("engines");
    c.reply.map(1);
    c.reply.bulk("LUA");
    c.reply.map(2);
    for (auto const count : {"libraries_count", "functions_count"}) {
        c.reply.bulk(count);
        c.reply.integer(0);
    }
}

using namespace flag;

constexpr std::string_view to_shards = "request_policy:all_shards",
                           succeeded = "response_policy:all_succeeded";

constexpr command sub(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                      std::string_view summary, std::initializer_list<std::string_view> tips = {}) {
    command row{.name = name,
                .arity = arity,
                .flags = flags,
                .categories = category::scripting,
                .run = run,
                .since = "7.0.0",
                .group = "scripting",
                .summary = summary,
                .container = "function"};
    std::copy(tips.begin(), tips.end(), row.tips);
    return row;
}

constexpr command function_rows[] = {
    sub("delete", 3, write | noscript, function_delete, "Deletes a library: there is none to delete",
        {to_shards, succeeded}),
    sub("dump", 2, noscript, function_dump, "Dumps the libraries: none"),
    sub("flush", -2, write | noscript, function_flush, "Deletes the libraries: there are none",
        {to_shards, succeeded}),
    sub("kill", 2, noscript | allow_busy, function_kill, "Would end a function: none is running",
        {to_shards, "response_policy:one_succeeded"}),
    sub("list", -2, noscript, function_list, "Lists the libraries: none", {"nondeterministic_output_order"}),
    sub("load", -3, write | denyoom | noscript, function_load, "Refused in words: there is no Lua here",
        {to_shards, succeeded}),
    sub("restore", -3, write | denyoom | noscript, function_restore,
        "Restores a dump of no libraries; others are refused in words", {to_shards, succeeded}),
    sub("stats", 2, noscript | allow_busy, function_stats, "Counts libraries and functions: none",
        {"nondeterministic_output", to_shards, "response_policy:special"}),
    sub("help", 2, loading | stale, container_help, "Lists the subcommands"),
};

constexpr command by_name(std::string_view name, std::uint32_t flags, key_spec k, std::string_view note) {
    k = key::from(2, key::counted(k));
    k.note = note;
    return command{.name = name,
                   .arity = -3,
                   .flags = flags | noscript | stale | skip_monitor | no_mandatory_keys | movablekeys,
                   .categories = category::scripting,
                   .keys = {k},
                   .run = fcall,
                   .since = "7.0.0",
                   .group = "scripting",
                   .summary = "Would run a function: there is none"};
}

constexpr command rows[] = {
    by_name("fcall", flag::like_write, key::exchanges,
            "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE"),
    by_name("fcall_ro", readonly, key::reads,
            "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS"),
    {.name = "function",
     .arity = -2,
     .subcommands = function_rows,
     .since = "7.0.0",
     .group = "scripting",
     .summary = "Lua functions, of which there are none"},
};

}  // namespace

std::span<command const> function_commands() { return rows; }

}  // namespace respkit
