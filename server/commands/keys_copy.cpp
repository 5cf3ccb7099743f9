// From one database to another: copying and moving keys, exchanging whole databases.
#include <limits>

#include <respkit/server/command.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

constexpr std::string_view same_key = "ERR source and destination objects are the same";
constexpr std::string_view not_int =
    "ERR value is out of range, value must between -2147483648 and 2147483647";

bool is_int(std::int64_t n) {
    return n >= std::numeric_limits<int>::min() && n <= std::numeric_limits<int>::max();
}

keyspace* database(call& c, std::int64_t number) {
    if (number >= 0 && number < static_cast<std::int64_t>(c.server.databases.size()))
        return &c.server.database(static_cast<int>(number));
    c.reply.error(errors::db_out_of_range);
    return nullptr;
}

// The database whose number is words[i]; null if a complaint has been written.
keyspace* read_database(call& c, std::size_t i) {
    auto const n = c.integer(i);
    if (!n) return nullptr;
    if (is_int(*n)) return database(c, *n);
    c.reply.error(not_int);
    return nullptr;
}

// COPY source destination [DB number] [REPLACE]
void copy(call& c) {
    auto* to = &c.db;
    bool replace = false;
    for (std::size_t i = 3; i < c.size(); ++i) {
        if (is_word(c[i], "replace")) {
            replace = true;
        } else if (is_word(c[i], "db") && i + 1 < c.size()) {
            to = read_database(c, ++i);
            if (!to) return;
        } else {
            return c.reply.error(errors::syntax);
        }
    }
    if (to == &c.db && c[1] == c[2]) return c.reply.error(same_key);

    if (!c.db.read(c[1])) return c.reply.integer(0);
    if (auto* replaced = to->find(c[2])) {
        if (!replace) return c.reply.integer(0);
        to->erase(*replaced);
    }
    c.db.copy(*c.db.find(c[1]), *to, c[2]);
    c.changed(*to, c[2], event::generic, "copy_to");
    c.reply.integer(1);
}

// MOVE key number
void move(call& c) {
    auto* const to = read_database(c, 2);
    if (!to) return;
    if (to == &c.db) return c.reply.error(same_key);
    auto* const r = c.db.find(c[1]);
    if (!r || to->find(c[1])) return c.reply.integer(0);
    c.db.move(*r, *to);
    c.changed(c[1], event::generic, "move_from");
    c.changed(*to, c[1], event::generic, "move_to", 0);
    c.reply.integer(1);
}

// SWAPDB number number
void swapdb(call& c) {
    std::int64_t numbers[2];
    for (std::size_t i = 0; i < 2; ++i) {
        auto const complaint = i == 0 ? "ERR invalid first DB index" : "ERR invalid second DB index";
        auto const n = c.integer(i + 1, complaint);
        if (!n) return;
        if (!is_int(*n)) return c.reply.error(complaint);
        numbers[i] = *n;
    }
    auto* const a = database(c, numbers[0]);
    auto* const b = a ? database(c, numbers[1]) : nullptr;
    if (!b) return;
    if (a != b) a->swap(*b);
    ++c.db.shared().changes;
    c.reply.ok();
}

using namespace flag;

constexpr command rows[] = {
    {.name = "copy",
     .arity = -3,
     .flags = write | denyoom,
     .categories = category::keyspace,
     .keys = {key::reads, key::from(2, key::overwrites)},
     .run = copy,
     .since = "6.2.0",
     .group = "generic",
     .summary = "Copies the value of a key to another key"},
    {.name = "move",
     .arity = 3,
     .flags = write | fast,
     .categories = category::keyspace,
     .keys = {key::exchanges},
     .run = move,
     .since = "1.0.0",
     .group = "generic",
     .summary = "Moves a key to another database"},
    {.name = "swapdb",
     .arity = 3,
     .flags = write | fast,
     .categories = category::keyspace | category::dangerous,
     .run = swapdb,
     .since = "4.0.0",
     .group = "server",
     .summary = "Exchanges the keys of two databases"},
};

}  // namespace

std::span<command const> key_copy_commands() { return rows; }

}  // namespace respkit
