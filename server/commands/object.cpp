// How values are kept: OBJECT, MEMORY.
#include <limits>
#include <malloc.h>
#include <string>

#include <respkit/resp/number.hpp>
#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/values/hash.hpp>
#include <respkit/server/values/list.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>
#include <respkit/server/values/stream.hpp>

namespace respkit {
namespace {

constexpr std::string_view no_frequency =
    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when "
    "switching between policies at runtime LRU and LFU data will take some time to adjust.";
constexpr std::string_view no_idle_time =
    "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between "
    "policies at runtime LRU and LFU data will take some time to adjust.";
constexpr std::string_view not_counted = "ERR this server does not count how often keys are used";  // ours

// The integer that Redis would keep in the place of a string's bytes.
std::optional<std::int64_t> kept_as_integer(record const& r) {
    bool const possible = r.form() == string_form::automatic || r.form() == string_form::unshared;
    return possible ? resp::parse_integer(r.text()) : std::nullopt;
}

std::string_view encoding_of(record const& r) {
    constexpr std::size_t longest_embedded = 44;  // with its header in one piece of 64 bytes
    switch (r.type()) {
        case kind::string:
            if (kept_as_integer(r)) return "int";
            return r.form() == string_form::raw || r.text().size() > longest_embedded ? "raw" : "embstr";
        case kind::list:
            return "quicklist";
        case kind::set:
            return r.object<set_value>()->compact() ? "intset" : "hashtable";
        case kind::hash:
            return r.object<hash_value>()->compact() ? "listpack" : "hashtable";
        case kind::sorted_set:
            return r.object<sorted_set>()->compact() ? "listpack" : "skiplist";
        case kind::stream:
            return "stream";
    }
    return "unknown";
}

bool policy_is(call& c, std::string_view end) {
    return c.server.config.get("maxmemory-policy").ends_with(end);
}

// What is under words[2], not counted as a use; if nothing, says so to the client.
record const* look_at(call& c) {
    auto const* r = c.db.peek(c[2]);
    auto& counts = *c.db.shared().counts;
    ++(r ? counts.keyspace_hits : counts.keyspace_misses);
    if (!r) c.reply.null();
    return r;
}

// OBJECT ENCODING key
void object_encoding(call& c) {
    if (auto const* r = look_at(c)) c.reply.bulk(encoding_of(*r));
}

// OBJECT REFCOUNT key: Redis keeps one copy of each integer below 10,000, unless it has to tell which of the
// keys that share it was used last.
void object_refcount(call& c) {
    auto const* r = look_at(c);
    if (!r) return;
    bool const evicts_by_use =
        c.server.config.number("maxmemory") != 0 && (policy_is(c, "-lru") || policy_is(c, "-lfu"));
    auto const n = r->type() == kind::string && r->form() == string_form::automatic && !evicts_by_use
                       ? kept_as_integer(*r)
                       : std::nullopt;
    c.reply.integer(n && *n >= 0 && *n < 10000 ? std::numeric_limits<int>::max() : 1);
}

// OBJECT IDLETIME key
void object_idletime(call& c) {
    auto const* r = look_at(c);
    if (!r) return;
    if (policy_is(c, "-lfu")) return c.reply.error(no_idle_time);
    c.reply.integer(r->idle(c.db.shared().second()));
}

// OBJECT FREQ key
void object_freq(call& c) {
    if (look_at(c)) c.reply.error(policy_is(c, "-lfu") ? not_counted : no_frequency);
}

// Bytes of all elements, from the first `samples` of a scan; size_of(parts of an element) is the size of one.
template <class Container, class Size>
std::size_t estimate(Container const& all, std::uint64_t samples, Size&& size_of) {
    std::size_t seen = 0, bytes = 0;
    std::uint64_t cursor = 0;
    do {
        cursor = all.scan(cursor, [&](auto const&... parts) {
            ++seen;
            bytes += size_of(parts...);
        });
    } while (cursor != 0 && seen < samples);
    return seen ? sizeof all + bytes * all.size() / seen : sizeof all;
}

std::size_t bytes_of(record const& r, std::uint64_t samples) {
    constexpr std::size_t node = 16 + sizeof(void*);  // a table's node and bucket, beside what it holds
    switch (r.type()) {
        case kind::string:
            break;
        case kind::list:
            return r.footprint() + sizeof(list_value) + r.object<list_value>()->footprint();
        case kind::set: {
            auto const& set = *r.object<set_value>();
            return r.footprint() + estimate(set, samples, [&](std::string_view member) {
                       return set.compact() ? sizeof(std::int64_t) : node + member.size();
                   });
        }
        case kind::hash: {
            auto const& hash = *r.object<hash_value>();
            return r.footprint() +
                   estimate(hash, samples, [&](std::string_view field, std::string_view value) {
                       return (hash.compact() ? 2 : node + 8) + field.size() + value.size();
                   });
        }
        case kind::sorted_set: {
            auto const& set = *r.object<sorted_set>();
            constexpr std::size_t in_order =
                sizeof(double) + 2 * sizeof(void*) + 16;  // and its place in a leaf
            return r.footprint() + estimate(set, samples, [&](std::string_view member, double) {
                       return (set.compact() ? sizeof(double) + 2 : node + in_order) + member.size();
                   });
        }
        case kind::stream:
            return r.footprint() + sizeof(stream_value) + r.object<stream_value>()->footprint();
    }
    return r.footprint();
}

// MEMORY USAGE key [SAMPLES count]
void memory_usage(call& c) {
    std::uint64_t samples = 5;
    for (std::size_t i = 3; i < c.size(); i += 2) {
        if (!is_word(c[i], "samples") || i + 1 == c.size()) return c.reply.error(errors::syntax);
        auto const n = c.integer(i + 1);
        if (!n) return;
        if (*n < 0) return c.reply.error(errors::syntax);
        samples = *n == 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(*n);
    }
    if (auto const* r = c.db.peek(c[2]))
        c.reply.integer(static_cast<std::int64_t>(bytes_of(*r, samples)));
    else
        c.reply.null();
}

// MEMORY PURGE
void memory_purge(call& c) {
    malloc_trim(0);
    c.reply.ok();
}

// MEMORY MALLOC-STATS: what Redis answers where it does not have jemalloc
void memory_malloc_stats(call& c) { c.reply.bulk("Stats not supported for the current allocator"); }

// MEMORY DOCTOR
void memory_doctor(call& c) {
    c.reply.verbatim("txt",
                     "This server takes what it needs and frees what it does not: nothing to treat.\n");
}

// MEMORY STATS: the figures of Redis' that mean something here
void memory_stats(call& c) {
    auto const heap = mallinfo2();
    auto const bytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
    std::int64_t keys = 0;
    for (auto const& db : c.server.databases) keys += static_cast<std::int64_t>(db->size());
    std::pair<std::string_view, std::int64_t> const figures[] = {
        {"peak.allocated", bytes},      {"total.allocated", bytes},
        {"keys.count", keys},           {"keys.bytes-per-key", keys ? bytes / keys : 0},
        {"allocator.allocated", bytes},
    };
    c.reply.map(std::size(figures));
    for (auto const& [name, value] : figures) {
        c.reply.bulk(name);
        c.reply.integer(value);
    }
}

constexpr command sub(std::string_view container, std::string_view name, int arity, std::uint32_t flags,
                      void (*run)(call&), std::string_view since, std::string_view summary) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags,
                   .run = run,
                   .since = since,
                   .group = container == "object" ? "generic" : "server",
                   .summary = summary,
                   .container = container};
}

constexpr command object_sub(std::string_view name, void (*run)(call&), std::string_view since,
                             std::string_view summary) {
    auto row = sub("object", name, 3, flag::readonly, run, since, summary);
    row.categories = category::keyspace;
    row.keys[0] = key::from(2, key::looks_at);
    row.tips[0] = "nondeterministic_output";
    return row;
}

constexpr command object_help() {
    auto row = sub("object", "help", 2, flag::loading | flag::stale, container_help, "6.2.0",
                   "Lists the subcommands");
    row.categories = category::keyspace;
    return row;
}

constexpr command object_rows[] = {
    object_sub("encoding", object_encoding, "2.2.3", "Tells how Redis would keep the value of a key"),
    object_sub("freq", object_freq, "4.0.0", "Tells how often a key is used"),
    object_sub("idletime", object_idletime, "2.2.3",
               "Tells how many seconds ago a command last used the value of a key"),
    object_sub("refcount", object_refcount, "2.2.3",
               "Tells how many keys share a value, as far as Redis would count them"),
    object_help(),
};

constexpr command usage_row() {
    auto row = sub("memory", "usage", -3, flag::readonly, memory_usage, "4.0.0",
                   "Estimates the bytes that a key and its value take here");
    row.keys[0] = key::from(2, key::looks_at);
    return row;
}

constexpr command of_all_shards(command row, std::string_view response, bool random) {
    std::size_t i = 0;
    if (random) row.tips[i++] = "nondeterministic_output";
    row.tips[i++] = "request_policy:all_shards";
    row.tips[i] = response;
    return row;
}

constexpr command memory_rows[] = {
    of_all_shards(
        sub("memory", "doctor", 2, 0, memory_doctor, "4.0.0", "Says that there is nothing to treat"),
        "response_policy:special", true),
    of_all_shards(sub("memory", "stats", 2, 0, memory_stats, "4.0.0", "Tells how much memory is in use"),
                  "response_policy:special", true),
    of_all_shards(sub("memory", "malloc-stats", 2, 0, memory_malloc_stats, "4.0.0",
                      "Would describe the memory allocator"),
                  "response_policy:special", true),
    of_all_shards(sub("memory", "purge", 2, 0, memory_purge, "4.0.0",
                      "Gives memory that is not in use back to the system"),
                  "response_policy:all_succeeded", false),
    usage_row(),
    sub("memory", "help", 2, flag::loading | flag::stale, container_help, "4.0.0", "Lists the subcommands"),
};

constexpr command rows[] = {
    {.name = "object",
     .arity = -2,
     .subcommands = object_rows,
     .since = "2.2.3",
     .group = "generic",
     .summary = "How values are kept"},
    {.name = "memory",
     .arity = -2,
     .subcommands = memory_rows,
     .since = "4.0.0",
     .group = "server",
     .summary = "The memory that values take"},
};

}  // namespace

std::span<command const> object_commands() { return rows; }

}  // namespace respkit
