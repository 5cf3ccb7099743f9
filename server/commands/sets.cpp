// Sets.
#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/family.hpp>
#include <respkit/server/scan.hpp>
#include <respkit/server/values/set.hpp>

namespace respkit {
namespace {

constexpr std::string_view no_keys = "ERR numkeys should be greater than 0";
constexpr std::string_view too_many_keys = "ERR Number of keys can't be greater than number of args";
constexpr std::string_view negative_limit = "ERR LIMIT can't be negative";
constexpr std::string_view count_out_of_range =
    "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807";

bool add(call& c, set_value& set, std::string_view member) {
    return set.add(member, c.db.shared().compact.set_max_intset_entries);
}

void reply_members(call& c, set_value const& set) {
    set.for_each([&](std::string_view member) { c.reply.bulk(member); });
}

// SADD key member [member ...]
void sadd(call& c) {
    auto set = c.db.edit<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) set.held = &c.db.create<set_value>(c[1]);
    std::int64_t fresh = 0;
    for (auto const member : c.words.subspan(2)) fresh += add(c, *set, member);
    if (fresh) c.changed(c[1], event::set, "sadd", static_cast<std::uint64_t>(fresh));
    c.reply.integer(fresh);
}

// SREM key member [member ...]
void srem(call& c) {
    auto const set = c.db.edit<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.integer(0);
    std::int64_t removed = 0;
    for (auto const member : c.words.subspan(2)) removed += set->remove(member);
    if (removed) c.changed(c[1], event::set, "srem", static_cast<std::uint64_t>(removed));
    if (set->empty()) c.drop_empty(c[1]);
    c.reply.integer(removed);
}

// SISMEMBER key member
void sismember(call& c) {
    auto const set = c.db.read<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(set && set->contains(c[2]));
}

// SMISMEMBER key member [member ...]
void smismember(call& c) {
    auto const set = c.db.read<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.array(c.size() - 2);
    for (auto const member : c.words.subspan(2)) c.reply.integer(set && set->contains(member));
}

// SMEMBERS key
void smembers(call& c) {
    auto const set = c.db.read<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.set(0);
    c.reply.set(set->size());
    reply_members(c, *set);
}

// SCARD key
void scard(call& c) {
    auto const set = c.db.read<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(set ? static_cast<std::int64_t>(set->size()) : 0);
}

// SPOP with a count that leaves some.
void pop_some(call& c, set_value& set, std::size_t count) {
    auto& any = c.db.shared().random;
    auto const left = set.size() - count;
    c.reply.set(count);
    if (left > count / 5) {
        for (; count; --count) set.pop(any, [&](std::string_view member) { c.reply.bulk(member); });
        return;
    }
    // Fewer stay than go: choose those that stay. They make a new set, which may be one of integers again.
    set_value staying(c.db.shared().seed);
    set.sample(any, left, [&](std::string_view member) { add(c, staying, member); });
    set.for_each([&](std::string_view member) {
        if (!staying.contains(member)) c.reply.bulk(member);
    });
    set = std::move(staying);
}

// SPOP key [count]
void spop(call& c) {
    if (c.size() > 3) return c.reply.error(errors::syntax);
    bool const counted = c.size() == 3;
    std::uint64_t count = 1;
    if (counted) {
        auto const n = integer_from(c, 2, 0);
        if (!n) return;
        count = *n;
    }

    auto const set = c.db.edit<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return counted ? c.reply.set(0) : c.reply.null();
    if (count == 0) return c.reply.set(0);
    auto const size = set->size();
    c.notify(c[1], event::set, "spop");
    if (!counted) {
        set->pop(c.db.shared().random, [&](std::string_view member) { c.reply.bulk(member); });
    } else if (count < size) {
        pop_some(c, *set, count);
    } else {
        c.reply.set(size);
        reply_members(c, *c.db.read<set_value>(c[1]));  // Redis counts this as a read, and only this
    }
    if (count >= size) c.drop_empty(c[1]);
    c.touched(c[1], std::min(count, std::uint64_t{size}));
}

// `count` members, each chosen without regard to the others. Redis would answer any count until memory
// ends; here a client that asks for more than anybody could read is hung up on.
void reply_repeating(call& c, set_value const& set, std::uint64_t count) {
    constexpr std::uint64_t most = std::uint64_t{10} << 20;
    if (count > most) {
        c.who.closing = session::ending::at_once;
        return;
    }
    c.reply.array(count);
    for (; count; --count)
        set.pick(c.db.shared().random, [&](std::string_view member) { c.reply.bulk(member); });
}

// SRANDMEMBER key [count]
void srandmember(call& c) {
    if (c.size() > 3) return c.reply.error(errors::syntax);
    bool const counted = c.size() == 3;
    std::int64_t count = 1;
    if (counted) {
        auto const n = c.integer(2);
        if (!n) return;
        if (*n == std::numeric_limits<std::int64_t>::min()) return c.reply.error(count_out_of_range);
        count = *n;
    }

    auto const set = c.db.read<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return counted ? c.reply.array(0) : c.reply.null();
    auto const reply = [&](std::string_view member) { c.reply.bulk(member); };
    auto& any = c.db.shared().random;
    if (!counted) return set->pick(any, reply);
    if (count < 0) return reply_repeating(c, *set, static_cast<std::uint64_t>(-count));
    if (static_cast<std::uint64_t>(count) >= set->size()) {
        c.reply.array(set->size());
        return reply_members(c, *set);
    }
    c.reply.array(static_cast<std::size_t>(count));
    set->sample(any, static_cast<std::size_t>(count), reply);
}

// SMOVE source destination member
void smove(call& c) {
    auto const source = c.db.edit<set_value>(c[1]);
    auto target = c.db.edit<set_value>(c[2]);
    if (!source && !source.wrong_type) return c.reply.integer(0);
    if (source.wrong_type || target.wrong_type) return c.reply.error(errors::wrong_type);
    if (source.held == target.held) return c.reply.integer(source->contains(c[3]));
    if (!source->remove(c[3])) return c.reply.integer(0);
    c.notify(c[1], event::set, "srem");
    if (source->empty()) c.drop_empty(c[1]);
    if (!target) target.held = &c.db.create<set_value>(c[2]);
    c.touched(c[1]);
    if (add(c, *target, c[3])) c.changed(c[2], event::set, "sadd");
    c.reply.integer(1);
}

// The sets under `count` keys from words[first] on, null for a key that is not there. None if one holds
// something else, which the client has then been told.
std::optional<std::vector<set_value*>> read_sets(call& c, std::size_t first, std::size_t count) {
    std::vector<set_value*> sets;
    for (auto const key : c.words.subspan(first, count)) {
        auto const set = c.db.read<set_value>(key);
        if (set.wrong_type) {
            c.reply.error(errors::wrong_type);
            return {};
        }
        sets.push_back(set.held);
    }
    return sets;
}

// f(member) for what is in all of the sets until it returns false, in the order of the smallest.
template <class F>
void for_each_common(std::vector<set_value*> sets, F&& f) {
    if (std::find(sets.begin(), sets.end(), nullptr) != sets.end()) return;
    std::stable_sort(sets.begin(), sets.end(), [](auto* a, auto* b) { return a->size() < b->size(); });
    // The same set may have been named twice; it must not be asked while it is being walked.
    sets.erase(std::remove(sets.begin() + 1, sets.end(), sets.front()), sets.end());
    bool more = true;
    sets.front()->for_each([&](std::string_view member) {
        if (!more) return;
        for (std::size_t i = 1; i < sets.size(); ++i)
            if (!sets[i]->contains(member)) return;
        more = f(member);
    });
}

set_value intersect(call& c, std::vector<set_value*> const& sets) {
    set_value common(c.db.shared().seed);
    for_each_common(sets, [&](std::string_view member) {
        add(c, common, member);
        return true;
    });
    return common;
}

set_value unite(call& c, std::vector<set_value*> const& sets) {
    set_value all(c.db.shared().seed);
    for (auto const* set : sets)
        if (set) set->for_each([&](std::string_view member) { add(c, all, member); });
    return all;
}

set_value subtract(call& c, std::vector<set_value*> const& sets) {
    set_value rest(c.db.shared().seed);
    if (!sets[0] || std::count(sets.begin(), sets.end(), sets[0]) > 1) return rest;
    sets[0]->for_each([&](std::string_view member) {
        for (std::size_t i = 1; i < sets.size(); ++i)
            if (sets[i] && sets[i]->contains(member)) return;
        add(c, rest, member);
    });
    return rest;
}

using operation = set_value (*)(call&, std::vector<set_value*> const&);

void reply_result(call& c, operation combine) {
    auto const sets = read_sets(c, 1, c.size() - 1);
    if (!sets) return;
    auto const result = combine(c, *sets);
    c.reply.set(result.size());
    reply_members(c, result);
}

void store_result(call& c, operation combine) {
    auto const sets = read_sets(c, 2, c.size() - 2);
    if (!sets) return;
    auto result = combine(c, *sets);
    auto const size = static_cast<std::int64_t>(result.size());
    if (size) {
        c.db.overwrite<set_value>(c[1]) = std::move(result);
        c.reply.integer(size);
        return c.changed(c[1], event::set, c.row.name);
    }
    // Where SINTERSTORE has a source that is not there, Redis answers last.
    bool const answers_last =
        combine == intersect && std::find(sets->begin(), sets->end(), nullptr) != sets->end();
    if (!answers_last) c.reply.integer(0);
    if (c.db.erase(c[1])) c.changed(c[1], event::generic, "del");
    if (answers_last) c.reply.integer(0);
}

// SINTER key [key ...]
void sinter(call& c) { reply_result(c, intersect); }

// SUNION key [key ...]
void sunion(call& c) { reply_result(c, unite); }

// SDIFF key [key ...]
void sdiff(call& c) { reply_result(c, subtract); }

// SINTERSTORE destination key [key ...]
void sinterstore(call& c) { store_result(c, intersect); }

// SUNIONSTORE destination key [key ...]
void sunionstore(call& c) { store_result(c, unite); }

// SDIFFSTORE destination key [key ...]
void sdiffstore(call& c) { store_result(c, subtract); }

// SINTERCARD numkeys key [key ...] [LIMIT limit]
void sintercard(call& c) {
    auto const keys = integer_from(c, 1, 1, no_keys);
    if (!keys) return;
    if (*keys > c.size() - 2) return c.reply.error(too_many_keys);
    std::uint64_t limit = 0;
    for (auto i = 2 + *keys; i < c.size(); i += 2) {
        if (i + 1 == c.size() || !is_word(c[i], "limit")) return c.reply.error(errors::syntax);
        auto const n = integer_from(c, i + 1, 0, negative_limit);
        if (!n) return;
        limit = *n;
    }

    auto const sets = read_sets(c, 2, *keys);
    if (!sets) return;
    std::uint64_t found = 0;
    for_each_common(*sets, [&](std::string_view) { return ++found != limit; });
    c.reply.integer(static_cast<std::int64_t>(found));
}

// SSCAN key cursor [MATCH pattern] [COUNT count]
void sscan(call& c) {
    auto const cursor = scan_cursor(c, 2);
    if (!cursor) return;

    auto const set = c.db.read<set_value>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    std::vector<std::string> found;
    std::uint64_t next = 0;
    if (set) {
        auto const options = parse_scan_options(c, 3, false);
        if (!options) return;
        std::size_t seen = 0;
        auto const visit = [&](std::string_view member) {
            ++seen;
            if (options->matches(member)) found.emplace_back(member);
        };
        next = scan_steps(
            *cursor, options->count, [&](std::uint64_t at) { return set->scan(at, visit); },
            [&] { return seen; });
    }
    c.reply.array(2);
    char digits[20];
    auto const end = std::to_chars(digits, digits + sizeof digits, next).ptr;
    c.reply.bulk({digits, static_cast<std::size_t>(end - digits)});
    c.reply.array(found.size());
    for (auto const& member : found) c.reply.bulk(member);
}

using namespace flag;

constexpr std::string_view unordered = "nondeterministic_output_order";
constexpr std::string_view random = "nondeterministic_output";

constexpr family make{category::set, "set"};

constexpr command rows[] = {
    make("sadd", -3, write | denyoom | fast, {key::inserts}, sadd, {}, "1.0.0", "Adds members to a set"),
    make("srem", -3, write | fast, {key::removes}, srem, {}, "1.0.0", "Removes members from a set"),
    make("sismember", 3, readonly | fast, {key::looks_at}, sismember, {}, "1.0.0",
         "Tells whether a value is a member"),
    make("smismember", -3, readonly | fast, {key::reads}, smismember, {}, "6.2.0",
         "Tells of many values whether they are members"),
    make("smembers", 2, readonly, {key::reads}, smembers, {unordered}, "1.0.0",
         "Returns all members of a set"),
    make("scard", 2, readonly | fast, {key::looks_at}, scard, {}, "1.0.0", "Counts the members of a set"),
    make("spop", -2, write | fast, {key::takes}, spop, {random}, "1.0.0",
         "Takes random members out of a set"),
    make("srandmember", -2, readonly, {key::reads}, srandmember, {random}, "1.0.0",
         "Returns random members of a set"),
    make("smove", 4, write | fast, {key::takes, key::from(2, key::inserts)}, smove, {}, "1.0.0",
         "Moves a member to another set"),
    make("sinter", -2, readonly, {key::all(key::reads)}, sinter, {unordered}, "1.0.0",
         "Returns what is in all of the sets"),
    make("sintercard", -3, readonly | movablekeys, {key::counted(key::reads)}, sintercard, {}, "7.0.0",
         "Counts what is in all of the sets"),
    make("sinterstore", -3, write | denyoom, {key::updates, key::from(2, key::all(key::reads))}, sinterstore,
         {}, "1.0.0", "Stores what is in all of the sets"),
    make("sunion", -2, readonly, {key::all(key::reads)}, sunion, {unordered}, "1.0.0",
         "Returns what is in any of the sets"),
    make("sunionstore", -3, write | denyoom, {key::overwrites, key::from(2, key::all(key::reads))},
         sunionstore, {}, "1.0.0", "Stores what is in any of the sets"),
    make("sdiff", -2, readonly, {key::all(key::reads)}, sdiff, {unordered}, "1.0.0",
         "Returns what is in the first set and in no other"),
    make("sdiffstore", -3, write | denyoom, {key::overwrites, key::from(2, key::all(key::reads))}, sdiffstore,
         {}, "1.0.0", "Stores what is in the first set and in no other"),
    make("sscan", -3, readonly, {key::reads}, sscan, {random}, "2.8.0", "Walks through the members of a set"),
};

}  // namespace

std::span<command const> set_commands() { return rows; }

}  // namespace respkit
