// The server as a whole: CONFIG, TIME, DEBUG.
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

#include <respkit/server/command.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

// CONFIG GET pattern [pattern ...]
void config_get(call& c) {
    // Each parameter once, under the spelling that came first.
    std::map<std::string, std::pair<std::string, std::string>> found;
    for (auto const pattern : c.words.subspan(2))
        for (auto& match : c.server.config.matching(pattern))
            found.emplace(lower_case(match.first), std::move(match));
    c.reply.map(found.size());
    for (auto const& [name, shown] : found) {
        c.reply.bulk(shown.first);
        c.reply.bulk(shown.second);
    }
}

// CONFIG SET parameter value [parameter value ...]
void config_set(call& c) {
    if (c.size() % 2) return c.reply.error(errors::syntax);
    std::vector<configuration::assignment> wanted;
    for (std::size_t i = 2; i < c.size(); i += 2) wanted.push_back({c[i], c[i + 1]});
    if (auto const complaint = c.server.config.set(wanted))
        c.reply.error(*complaint);
    else
        c.reply.ok();
}

// CONFIG REWRITE
void config_rewrite(call& c) { c.reply.error("ERR The server is running without a config file"); }

// CONFIG RESETSTAT
void config_resetstat(call& c) {
    c.server.counts = {};
    c.server.error_counts.clear();
    c.server.by_command.assign(c.server.commands.size(), {});
    c.reply.ok();
}

// TIME
void time(call& c) {
    c.reply.array(2);
    c.reply.bulk_integer(c.server.now_us / 1000000);
    c.reply.bulk_integer(c.server.now_us % 1000000);
}

// One sample of every type, as Redis sends them for the authors of clients.
void debug_protocol(call& c) {
    auto const is = [&](std::string_view name) { return is_word(c[2], name); };
    bool const v3 = c.reply.protocol() == resp::version::v3;
    if (is("string")) return c.reply.bulk("Hello World");
    if (is("integer")) return c.reply.integer(12345);
    if (is("double")) return c.reply.real("3.141");
    if (is("null")) return c.reply.null();
    if (is("bignum")) return c.reply.big_number("1234567999999999999999999999999999999");
    if (is("true")) return c.reply.boolean(true);
    if (is("false")) return c.reply.boolean(false);
    if (is("verbatim")) return c.reply.verbatim("txt", "This is a verbatim\nstring");
    if (is("array") || is("set")) {
        is("set") ? c.reply.set(3) : c.reply.array(3);
        for (int i = 0; i < 3; ++i) c.reply.integer(i);
        return;
    }
    if (is("map")) {
        c.reply.map(3);
        for (int i = 0; i < 3; ++i) {
            c.reply.integer(i);
            c.reply.boolean(i == 1);
        }
        return;
    }
    if (is("attrib")) {
        if (v3) {
            c.reply.attribute(1);
            c.reply.bulk("key-popularity");
            c.reply.array(2);
            c.reply.bulk("key:123");
            c.reply.integer(90);
        }
        return c.reply.bulk("Some real reply following the attribute");
    }
    if (is("push")) {
        if (!v3) return c.reply.error("ERR RESP2 is not supported by this command");
        c.reply.push(2);
        c.reply.bulk("server-cpu-usage");
        c.reply.integer(42);
        return c.reply.bulk("Some real reply following the push reply");
    }
    c.reply.error(
        "ERR Wrong protocol type name. Please use one of the following: "
        "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false");
}

// DEBUG SLEEP seconds: the whole server stands still, as in Redis. What is no number counts as 0.
void debug_sleep(call& c) {
    double const seconds = std::strtod(std::string(c[2]).c_str(), nullptr);
    if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, 1e6)));
    c.server.tick();
    c.reply.ok();
}

// DEBUG SLEEP seconds | PROTOCOL type | ERROR text
void debug(call& c) {
    if (c.size() == 3 && is_word(c[1], "sleep")) return debug_sleep(c);
    if (c.size() == 3 && is_word(c[1], "protocol")) return debug_protocol(c);
    if (c.size() == 3 && is_word(c[1], "error")) return c.reply.error(c[2]);
    c.reply.error(errors::wrong_subcommand("DEBUG", c[1]));
}

using namespace flag;

constexpr command config_sub(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                             std::string_view since, std::string_view summary) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags | loading | stale,
                   .run = run,
                   .since = since,
                   .group = "server",
                   .summary = summary,
                   .container = "config"};
}

constexpr command config_rows[] = {
    config_sub("get", -3, admin | noscript, config_get, "2.0.0", "Shows configuration parameters"),
    {.name = "set",
     .arity = -4,
     .flags = admin | noscript | loading | stale,
     .run = config_set,
     .tips = {"request_policy:all_nodes", "response_policy:all_succeeded"},
     .since = "2.0.0",
     .group = "server",
     .summary = "Changes configuration parameters",
     .container = "config"},
    config_sub("rewrite", 2, admin | noscript, config_rewrite, "2.8.0",
               "Would write a configuration file: there is none"),
    config_sub("resetstat", 2, admin | noscript, config_resetstat, "2.0.0",
               "Sets the statistics of INFO to zero"),
    config_sub("help", 2, 0, container_help, "5.0.0", "Lists the subcommands"),
};

constexpr command rows[] = {
    {.name = "config",
     .arity = -2,
     .subcommands = config_rows,
     .since = "2.0.0",
     .group = "server",
     .summary = "Everything about configuration"},
    {.name = "time",
     .arity = 1,
     .flags = loading | stale | fast,
     .run = time,
     .tips = {"nondeterministic_output"},
     .since = "2.6.0",
     .group = "server",
     .summary = "Tells the server's time"},
    {.name = "debug",
     .arity = -2,
     .flags = admin | noscript | loading | stale,
     .run = debug,
     .since = "1.0.0",
     .group = "server",
     .summary = "Aids for those who test"},
};

}  // namespace

std::span<command const> server_commands() { return rows; }

}  // namespace respkit
