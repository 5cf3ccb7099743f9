// Elements that go from list to list, or to the first client that asks: LMOVE, LMPOP, and the commands that
// wait for an element.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>

#include <respkit/server/arguments.hpp>
#include <respkit/server/blocking.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/family.hpp>
#include <respkit/server/list_ends.hpp>

namespace respkit {
namespace {

constexpr std::string_view no_keys = "ERR numkeys should be greater than 0";
constexpr std::string_view no_count = "ERR count should be greater than 0";

// From the end of one list to the end of another, or of the same. False, and no answer, if the source is
// not there.
bool move(call& c, side from, side to) {
    auto const source = c.db.edit<list_value>(c[1]);
    if (!source && !source.wrong_type) return false;
    auto target = c.db.edit<list_value>(c[2]);
    if (source.wrong_type || target.wrong_type) {
        c.reply.error(errors::wrong_type);
        return true;
    }
    std::string const value(from == side::left ? source->front() : source->back());
    bool const rotates = target.held == source.held;
    if (rotates) from == side::left ? source->remove_front(1) : source->remove_back(1);
    if (!target) target.held = &c.db.create<list_value>(c[2]);
    push(*target, to, value);
    report_push(c, c[2], to, 0);
    c.reply.bulk(value);  // where Redis has it: behind the one event, before the others
    if (rotates)
        c.changed(c[1], event::list, from == side::left ? "lpop" : "rpop");
    else
        take(c, c[1], *source, from, 1);
    return true;
}

// Which ends BLMOVE and LMOVE name in words 3 and 4.
struct ends {
    side from = side::right;  // as RPOPLPUSH has them
    side to = side::left;
};
std::optional<ends> read_ends(call& c) {
    auto const from = parse_side(c[3]);
    auto const to = parse_side(c[4]);
    if (from && to) return ends{*from, *to};
    c.reply.error(errors::syntax);
    return {};
}

// LMOVE source destination LEFT | RIGHT LEFT | RIGHT
void lmove(call& c) {
    auto const where = read_ends(c);
    if (where && !move(c, where->from, where->to)) c.reply.null();
}

// RPOPLPUSH source destination
void rpoplpush(call& c) {
    if (!move(c, side::right, side::left)) c.reply.null();
}

void move_or_wait(call& c, std::size_t timeout, serve_function serve) {
    auto const until = read_timeout(c, timeout);
    if (!until) return;
    if (c.who.executing) {
        if (!serve(c, c[1])) c.reply.null();  // where the others say null_array
        return;
    }
    take_or_wait(c, c.words.subspan(1, 1), kind::list, *until, serve);
}

// BLMOVE source destination LEFT | RIGHT LEFT | RIGHT timeout
void blmove(call& c) {
    if (!read_ends(c)) return;
    move_or_wait(c, 5, [](call& again, std::string_view) {
        return move(again, *parse_side(again[3]), *parse_side(again[4]));
    });
}

// BRPOPLPUSH source destination timeout
void brpoplpush(call& c) {
    move_or_wait(c, 3, [](call& again, std::string_view) { return move(again, side::right, side::left); });
}

template <side End>
bool pop_named(call& c, std::string_view key) {
    auto const list = c.db.edit<list_value>(key);
    if (list.wrong_type) {
        c.reply.error(errors::wrong_type);
        return true;
    }
    if (!list) return false;
    c.reply.array(2);
    c.reply.bulk(key);
    c.reply.bulk(End == side::left ? list->front() : list->back());
    take(c, key, *list, End, 1);
    return true;
}

template <side End>
void pop_or_wait(call& c) {
    auto const until = read_timeout(c, c.size() - 1);
    if (until) take_or_wait(c, c.words.subspan(1, c.size() - 2), kind::list, *until, pop_named<End>);
}

// What LMPOP, and behind its time-out BLMPOP, asks for.
struct pop_many {
    std::span<std::string_view const> keys;
    side end;
    std::uint64_t most = 1;
};
// numkeys key [key ...] LEFT | RIGHT [COUNT count], from word `at` on.
std::optional<pop_many> read_pop_many(call& c, std::size_t at) {
    auto const refuse = [&]() -> std::optional<pop_many> {
        c.reply.error(errors::syntax);
        return {};
    };
    auto const keys = integer_from(c, at, 1, no_keys);
    if (!keys) return {};
    if (*keys >= c.size() - at - 1) return refuse();
    std::size_t i = at + 1 + *keys;
    auto const end = parse_side(c[i]);
    if (!end) return refuse();
    std::optional<std::uint64_t> count;
    for (++i; i < c.size(); i += 2) {
        if (count || i + 1 == c.size() || !is_word(c[i], "count")) return refuse();
        count = integer_from(c, i + 1, 1, no_count);
        if (!count) return {};
    }
    return pop_many{c.words.subspan(at + 1, *keys), *end, count.value_or(1)};
}

bool pop_many_named(call& c, pop_many const& wanted, std::string_view key) {
    auto const list = c.db.edit<list_value>(key);
    if (list.wrong_type) {
        c.reply.error(errors::wrong_type);
        return true;
    }
    if (!list) return false;
    c.reply.array(2);
    c.reply.bulk(key);
    reply_and_take(c, key, *list, wanted.end, std::min(wanted.most, std::uint64_t{list->size()}));
    return true;
}

// LMPOP numkeys key [key ...] LEFT | RIGHT [COUNT count]
void lmpop(call& c) {
    auto const wanted = read_pop_many(c, 1);
    if (!wanted) return;
    for (auto const key : wanted->keys)
        if (pop_many_named(c, *wanted, key)) return;
    c.reply.null_array();
}

// BLMPOP timeout numkeys key [key ...] LEFT | RIGHT [COUNT count]
void blmpop(call& c) {
    auto const wanted = read_pop_many(c, 2);
    if (!wanted) return;
    auto const until = read_timeout(c, 1);
    if (!until) return;
    take_or_wait(c, wanted->keys, kind::list, *until, [](call& again, std::string_view key) {
        return pop_many_named(again, *read_pop_many(again, 2), key);
    });
}

using namespace flag;

constexpr family make{category::list, "list"};

constexpr key_spec all_but_the_last{.flags = key_flag::rw | key_flag::access | key_flag::remove, .last = -2};

constexpr command rows[] = {
    make("lmove", 5, write | denyoom, {key::takes, key::from(2, key::inserts)}, lmove, "6.2.0",
         "Moves an element between the ends of two lists"),
    make("rpoplpush", 3, write | denyoom, {key::takes, key::from(2, key::inserts)}, rpoplpush, "1.2.0",
         "Moves the last element of a list to the front of another"),
    make("lmpop", -4, write | movablekeys, {key::counted(key::takes)}, lmpop, "7.0.0",
         "Takes elements off the first list that has any"),
    make("blpop", -3, write | noscript | blocking, {all_but_the_last}, pop_or_wait<side::left>, "2.0.0",
         "Takes an element off the front of a list, waits for one if there is none"),
    make("brpop", -3, write | noscript | blocking, {all_but_the_last}, pop_or_wait<side::right>, "2.0.0",
         "Takes an element off the end of a list, waits for one if there is none"),
    make("blmove", 6, write | denyoom | noscript | blocking, {key::takes, key::from(2, key::inserts)}, blmove,
         "6.2.0", "Moves an element between the ends of two lists, waits for one if there is none"),
    make("brpoplpush", 4, write | denyoom | noscript | blocking, {key::takes, key::from(2, key::inserts)},
         brpoplpush, "2.2.0",
         "Moves the last element of a list to the front of another, waits for one if there is none"),
    make("blmpop", -5, write | blocking | movablekeys, {key::from(2, key::counted(key::takes))}, blmpop,
         "7.0.0", "Takes elements off the first list that has any, waits for one if there is none"),
};

}  // namespace

std::span<command const> list_move_commands() { return rows; }

}  // namespace respkit
