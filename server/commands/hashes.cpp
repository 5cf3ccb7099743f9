// Hashes.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/number.hpp>
#include <respkit/server/scan.hpp>
#include <respkit/server/values/hash.hpp>

namespace respkit {
namespace {

constexpr std::string_view value_not_integer = "ERR hash value is not an integer";
constexpr std::string_view value_not_float = "ERR hash value is not a float";
constexpr std::string_view step_not_finite = "ERR value is NaN or Infinity";
constexpr std::string_view out_of_range = "ERR value is out of range";
constexpr std::string_view count_out_of_range =
    "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807";

// Sets a field of the hash under words[1], which begins here if the key is not there; whether it is new.
bool put(call& c, slot<hash_value>& hash, std::string_view field, std::string_view value) {
    if (!hash) hash.held = &c.db.create<hash_value>(c[1]);
    auto const& limits = c.db.shared().compact;
    return hash->set(field, value, limits.hash_max_listpack_entries, limits.hash_max_listpack_value);
}

// reply(n) answers that n fields are new.
template <class Reply>
void set_all(call& c, Reply reply) {
    if (c.size() % 2 == 1) return c.reply.error(errors::wrong_arity(c.row.name));
    auto hash = c.db.edit<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    std::int64_t fresh = 0;
    for (std::size_t i = 2; i < c.size(); i += 2) fresh += put(c, hash, c[i], c[i + 1]);
    reply(fresh);
    c.changed(c[1], event::hash, "hset", c.size() / 2 - 1);
}

// HSET key field value [field value ...]
void hset(call& c) {
    set_all(c, [&](std::int64_t fresh) { c.reply.integer(fresh); });
}

// HMSET key field value [field value ...]
void hmset(call& c) {
    set_all(c, [&](std::int64_t) { c.reply.ok(); });
}

// HSETNX key field value
void hsetnx(call& c) {
    auto hash = c.db.edit<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    if (hash && hash->contains(c[2])) return c.reply.integer(0);
    put(c, hash, c[2], c[3]);
    c.reply.integer(1);
    c.changed(c[1], event::hash, "hset");
}

void reply_value(call& c, std::optional<std::string_view> value) {
    value ? c.reply.bulk(*value) : c.reply.null();
}

// HGET key field
void hget(call& c) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    if (!hash) return c.reply.null();
    reply_value(c, hash->get(c[2]));
}

// HMGET key field [field ...]
void hmget(call& c) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.array(c.size() - 2);
    for (auto const field : c.words.subspan(2)) reply_value(c, hash ? hash->get(field) : std::nullopt);
}

// HDEL key field [field ...]
void hdel(call& c) {
    auto const hash = c.db.edit<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    if (!hash) return c.reply.integer(0);
    std::uint64_t removed = 0;
    for (auto const field : c.words.subspan(2)) removed += hash->erase(field);
    if (removed) c.changed(c[1], event::hash, "hdel", removed);
    if (hash->empty()) c.drop_empty(c[1]);
    c.reply.integer(static_cast<std::int64_t>(removed));
}

// HEXISTS key field
void hexists(call& c) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(hash && hash->contains(c[2]));
}

// HLEN key
void hlen(call& c) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(hash ? static_cast<std::int64_t>(hash->size()) : 0);
}

// HSTRLEN key field
void hstrlen(call& c) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    auto const value = hash ? hash->get(c[2]) : std::nullopt;
    c.reply.integer(value ? static_cast<std::int64_t>(value->size()) : 0);
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

void reply_halves(call& c, std::string_view hash_value::pair::*half) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    if (!hash) return c.reply.array(0);
    c.reply.array(hash->size());
    hash->for_each([&](std::string_view field, std::string_view value) {
        c.reply.bulk(hash_value::pair{field, value}.*half);
    });
}

// HKEYS key
void hkeys(call& c) { reply_halves(c, &hash_value::pair::field); }

// HVALS key
void hvals(call& c) { reply_halves(c, &hash_value::pair::value); }

// HINCRBY key field step
void hincrby(call& c) {
    auto const step = c.integer(3);
    if (!step) return;
    auto hash = c.db.edit<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    auto const held = hash ? hash->get(c[2]) : std::nullopt;
    auto const old = held ? resp::parse_integer(*held) : 0;
    if (!old) return c.reply.error(value_not_integer);
    std::int64_t sum = 0;
    if (__builtin_add_overflow(*old, *step, &sum)) return c.reply.error(errors::overflow);

    char digits[resp::integer_digits];
    put(c, hash, c[2], {digits, static_cast<std::size_t>(resp::write_integer(digits, sum) - digits)});
    c.reply.integer(sum);
    c.changed(c[1], event::hash, "hincrby");
}

// HINCRBYFLOAT key field step
void hincrbyfloat(call& c) {
    auto const step = parse_long_double(c[3]);
    if (!step) return c.reply.error(errors::not_float);
    if (std::isinf(*step)) return c.reply.error(step_not_finite);
    auto hash = c.db.edit<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    auto const held = hash ? hash->get(c[2]) : std::nullopt;
    auto const old = held ? parse_long_double(*held) : 0.0L;
    if (!old) return c.reply.error(value_not_float);
    auto const sum = *old + *step;
    if (!std::isfinite(sum)) return c.reply.error(errors::not_finite);

    auto const digits = format_long_double(sum);
    put(c, hash, c[2], digits);
    c.reply.bulk(digits);
    c.changed(c[1], event::hash, "hincrbyfloat");
}

// What HRANDFIELD answers: fields, or fields with values, which are pairs of their own in RESP3.
class field_list {
public:
    field_list(call& c, bool with_values) : c_(c), with_values_(with_values) {}

    void begin(std::size_t fields) { c_.reply.array(with_values_ && !nested() ? 2 * fields : fields); }
    void add(hash_value::pair const& p) {
        if (with_values_ && nested()) c_.reply.array(2);
        c_.reply.bulk(p.field);
        if (with_values_) c_.reply.bulk(p.value);
    }

private:
    bool nested() const { return c_.reply.protocol() == resp::version::v3; }

    call& c_;
    bool with_values_;
};

// `count` fields, each chosen without regard to the others. Redis would answer any count until memory
// ends; here a client that asks for more than anybody could read is hung up on.
void reply_repeating(call& c, field_list list, hash_value const& hash, std::uint64_t count) {
    constexpr std::uint64_t most = std::uint64_t{10} << 20;
    if (count > most) {
        c.who.closing = session::ending::at_once;
        return;
    }
    list.begin(count);
    auto& any = c.db.shared().random;
    if (!hash.compact()) {
        for (; count; --count) list.add(hash.random(any));
        return;
    }
    // To find each one anew would mean to walk through half the hash.
    auto const all = hash.sample(any, hash.size());
    for (; count; --count) list.add(all[any.below(all.size())]);
}

void reply_random(call& c, std::int64_t count, bool with_values) {
    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    if (!hash) return c.reply.array(0);
    field_list list(c, with_values);
    if (count < 0) return reply_repeating(c, list, *hash, static_cast<std::uint64_t>(-count));
    auto const size = std::min(static_cast<std::uint64_t>(count), std::uint64_t{hash->size()});
    list.begin(size);
    for (auto const& pair : hash->sample(c.db.shared().random, size)) list.add(pair);
}

// HRANDFIELD key [count [WITHVALUES]]
void hrandfield(call& c) {
    if (c.size() == 2) {
        auto const hash = c.db.read<hash_value>(c[1]);
        if (hash.wrong_type) return c.reply.error(errors::wrong_type);
        if (!hash) return c.reply.null();
        return c.reply.bulk(hash->random(c.db.shared().random).field);
    }
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    auto const count = c.integer(2);
    if (!count) return;
    if (*count < -most) return c.reply.error(count_out_of_range);
    bool const with_values = c.size() == 4 && is_word(c[3], "withvalues");
    if (c.size() > 3 && !with_values) return c.reply.error(errors::syntax);
    if (with_values && (*count < -most / 2 || *count > most / 2)) return c.reply.error(out_of_range);
    reply_random(c, *count, with_values);
}

// HSCAN key cursor [MATCH pattern] [COUNT count]
void hscan(call& c) {
    auto const cursor = scan_cursor(c, 2);
    if (!cursor) return;

    auto const hash = c.db.read<hash_value>(c[1]);
    if (hash.wrong_type) return c.reply.error(errors::wrong_type);
    std::vector<hash_value::pair> found;
    std::uint64_t next = 0;
    if (hash) {
        auto const options = parse_scan_options(c, 3, false);
        if (!options) return;
        std::size_t seen = 0;
        auto const visit = [&](std::string_view field, std::string_view value) {
            ++seen;
            if (options->matches(field)) found.push_back({field, value});
        };
        next = scan_steps(
            *cursor, options->count, [&](std::uint64_t at) { return hash->scan(at, visit); },
            [&] { return seen; });
    }
    c.reply.array(2);
    char digits[20];
    auto const end = std::to_chars(digits, digits + sizeof digits, next).ptr;
    c.reply.bulk({digits, static_cast<std::size_t>(end - digits)});
    c.reply.array(2 * found.size());
    for (auto const& pair : found) {
        c.reply.bulk(pair.field);
        c.reply.bulk(pair.value);
    }
}

using namespace flag;

constexpr std::string_view unordered = "nondeterministic_output_order";
constexpr std::string_view random = "nondeterministic_output";

constexpr command make(std::string_view name, int arity, std::uint32_t flags, key_spec keys,
                       void (*run)(call&), std::string_view since, std::string_view summary,
                       std::string_view tip = {}) {
    return {.name = name,
            .arity = arity,
            .flags = flags,
            .categories = category::hash,
            .keys = {keys},
            .run = run,
            .tips = {tip},
            .since = since,
            .group = "hash",
            .summary = summary};
}

constexpr command rows[] = {
    make("hset", -4, write | denyoom | fast, key::updates, hset, "2.0.0", "Sets fields of a hash"),
    make("hmset", -4, write | denyoom | fast, key::updates, hmset, "2.0.0", "The old form of HSET"),
    make("hsetnx", 4, write | denyoom | fast, key::inserts, hsetnx, "2.0.0",
         "Sets a field only if it is not there"),
    make("hget", 3, readonly | fast, key::reads, hget, "2.0.0", "Returns the value of a field"),
    make("hmget", -3, readonly | fast, key::reads, hmget, "2.0.0", "Returns the values of many fields"),
    make("hdel", -3, write | fast, key::removes, hdel, "2.0.0", "Removes fields from a hash"),
    make("hexists", 3, readonly | fast, key::looks_at, hexists, "2.0.0", "Tells whether a hash has a field"),
    make("hlen", 2, readonly | fast, key::looks_at, hlen, "2.0.0", "Counts the fields of a hash"),
    make("hstrlen", 3, readonly | fast, key::looks_at, hstrlen, "3.2.0",
         "Returns the length of a field's value"),
    make("hkeys", 2, readonly, key::reads, hkeys, "2.0.0", "Returns all fields", unordered),
    make("hvals", 2, readonly, key::reads, hvals, "2.0.0", "Returns all values", unordered),
    make("hgetall", 2, readonly, key::reads, hgetall, "2.0.0", "Returns all fields with their values",
         unordered),
    make("hincrby", 4, write | denyoom | fast, key::exchanges, hincrby, "2.0.0",
         "Adds to the integer in a field"),
    make("hincrbyfloat", 4, write | denyoom | fast, key::exchanges, hincrbyfloat, "2.6.0",
         "Adds to the decimal number in a field"),
    make("hrandfield", -2, readonly, key::reads, hrandfield, "6.2.0", "Returns random fields of a hash",
         random),
    make("hscan", -3, readonly, key::reads, hscan, "2.8.0", "Walks through the fields of a hash", random),
};

}  // namespace

std::span<command const> hash_commands() { return rows; }

}  // namespace respkit
