// Sorted sets: taking out the elements at one end, or waiting for some.
#include <algorithm>
#include <optional>

#include <respkit/server/arguments.hpp>
#include <respkit/server/blocking.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/scores.hpp>
#include <respkit/server/values/sorted_set.hpp>

namespace respkit {
namespace {

constexpr std::string_view no_keys = "ERR numkeys should be greater than 0";
constexpr std::string_view no_count = "ERR count should be greater than 0";

enum class end { lowest, highest };

// Takes `count` elements that are there out of the set under `key`, into a list that has been begun.
void take(call& c, std::string_view key, sorted_set& set, end from, std::uint64_t count, listing how) {
    c.notify(key, event::sorted_set, from == end::lowest ? "zpopmin" : "zpopmax");
    for (auto left = count; left; --left) {
        auto const taken = from == end::lowest ? set.first() : set.last();
        reply_element(c, taken, how);
        set.erase(taken);
    }
    c.touched(key, count);
    if (set.empty()) c.drop_empty(key);
}

void pop(call& c, end from) {
    if (c.size() > 3) return c.reply.error(errors::syntax);
    bool const counted = c.size() == 3;
    std::uint64_t most = 1;
    if (counted) {
        auto const n = integer_from(c, 2, 0);
        if (!n) return;
        most = *n;
    }

    auto const set = c.db.edit<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set || most == 0) return c.reply.array(0);
    auto const count = std::min(most, std::uint64_t{set->size()});
    auto const how = counted ? listing_for(c, true) : listing::flat;
    reply_size(c, count, how);
    take(c, c[1], *set, from, count, how);
}

// ZPOPMIN key [count]
void zpopmin(call& c) { pop(c, end::lowest); }

// ZPOPMAX key [count]
void zpopmax(call& c) { pop(c, end::highest); }

struct multi_pop {
    std::span<std::string_view const> keys;
    end from;
    std::uint64_t count = 1;
};

// numkeys key [key ...] MIN | MAX [COUNT count], from words[at] on.
std::optional<multi_pop> read_multi_pop(call& c, std::size_t at) {
    auto const keys = integer_from(c, at, 1, no_keys);
    if (!keys) return {};
    auto const fail = [&] {
        c.reply.error(errors::syntax);
        return std::nullopt;
    };
    if (*keys >= c.size() - at - 1) return fail();
    multi_pop asked{c.words.subspan(at + 1, *keys), end::lowest};
    at += *keys + 1;
    if (is_word(c[at], "max"))
        asked.from = end::highest;
    else if (!is_word(c[at], "min"))
        return fail();
    if (++at == c.size()) return asked;
    if (at + 1 == c.size() || !is_word(c[at], "count")) return fail();
    auto const count = integer_from(c, at + 1, 1, no_count);
    if (!count) return {};
    asked.count = *count;
    if (at + 2 != c.size()) return fail();
    return asked;
}

// These two answer from the set under one key, or complain of what is there; false if nothing is.

bool serve_some(call& c, std::string_view key, multi_pop const& asked) {
    auto const set = c.db.edit<sorted_set>(key);
    if (set.wrong_type) return c.reply.error(errors::wrong_type), true;
    if (!set) return false;
    auto const count = std::min(asked.count, std::uint64_t{set->size()});
    c.reply.array(2);
    c.reply.bulk(key);
    reply_size(c, count, listing::pairs);
    take(c, key, *set, asked.from, count, listing::pairs);
    return true;
}

template <end From>
bool serve_one(call& c, std::string_view key) {
    auto const set = c.db.edit<sorted_set>(key);
    if (set.wrong_type) return c.reply.error(errors::wrong_type), true;
    if (!set) return false;
    c.reply.array(3);
    c.reply.bulk(key);
    take(c, key, *set, From, 1, listing::flat);
    return true;
}

// ZMPOP numkeys key [key ...] MIN | MAX [COUNT count]
void zmpop(call& c) {
    auto const asked = read_multi_pop(c, 1);
    if (!asked) return;
    for (auto const key : asked->keys)
        if (serve_some(c, key, *asked)) return;
    c.reply.null_array();
}

// BZMPOP timeout numkeys key [key ...] MIN | MAX [COUNT count]
void bzmpop(call& c) {
    auto const asked = read_multi_pop(c, 2);
    if (!asked) return;
    auto const until = read_timeout(c, 1);
    if (!until) return;
    take_or_wait(c, asked->keys, kind::sorted_set, *until, [](call& again, std::string_view key) {
        return serve_some(again, key, *read_multi_pop(again, 2));
    });
}

// BZPOPMIN key [key ...] timeout; BZPOPMAX likewise
template <end From>
void bzpop(call& c) {
    auto const until = read_timeout(c, c.size() - 1);
    if (!until) return;
    take_or_wait(c, c.words.subspan(1, c.size() - 2), kind::sorted_set, *until, serve_one<From>);
}

using namespace flag;

constexpr key_spec all_but_the_last{.flags = key::takes.flags, .last = -2};

constexpr command rows[] = {
    sorted_set_row("zpopmin", -2, write | fast, {key::takes}, zpopmin, "5.0.0",
                   "Takes out the members with the lowest scores"),
    sorted_set_row("zpopmax", -2, write | fast, {key::takes}, zpopmax, "5.0.0",
                   "Takes out the members with the highest scores"),
    sorted_set_row("zmpop", -4, write | movablekeys, {key::counted(key::takes)}, zmpop, "7.0.0",
                   "Takes members off the first sorted set that has any"),
    sorted_set_row("bzpopmin", -3, write | noscript | blocking | fast, {all_but_the_last}, bzpop<end::lowest>,
                   "5.0.0", "Takes out the member with the lowest score, waits for one if there is none"),
    sorted_set_row("bzpopmax", -3, write | noscript | blocking | fast, {all_but_the_last},
                   bzpop<end::highest>, "5.0.0",
                   "Takes out the member with the highest score, waits for one if there is none"),
    sorted_set_row("bzmpop", -5, write | blocking | movablekeys, {key::from(2, key::counted(key::takes))},
                   bzmpop, "7.0.0", "Takes members off the first sorted set that has any, waits if none has"),
};

}  // namespace

std::span<command const> sorted_set_pop_commands() { return rows; }

}  // namespace respkit
