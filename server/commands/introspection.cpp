// COMMAND: the rows of every command, as clients ask for them.
#include <string>
#include <vector>

#include <respkit/server/command.hpp>
#include <respkit/server/command_words.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/key_specs.hpp>

namespace respkit {
namespace {

std::size_t count_bits(std::uint32_t bits) { return static_cast<std::size_t>(__builtin_popcount(bits)); }

template <std::size_t N>
void reply_names(call& c, std::uint32_t bits, std::string_view const (&names)[N],
                 std::string_view prefix = {}) {
    c.reply.set(count_bits(bits));
    for (std::size_t i = 0; i < N; ++i)
        if (bits >> i & 1) c.reply.simple(std::string(prefix) + std::string(names[i]));
}

void pair(call& c, std::string_view name, std::int64_t value) {
    c.reply.bulk(name);
    c.reply.integer(value);
}

void reply_key_spec(call& c, key_spec const& k) {
    c.reply.map(k.note.empty() ? 3 : 4);
    if (!k.note.empty()) {
        c.reply.bulk("notes");
        c.reply.bulk(k.note);
    }
    c.reply.bulk("flags");
    reply_names(c, k.flags, key_flag_names);
    if (k.unknown) {
        for (auto const half : {"begin_search", "find_keys"}) {
            c.reply.bulk(half);
            c.reply.map(2);
            c.reply.bulk("type");
            c.reply.bulk("unknown");
            c.reply.bulk("spec");
            c.reply.map(0);
        }
        return;
    }
    c.reply.bulk("begin_search");
    c.reply.map(2);
    c.reply.bulk("type");
    c.reply.bulk("index");
    c.reply.bulk("spec");
    c.reply.map(1);
    pair(c, "index", k.begin);
    c.reply.bulk("find_keys");
    c.reply.map(2);
    c.reply.bulk("type");
    c.reply.bulk(k.counted ? "keynum" : "range");
    c.reply.bulk("spec");
    c.reply.map(3);
    if (k.counted) {
        pair(c, "keynumidx", 0);
        pair(c, "firstkey", 1);
        pair(c, "keystep", k.step);
    } else {
        pair(c, "lastkey", k.last);
        pair(c, "keystep", k.step);
        pair(c, "limit", k.limit);
    }
}

// First key, last key and step, from before there were specifications: 0 0 0 where one range cannot say it.
struct key_range {
    int first = 0, last = 0, step = 0;
};

key_range range_of(command const& row) {
    key_range r;
    for (auto const& k : row.keys) {
        if (!k.flags || k.counted || k.unknown) continue;
        int const last = k.last < 0 ? k.last : k.begin + k.last;
        r = r.first ? key_range{r.first, last, 1} : key_range{k.begin, last, k.step};
    }
    return r;
}

std::size_t count_tips(command const& row) {
    std::size_t n = 0;
    for (auto const tip : row.tips) n += !tip.empty();
    return n;
}

std::vector<command const*> subcommands_of(call& c, command const& row) {
    std::vector<command const*> shown;
    for (auto const& sub : row.subcommands)
        if (!sub.since_7_2 || c.server.options.emulate == emulation::redis_7_2) shown.push_back(&sub);
    return shown;
}

void reply_info(call& c, command const& row) {
    auto const range = range_of(row);
    c.reply.array(10);
    c.reply.bulk(full_name(row));
    c.reply.integer(row.arity);
    reply_names(c, row.flags & flag::shown, flag_names);
    c.reply.integer(range.first);
    c.reply.integer(range.last);
    c.reply.integer(range.step);
    reply_names(c, categories_of(row), category_names, "@");
    c.reply.set(count_tips(row));
    for (auto const tip : row.tips)
        if (!tip.empty()) c.reply.bulk(tip);
    std::size_t specs = 0;
    for (auto const& k : row.keys) specs += k.flags != 0;
    c.reply.set(specs);
    for (auto const& k : row.keys)
        if (k.flags) reply_key_spec(c, k);
    auto const subs = subcommands_of(c, row);
    c.reply.set(subs.size());
    for (auto const* sub : subs) reply_info(c, *sub);
}

// "get" or "client|id".
command const* find(call& c, std::string_view name) {
    auto const bar = name.find('|');
    auto const* row = c.server.commands.find(name.substr(0, bar));
    if (!row || bar == std::string_view::npos) return row;
    return command_table::find_subcommand(*row, name.substr(bar + 1), c.server.options.emulate);
}

// COMMAND
void command_all(call& c) {
    auto const all = c.server.commands.all();
    c.reply.array(all.size());
    for (auto const* row : all) reply_info(c, *row);
}

// COMMAND INFO [name ...]
void command_info(call& c) {
    if (c.size() == 2) return command_all(c);
    c.reply.array(c.size() - 2);
    for (auto const name : c.words.subspan(2)) {
        if (auto const* row = find(c, name))
            reply_info(c, *row);
        else
            c.reply.null();
    }
}

// COMMAND COUNT
void command_count(call& c) { c.reply.integer(static_cast<std::int64_t>(c.server.commands.all().size())); }

// COMMAND GETKEYS command [word ...], COMMAND GETKEYSANDFLAGS command [word ...]
void reply_keys(call& c, bool with_flags) {
    auto const words = c.words.subspan(2);
    auto const* row = c.server.commands.find(words[0]);
    if (row && !row->subcommands.empty() && words.size() > 1)
        row = command_table::find_subcommand(*row, words[1], c.server.options.emulate);
    if (!row) return c.reply.error("ERR Invalid command specified");
    if (!has_keys(*row)) return c.reply.error("ERR The command has no key arguments");
    if (!arity_fits(row->arity, words.size()))
        return c.reply.error("ERR Invalid number of arguments specified for command");
    auto const keys = keys_of(*row, words);
    if (!keys && !(row->flags & flag::no_mandatory_keys))
        return c.reply.error("ERR Invalid arguments specified for command");
    if (!keys) return c.reply.array(0);
    c.reply.array(keys->size());
    for (auto const& k : *keys) {
        if (with_flags) c.reply.array(2);
        c.reply.bulk(words[k.at]);
        if (with_flags) reply_names(c, k.flags, key_flag_names);
    }
}
void command_getkeys(call& c) { reply_keys(c, false); }
void command_getkeysandflags(call& c) { reply_keys(c, true); }

void reply_docs(call& c, command const& row) {
    auto const subs = subcommands_of(c, row);
    c.reply.bulk(full_name(row));
    c.reply.map(subs.empty() ? 3 : 4);
    c.reply.bulk("summary");
    c.reply.bulk(row.summary);
    c.reply.bulk("since");
    c.reply.bulk(row.since);
    c.reply.bulk("group");
    c.reply.bulk(row.group);
    if (subs.empty()) return;
    c.reply.bulk("subcommands");
    c.reply.map(subs.size());
    for (auto const* sub : subs) reply_docs(c, *sub);
}

// COMMAND DOCS [name ...]
void command_docs(call& c) {
    std::vector<command const*> found;
    if (c.size() == 2) {
        auto const all = c.server.commands.all();
        found.assign(all.begin(), all.end());
    }
    for (auto const name : c.words.subspan(2))
        if (auto const* row = find(c, name)) found.push_back(row);
    c.reply.map(found.size());
    for (auto const* row : found) reply_docs(c, *row);
}

// COMMAND LIST [FILTERBY MODULE name | ACLCAT category | PATTERN pattern]
void command_list(call& c) {
    bool const filtered = c.size() == 5 && is_word(c[2], "filterby");
    bool const by_module = filtered && is_word(c[3], "module");
    bool const by_category = filtered && is_word(c[3], "aclcat");
    bool const by_pattern = filtered && is_word(c[3], "pattern");
    if (c.size() > 2 && !by_module && !by_category && !by_pattern) return c.reply.error(errors::syntax);

    std::uint32_t wanted = 0;
    if (by_category)
        for (std::size_t i = 0; i < std::size(category_names); ++i)
            if (is_word(c[4], category_names[i])) wanted = 1u << i;
    auto const pattern = by_pattern ? lower_case(c[4]) : std::string();
    std::vector<std::string> names;
    auto const consider = [&](command const& row) {
        if (by_module || (by_category && !(categories_of(row) & wanted))) return;
        auto name = full_name(row);
        if (by_pattern && !glob_match(pattern, name)) return;
        names.push_back(std::move(name));
    };
    for (auto const* row : c.server.commands.all()) {
        consider(*row);
        for (auto const* sub : subcommands_of(c, *row)) consider(*sub);
    }
    c.reply.array(names.size());
    for (auto const& name : names) c.reply.bulk(name);
}

constexpr command sub(std::string_view name, int arity, void (*run)(call&), std::string_view since,
                      std::string_view summary, std::string_view tip = {}) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flag::loading | flag::stale,
                   .categories = category::connection,
                   .run = run,
                   .tips = {tip},
                   .since = since,
                   .group = "server",
                   .summary = summary,
                   .container = "command"};
}

constexpr std::string_view unordered = "nondeterministic_output_order";

constexpr command sub_rows[] = {
    sub("count", 2, command_count, "2.8.13", "Counts the commands"),
    sub("docs", -2, command_docs, "7.0.0", "Describes commands in words", unordered),
    sub("getkeys", -4, command_getkeys, "2.8.13", "Tells which words of a call are keys"),
    sub("getkeysandflags", -4, command_getkeysandflags, "7.0.0",
        "Tells which words of a call are keys and what happens to them"),
    sub("info", -2, command_info, "2.8.13", "Describes commands for programs", unordered),
    sub("list", -2, command_list, "7.0.0", "Lists the names of commands", unordered),
    sub("help", 2, container_help, "5.0.0", "Lists the subcommands"),
};

constexpr command rows[] = {
    {.name = "command",
     .arity = -1,
     .flags = flag::loading | flag::stale,
     .categories = category::connection,
     .run = command_all,
     .subcommands = sub_rows,
     .tips = {unordered},
     .since = "2.8.13",
     .group = "server",
     .summary = "Everything about commands"},
};

}  // namespace

std::span<command const> introspection_commands() { return rows; }

}  // namespace respkit
