// Hashes.
#include <algorithm>
#include <initializer_list>

#include <respkit/server/command.hpp>
#include <respkit/server/values/hash.hpp>

namespace respkit {
namespace {

// HSET key field value [field value ...]
void hset(call& c) {
    if (c.size() % 2 == 1) return c.reply.error(errors::wrong_arity(c.row.name));

    auto hash = c.db.edit<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    if (!hash) hash.held = &c.db.create<hash_value>(c[1]);
    auto const& limits = c.db.shared().compact;
    std::int64_t fresh = 0;
    for (std::size_t i = 2; i < c.size(); i += 2)
        fresh += hash->set(c[i], c[i + 1], limits.hash_max_listpack_entries, limits.hash_max_listpack_value);
    c.changed(c[1], event::hash, "hset", c.size() / 2 - 1);
    c.reply.integer(fresh);
}

// HGET key field
void hget(call& c) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    if (!hash) return c.reply.null();
    auto const value = hash->get(c[2]);
    value ? c.reply.bulk(*value) : c.reply.null();
}

// HLEN key
void hlen(call& c) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(hash ? static_cast<std::int64_t>(hash->size()) : 0);
}

// HGETALL key
void hgetall(call& c) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    if (!hash) return c.reply.map(0);
    c.reply.map(hash->size());
    hash->for_each([&](std::string_view field, std::string_view value) {
        c.reply.bulk(field);
        c.reply.bulk(value);
    });
}

using namespace flag;

constexpr command make(std::string_view name, int arity, std::uint32_t flags,
                       std::initializer_list<key_spec> keys, void (*run)(call&),
                       std::initializer_list<std::string_view> tips, std::string_view since,
                       std::string_view summary) {
    command row{.name = name,
                .arity = arity,
                .flags = flags,
                .categories = category::hash,
                .run = run,
                .since = since,
                .group = "hash",
                .summary = summary};
    std::copy(keys.begin(), keys.end(), row.keys);
    std::copy(tips.begin(), tips.end(), row.tips);
    return row;
}

constexpr command rows[] = {
    make("hset", -4, write | denyoom | fast, {key::updates}, hset, {}, "2.0.0", "Sets fields of a hash"),
    make("hget", 3, readonly | fast, {key::reads}, hget, {}, "2.0.0", "Returns the value of a field"),
    make("hlen", 2, readonly | fast, {key::looks_at}, hlen, {}, "2.0.0", "Counts the fields of a hash"),
    make("hgetall", 2, readonly, {key::reads}, hgetall, {"nondeterministic_output_order"}, "2.0.0",
         "Returns all fields with their values"),
};

}  // namespace

std::span<command const> hash_commands() { return rows; }

}  // namespace respkit
