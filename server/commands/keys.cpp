// Keys of whatever type: existence, names, times to live, iteration.
#include <string>
#include <vector>

#include <respkit/server/command.hpp>
#include <respkit/server/expiry.hpp>
#include <respkit/server/family.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/scan.hpp>

namespace respkit {
namespace {

bool is_there(call& c, record const& r) {
    auto const when = c.db.deadline(r);
    return !when || !c.db.overdue(*when);
}

// DEL key [key ...], UNLINK key [key ...]
void del(call& c) {
    std::int64_t deleted = 0;
    for (auto const key : c.words.subspan(1)) {
        if (!c.db.erase(key)) continue;
        c.changed(key, event::generic, "del");
        ++deleted;
    }
    c.reply.integer(deleted);
}

// EXISTS key [key ...]: a key named twice counts twice
void exists(call& c) {
    std::int64_t found = 0;
    for (auto const key : c.words.subspan(1)) found += c.db.glance(key) != nullptr;
    c.reply.integer(found);
}

// TOUCH key [key ...]
void touch(call& c) {
    std::int64_t found = 0;
    for (auto const key : c.words.subspan(1)) found += c.db.read(key) != nullptr;
    c.reply.integer(found);
}

// TYPE key
void type(call& c) {
    auto const* r = c.db.glance(c[1]);
    c.reply.simple(r ? name_of(r->type()) : "none");
}

// KEYS pattern
void keys(call& c) {
    std::vector<std::string_view> found;
    bool const all = c[1] == "*";  // unlike a pattern, it takes in the empty key
    c.db.for_each([&](record const& r) {
        if ((all || glob_match(c[1], r.key())) && is_there(c, r)) found.push_back(r.key());
    });
    c.reply.array(found.size());
    for (auto const key : found) c.reply.bulk(key);
}

// SCAN cursor [MATCH pattern] [COUNT n] [TYPE type]
void scan(call& c) {
    auto const from = scan_cursor(c, 1);
    if (!from) return;
    auto const o = parse_scan_options(c, 2, true);
    if (!o) return;
    std::vector<std::string_view> found;
    std::size_t seen = 0;
    auto const visit = [&](record const& r) {
        ++seen;
        if (!o->matches(r.key()) || !is_there(c, r)) return;
        if (o->type) ++c.db.shared().counts->keyspace_hits;  // as in Redis, which looks it up
        if (!o->type || is_word(*o->type, name_of(r.type()))) found.push_back(r.key());
    };
    auto const cursor = scan_steps(
        *from, o->count, [&](std::uint64_t at) { return c.db.scan(at, visit); }, [&] { return seen; });
    c.reply.array(2);
    c.reply.bulk(std::to_string(cursor));
    c.reply.array(found.size());
    for (auto const key : found) c.reply.bulk(key);
}

void rename_key(call& c, bool only_if_new) {
    auto* r = c.db.find(c[1]);
    if (!r) return c.reply.error(errors::no_such_key);
    bool const to_itself = c[1] == c[2];
    bool const refused = only_if_new && (to_itself || c.db.find(c[2]));
    if (!to_itself && !refused) {
        c.db.rename(*r, c[2]);
        c.touched(c[1]);
        c.touched(c[2], 0);
        c.notify(c[1], event::generic, "rename_from");
        c.notify(c[2], event::generic, "rename_to");
    }
    if (only_if_new)
        c.reply.integer(!refused);
    else
        c.reply.ok();
}

// RENAME key newkey
void rename(call& c) { rename_key(c, false); }
// RENAMENX key newkey
void renamenx(call& c) { rename_key(c, true); }

enum class from { now, epoch };

// -2 without a key, -1 without a deadline; seconds are rounded to the nearest.
void time_left(call& c, expire_unit unit, from origin) {
    auto const* r = c.db.glance(c[1]);
    if (!r) return c.reply.integer(-2);
    auto const when = c.db.deadline(*r);
    if (!when) return c.reply.integer(-1);
    auto const left = origin == from::epoch ? *when : std::max<std::int64_t>(*when - c.now(), 0);
    if (unit == expire_unit::milliseconds) return c.reply.integer(left);
    c.reply.integer(left / 1000 + (left % 1000 >= 500));
}

// TTL key, PTTL key, EXPIRETIME key, PEXPIRETIME key
void ttl(call& c) { time_left(c, expire_unit::seconds, from::now); }
void pttl(call& c) { time_left(c, expire_unit::milliseconds, from::now); }
void expiretime(call& c) { time_left(c, expire_unit::seconds, from::epoch); }
void pexpiretime(call& c) { time_left(c, expire_unit::milliseconds, from::epoch); }

struct expire_conditions {
    bool nx = false, xx = false, gt = false, lt = false;

    bool parse(call& c) {
        for (auto const word : c.words.subspan(3)) {
            if (is_word(word, "nx")) {
                nx = true;
            } else if (is_word(word, "xx")) {
                xx = true;
            } else if (is_word(word, "gt")) {
                gt = true;
            } else if (is_word(word, "lt")) {
                lt = true;
            } else {
                c.reply.error("ERR Unsupported option " + std::string(word.substr(0, word.find('\0'))));
                return false;
            }
        }
        if (nx && (xx || gt || lt))
            c.reply.error("ERR NX and XX, GT or LT options at the same time are not compatible");
        else if (gt && lt)
            c.reply.error("ERR GT and LT options at the same time are not compatible");
        else
            return true;
        return false;
    }

    // A key without a deadline never expires: it is later than any.
    bool allow(std::optional<std::int64_t> old, std::int64_t fresh) const {
        if (nx && old) return false;
        if (xx && !old) return false;
        if (gt && (!old || fresh <= *old)) return false;
        return !(lt && old && fresh >= *old);
    }
};

void set_deadline(call& c, expire_unit unit, from origin) {
    expire_conditions conditions;
    if (!conditions.parse(c)) return;
    auto const n = c.integer(2);
    if (!n) return;
    std::int64_t when = *n;
    // A time in the past is fine and deletes the key; one that cannot be counted is not.
    if ((unit == expire_unit::seconds && __builtin_mul_overflow(when, 1000, &when)) ||
        (origin == from::now && __builtin_add_overflow(when, c.now(), &when)))
        return c.reply.error(errors::invalid_expire(c.row.name));

    auto* r = c.db.find(c[1]);
    if (!r || !conditions.allow(c.db.deadline(*r), when)) return c.reply.integer(0);
    if (when <= c.now()) {
        c.db.erase(*r);
        c.changed(c[1], event::generic, "del");
        return c.reply.integer(1);
    }
    c.db.expire_at(*r, when);
    c.reply.integer(1);
    c.changed(c[1], event::generic, "expire");
}

// EXPIRE key seconds [NX | XX | GT | LT], and its kin
void expire(call& c) { set_deadline(c, expire_unit::seconds, from::now); }
void pexpire(call& c) { set_deadline(c, expire_unit::milliseconds, from::now); }
void expireat(call& c) { set_deadline(c, expire_unit::seconds, from::epoch); }
void pexpireat(call& c) { set_deadline(c, expire_unit::milliseconds, from::epoch); }

// PERSIST key
void persist(call& c) {
    auto* r = c.db.find(c[1]);
    bool const done = r && c.db.persist(*r);
    if (done) c.changed(c[1], event::generic, "persist");
    c.reply.integer(done);
}

// RANDOMKEY
void randomkey(call& c) {
    if (auto const* r = c.db.random_key())
        c.reply.bulk(r->key());
    else
        c.reply.null();
}

// DBSIZE
void dbsize(call& c) { c.reply.integer(static_cast<std::int64_t>(c.db.size())); }

bool reads_flush_option(call& c) {
    if (c.size() == 1 || (c.size() == 2 && (is_word(c[1], "sync") || is_word(c[1], "async")))) return true;
    c.reply.error(errors::syntax);
    return false;
}

// FLUSHDB [ASYNC | SYNC]
void flushdb(call& c) {
    if (!reads_flush_option(c)) return;
    c.db.clear();
    c.server.caches.flushed();
    c.reply.ok();
}

// FLUSHALL [ASYNC | SYNC]
void flushall(call& c) {
    if (!reads_flush_option(c)) return;
    for (auto const& db : c.server.databases) db->clear();
    c.server.caches.flushed();
    c.reply.ok();
}

using namespace flag;

constexpr family make{category::keyspace, "generic"};

// Those that touch every key at once.
constexpr command of_server(command row) {
    row.group = "server";
    return row;
}
constexpr command dangerous(command row) {
    row.categories |= category::dangerous;
    return row;
}

constexpr std::string_view every_shard = "request_policy:multi_shard";
constexpr std::string_view all_shards = "request_policy:all_shards";
constexpr std::string_view summed = "response_policy:agg_sum";
constexpr std::string_view random = "nondeterministic_output";
constexpr std::string_view unordered = "nondeterministic_output_order";
constexpr std::string_view succeeded = "response_policy:all_succeeded";
constexpr key_spec gone{.flags = key_flag::rm | key_flag::remove, .last = -1};
constexpr key_spec fresh_second{.flags = key_flag::ow | key_flag::insert, .begin = 2};

constexpr command rows[] = {
    make("del", -2, write, {gone}, del, {every_shard, summed}, "1.0.0", "Deletes keys"),
    make("unlink", -2, write | fast, {gone}, del, {every_shard, summed}, "4.0.0",
         "Deletes keys; their memory may go later"),
    make("exists", -2, readonly | fast, {key::all(key::looks_at)}, exists, {every_shard, summed}, "1.0.0",
         "Counts those of the named keys that are there"),
    make("touch", -2, readonly | fast, {key::all(key::looks_at)}, touch, {every_shard, summed}, "3.2.1",
         "Counts those of the named keys that are there, and marks them as used"),
    make("type", 2, readonly | fast, {key::looks_at}, type, {}, "1.0.0",
         "Tells what kind of value a key holds"),
    dangerous(make("keys", 2, readonly, {}, keys, {all_shards, unordered}, "1.0.0",
                   "Lists all keys that match a pattern")),
    make("scan", -2, readonly, {}, scan, {random, "request_policy:special"}, "2.8.0",
         "Walks through the keys in portions"),
    make("rename", 3, write, {key::takes, key::from(2, key::overwrites)}, rename, {}, "1.0.0",
         "Gives a key another name"),
    make("renamenx", 3, write | fast, {key::takes, fresh_second}, renamenx, {}, "1.0.0",
         "Gives a key another name unless that is taken"),
    make("ttl", 2, readonly | fast, {key::reads}, ttl, {random}, "1.0.0",
         "Tells how many seconds a key has left"),
    make("pttl", 2, readonly | fast, {key::reads}, pttl, {random}, "2.6.0",
         "Tells how many milliseconds a key has left"),
    make("expire", -3, write | fast, {key::updates}, expire, {}, "1.0.0", "Lets a key expire after seconds"),
    make("pexpire", -3, write | fast, {key::updates}, pexpire, {}, "2.6.0",
         "Lets a key expire after milliseconds"),
    make("expireat", -3, write | fast, {key::updates}, expireat, {}, "1.2.0",
         "Lets a key expire at a Unix time"),
    make("pexpireat", -3, write | fast, {key::updates}, pexpireat, {}, "2.6.0",
         "Lets a key expire at a Unix time in milliseconds"),
    make("expiretime", 2, readonly | fast, {key::reads}, expiretime, {}, "7.0.0",
         "Tells at which Unix time a key expires"),
    make("pexpiretime", 2, readonly | fast, {key::reads}, pexpiretime, {}, "7.0.0",
         "Tells at which Unix time in milliseconds a key expires"),
    make("persist", 2, write | fast, {key::updates}, persist, {}, "2.2.0", "Lets a key live for ever"),
    make("randomkey", 1, readonly, {}, randomkey, {all_shards, random}, "1.0.0", "Returns any key"),
    of_server(make("dbsize", 1, readonly | fast, {}, dbsize, {all_shards, summed}, "1.0.0",
                   "Counts the keys of a database")),
    of_server(dangerous(make("flushdb", -1, write, {}, flushdb, {all_shards, succeeded}, "1.0.0",
                             "Deletes every key of the selected database"))),
    of_server(dangerous(make("flushall", -1, write, {}, flushall, {all_shards, succeeded}, "1.0.0",
                             "Deletes every key of every database"))),
};

}  // namespace

std::span<command const> key_commands() { return rows; }

}  // namespace respkit
