// Lists, one at a time.
#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/family.hpp>
#include <respkit/server/list_ends.hpp>
#include <respkit/server/values/list.hpp>

namespace respkit {
namespace {

constexpr std::string_view rank_is_zero =
    "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to "
    "start from the end of the list";
constexpr std::string_view negative_count = "ERR COUNT can't be negative";
constexpr std::string_view negative_maxlen = "ERR MAXLEN can't be negative";

// Also of the one integer that has no positive counterpart.
std::uint64_t magnitude(std::int64_t n) {
    auto const bits = static_cast<std::uint64_t>(n);
    return n < 0 ? 0 - bits : bits;
}

void push_all(call& c, side end, bool create) {
    auto list = c.db.edit<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list && !create) return c.reply.integer(0);
    if (!list) list.held = &c.db.create<list_value>(c[1]);
    for (auto const value : c.words.subspan(2)) push(*list, end, value);
    c.reply.integer(static_cast<std::int64_t>(list->size()));
    report_push(c, c[1], end, c.size() - 2);
}

// LPUSH key element [element ...]
void lpush(call& c) { push_all(c, side::left, true); }

// RPUSH key element [element ...]
void rpush(call& c) { push_all(c, side::right, true); }

// LPUSHX key element [element ...]
void lpushx(call& c) { push_all(c, side::left, false); }

// RPUSHX key element [element ...]
void rpushx(call& c) { push_all(c, side::right, false); }

void pop(call& c, side end) {
    if (c.size() > 3) return c.reply.error(errors::wrong_arity(c.row.name));
    bool const counted = c.size() == 3;
    std::uint64_t most = 1;
    if (counted) {
        auto const n = integer_from(c, 2, 0);
        if (!n) return;
        most = *n;
    }

    auto list = c.db.edit<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list) return counted ? c.reply.null_array() : c.reply.null();
    if (most == 0) return c.reply.array(0);
    if (counted) return reply_and_take(c, c[1], *list, end, std::min(most, std::uint64_t{list->size()}));
    c.reply.bulk(end == side::left ? list->front() : list->back());
    take(c, c[1], *list, end, 1);
}

// LPOP key [count]
void lpop(call& c) { pop(c, side::left); }

// RPOP key [count]
void rpop(call& c) { pop(c, side::right); }

// LLEN key
void llen(call& c) {
    auto const list = c.db.read<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(list ? static_cast<std::int64_t>(list->size()) : 0);
}

// LRANGE key start stop
void lrange(call& c) {
    auto const start = c.integer(2);
    if (!start) return;
    auto const stop = c.integer(3);
    if (!stop) return;

    auto const list = c.db.read<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list) return c.reply.array(0);
    auto const range = index_range(*start, *stop, list->size());
    c.reply.array(range.count);
    auto e = list->at(range.first);
    for (auto left = range.count; left; --left, e.next()) c.reply.bulk(*e);
}

// The element that an index, perhaps counted from the end, means; none if it lies outside.
list_value::cursor element_at(list_value const& list, std::int64_t index) {
    auto const size = static_cast<std::int64_t>(list.size());
    if (index < 0) index += size;
    return list.at(static_cast<std::size_t>(index < 0 ? size : index));
}

// LINDEX key index
void lindex(call& c) {
    auto const list = c.db.read<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list) return c.reply.null();
    auto const index = c.integer(2);
    if (!index) return;
    auto const e = element_at(*list, *index);
    e ? c.reply.bulk(*e) : c.reply.null();
}

// LSET key index element
void lset(call& c) {
    auto const list = c.db.edit<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list) return c.reply.error(errors::no_such_key);
    auto const index = c.integer(2);
    if (!index) return;
    auto const e = element_at(*list, *index);
    if (!e) return c.reply.error(errors::index_out_of_range);
    list->set(e, c[3]);
    c.reply.ok();
    c.changed(c[1], event::list, "lset");
}

// LINSERT key BEFORE | AFTER pivot element
void linsert(call& c) {
    bool const after = is_word(c[2], "after");
    if (!after && !is_word(c[2], "before")) return c.reply.error(errors::syntax);

    auto const list = c.db.edit<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list) return c.reply.integer(0);
    auto pivot = list->first();
    while (pivot && *pivot != c[3]) pivot.next();
    if (!pivot) return c.reply.integer(-1);
    after ? list->insert_after(pivot, c[4]) : list->insert_before(pivot, c[4]);
    c.changed(c[1], event::list, "linsert");
    c.reply.integer(static_cast<std::int64_t>(list->size()));
}

// LREM key count element
void lrem(call& c) {
    auto const count = c.integer(2);
    if (!count) return;

    auto const list = c.db.edit<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list) return c.reply.integer(0);
    auto const most = *count == 0 ? list->size() : magnitude(*count);
    auto const removed = list->remove(c[3], most, *count < 0);
    if (removed) c.changed(c[1], event::list, "lrem", removed);
    if (list->empty()) c.drop_empty(c[1]);
    c.reply.integer(static_cast<std::int64_t>(removed));
}

// LTRIM key start stop
void ltrim(call& c) {
    auto const start = c.integer(2);
    if (!start) return;
    auto const stop = c.integer(3);
    if (!stop) return;

    auto const list = c.db.edit<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list) return c.reply.ok();
    auto const size = list->size();
    auto const kept = index_range(*start, *stop, size);
    list->remove_back(size - kept.first - kept.count);
    list->remove_front(kept.first);
    c.notify(c[1], event::list, "ltrim");
    if (list->empty()) c.drop_empty(c[1]);
    c.touched(c[1], size - kept.count);
    c.reply.ok();
}

struct position_options {
    std::int64_t rank = 1;
    std::optional<std::uint64_t> count;  // 0: all
    std::uint64_t longest = 0;           // elements to look at, 0: all
};

std::optional<position_options> parse_position_options(call& c) {
    position_options o;
    for (std::size_t i = 3; i < c.size(); i += 2) {
        bool const has_value = i + 1 < c.size();
        if (has_value && is_word(c[i], "rank")) {
            auto const n = c.integer(i + 1);
            if (!n) return {};
            if (*n == 0) {
                c.reply.error(rank_is_zero);
                return {};
            }
            o.rank = *n;
        } else if (has_value && is_word(c[i], "count")) {
            o.count = integer_from(c, i + 1, 0, negative_count);
            if (!o.count) return {};
        } else if (has_value && is_word(c[i], "maxlen")) {
            auto const n = integer_from(c, i + 1, 0, negative_maxlen);
            if (!n) return {};
            o.longest = *n;
        } else {
            c.reply.error(errors::syntax);
            return {};
        }
    }
    return o;
}

// LPOS key element [RANK rank] [COUNT matches] [MAXLEN length]
void lpos(call& c) {
    auto const options = parse_position_options(c);
    if (!options) return;

    auto const list = c.db.read<list_value>(c[1]);
    if (list.wrong_type) return c.reply.error(errors::wrong_type);
    if (!list) return options->count ? c.reply.array(0) : c.reply.null();
    bool const backwards = options->rank < 0;
    auto skip = magnitude(options->rank) - 1;
    auto wanted = options->count.value_or(1);
    if (options->rank == std::numeric_limits<std::int64_t>::min()) {  // overflows in Redis, to this effect
        skip = 0;
        if (options->count) wanted = 0;
    }
    std::vector<std::size_t> found;
    auto e = backwards ? list->last() : list->first();
    for (std::size_t i = 0; e && (options->longest == 0 || i < options->longest); ++i) {
        if (*e == c[2] && !(skip && skip--)) {
            found.push_back(backwards ? list->size() - 1 - i : i);
            if (wanted && found.size() == wanted) break;
        }
        backwards ? e.previous() : e.next();
    }
    if (options->count)
        c.reply.array(found.size());
    else if (found.empty())
        return c.reply.null();
    for (auto const index : found) c.reply.integer(static_cast<std::int64_t>(index));
}

using namespace flag;

constexpr family make{category::list, "list"};

constexpr command rows[] = {
    make("lpush", -3, write | denyoom | fast, {key::inserts}, lpush, "1.0.0",
         "Puts elements in front of a list"),
    make("rpush", -3, write | denyoom | fast, {key::inserts}, rpush, "1.0.0", "Appends elements to a list"),
    make("lpushx", -3, write | denyoom | fast, {key::inserts}, lpushx, "2.2.0",
         "Puts elements in front of a list that exists"),
    make("rpushx", -3, write | denyoom | fast, {key::inserts}, rpushx, "2.2.0",
         "Appends elements to a list that exists"),
    make("lpop", -2, write | fast, {key::takes}, lpop, "1.0.0", "Takes elements off the front of a list"),
    make("rpop", -2, write | fast, {key::takes}, rpop, "1.0.0", "Takes elements off the end of a list"),
    make("llen", 2, readonly | fast, {key::looks_at}, llen, "1.0.0", "Counts the elements of a list"),
    make("lrange", 4, readonly, {key::reads}, lrange, "1.0.0", "Returns a part of a list"),
    make("lindex", 3, readonly, {key::reads}, lindex, "1.0.0", "Returns the element at an index"),
    make("lset", 4, write | denyoom, {key::updates}, lset, "1.0.0", "Replaces the element at an index"),
    make("linsert", 5, write | denyoom, {key::inserts}, linsert, "2.2.0",
         "Inserts an element beside another one"),
    make("lrem", 4, write, {key::removes}, lrem, "1.0.0", "Removes the elements equal to a value"),
    make("ltrim", 4, write, {key::removes}, ltrim, "1.0.0", "Cuts a list down to a part of it"),
    make("lpos", -3, readonly, {key::reads}, lpos, "6.0.6", "Finds where a value stands in a list"),
};

}  // namespace

std::span<command const> list_commands() { return rows; }

}  // namespace respkit
