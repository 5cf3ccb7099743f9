// Strings. Arguments are read before the keyspace is touched, in the order in which Redis complains.
#include <cmath>
#include <cstring>
#include <string>

#include <respkit/server/command.hpp>
#include <respkit/server/expiry.hpp>
#include <respkit/server/number.hpp>

namespace respkit {

namespace {

using slot_of_string = slot<record>;

// GET's reply; false after WRONGTYPE.
bool reply_with(call& c, slot_of_string s) {
    if (s.wrong_type) {
        c.reply.error(errors::wrong_type);
        return false;
    }
    if (s)
        c.reply.bulk(s->text());
    else
        c.reply.null();
    return true;
}

bool too_long(call& c, std::size_t size, std::size_t more) {
    if (more <= c.db.shared().max_bulk && size <= c.db.shared().max_bulk - more) return false;
    c.reply.error(errors::string_too_long);
    return true;
}

// GET key
void get(call& c) { reply_with(c, c.db.read<record>(c[1])); }

// The options of SET and GETEX. Later ones of a kind win; kinds exclude each other.
struct set_options {
    bool nx = false, xx = false, get = false, keep_ttl = false, persist = false;
    expire_unit unit = expire_unit::seconds;
    bool absolute = false;
    std::size_t expire_at = 0;  // the word that holds the time; 0: none

    bool parse(call& c, std::size_t from, bool is_set);
};

bool set_options::parse(call& c, std::size_t from, bool is_set) {
    std::string_view time_word;  // which of EX PX EXAT PXAT was given
    auto const excludes_time = [&] { return keep_ttl || persist; };
    for (std::size_t i = from; i < c.size(); ++i) {
        auto const word = c[i];
        bool const has_next = i + 1 < c.size();
        auto const takes_time = [&](std::string_view name, expire_unit u, bool abs) {
            if (!is_word(word, name) || !has_next || excludes_time()) return false;
            if (!time_word.empty() && time_word != name) return false;
            time_word = name;
            unit = u;
            absolute = abs;
            expire_at = ++i;
            return true;
        };
        if (is_set && is_word(word, "nx") && !xx) {
            nx = true;
        } else if (is_set && is_word(word, "xx") && !nx) {
            xx = true;
        } else if (is_set && is_word(word, "get")) {
            get = true;
        } else if (is_set && is_word(word, "keepttl") && !expire_at) {
            keep_ttl = true;
        } else if (!is_set && is_word(word, "persist") && !expire_at) {
            persist = true;
        } else if (!takes_time("ex", expire_unit::seconds, false) &&
                   !takes_time("px", expire_unit::milliseconds, false) &&
                   !takes_time("exat", expire_unit::seconds, true) &&
                   !takes_time("pxat", expire_unit::milliseconds, true)) {
            c.reply.error(errors::syntax);
            return false;
        }
    }
    return true;
}

// SET key value [NX | XX] [GET] [EX s | PX ms | EXAT s | PXAT ms | KEEPTTL]
void set(call& c) {
    set_options o;
    if (c.size() > 3 && !o.parse(c, 3, true)) return;
    std::optional<std::int64_t> when;
    if (o.expire_at && !(when = read_expiry(c, o.expire_at, o.unit, o.absolute))) return;

    if (o.get && !reply_with(c, c.db.read<record>(c[1]))) return;
    if (o.nx || o.xx) {
        bool const found = c.db.find(c[1]) != nullptr;
        if (o.nx == found) {
            if (!o.get) c.reply.null();
            return;
        }
    }
    auto& r = c.db.set_string(c[1], c[2], o.keep_ttl);
    if (when) c.db.expire_at(r, *when);
    c.changed(c[1], event::string, "set");
    if (when) c.notify(c[1], event::generic, "expire");
    if (!o.get) c.reply.ok();
}

// SETNX key value
void setnx(call& c) {
    bool const found = c.db.find(c[1]) != nullptr;
    if (!found) {
        c.db.set_string(c[1], c[2]);
        c.changed(c[1], event::string, "set");
    }
    c.reply.integer(!found);
}

void set_expiring(call& c, expire_unit unit) {
    auto const when = read_expiry(c, 2, unit, false);
    if (!when) return;
    c.db.expire_at(c.db.set_string(c[1], c[3]), *when);
    c.changed(c[1], event::string, "set");
    c.notify(c[1], event::generic, "expire");
    c.reply.ok();
}

// SETEX key seconds value
void setex(call& c) { set_expiring(c, expire_unit::seconds); }
// PSETEX key milliseconds value
void psetex(call& c) { set_expiring(c, expire_unit::milliseconds); }

// GETSET key value
void getset(call& c) {
    if (!reply_with(c, c.db.read<record>(c[1]))) return;
    c.db.set_string(c[1], c[2]);
    c.changed(c[1], event::string, "set");
}

// GETDEL key
void getdel(call& c) {
    if (!reply_with(c, c.db.read<record>(c[1]))) return;
    if (c.db.erase(c[1])) c.changed(c[1], event::generic, "del");
}

// GETEX key [EX s | PX ms | EXAT s | PXAT ms | PERSIST]
void getex(call& c) {
    set_options o;
    if (!o.parse(c, 2, false)) return;
    auto const s = c.db.read<record>(c[1]);
    if (!s) return void(reply_with(c, s));
    std::optional<std::int64_t> when;
    if (o.expire_at && !(when = read_expiry(c, o.expire_at, o.unit, o.absolute))) return;

    c.reply.bulk(s->text());
    if (when && *when <= c.now()) {
        c.db.erase(*s);
        c.changed(c[1], event::generic, "del");
    } else if (when) {
        c.db.expire_at(*s, *when);
        c.changed(c[1], event::generic, "expire");
    } else if (o.persist && c.db.persist(*s)) {
        c.changed(c[1], event::generic, "persist");
    }
}

// MGET key [key ...]
void mget(call& c) {
    c.reply.array(c.size() - 1);
    for (std::size_t i = 1; i < c.size(); ++i) {
        if (auto const s = c.db.read<record>(c[i]))
            c.reply.bulk(s->text());
        else
            c.reply.null();
    }
}

bool pairs_follow(call& c) {
    if (c.size() % 2 == 1) return true;
    c.reply.error(errors::wrong_arity(c.row.name));
    return false;
}

void set_all(call& c) {
    for (std::size_t i = 1; i < c.size(); i += 2) {
        c.db.set_string(c[i], c[i + 1]);
        c.changed(c[i], event::string, "set");
    }
}

// MSET key value [key value ...]
void mset(call& c) {
    if (!pairs_follow(c)) return;
    set_all(c);
    c.reply.ok();
}

// MSETNX key value [key value ...]
void msetnx(call& c) {
    if (!pairs_follow(c)) return;
    for (std::size_t i = 1; i < c.size(); i += 2)
        if (c.db.find(c[i])) return c.reply.integer(0);
    set_all(c);
    c.reply.integer(1);
}

// APPEND key value
void append(call& c) {
    auto const s = c.db.edit<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    if (!s) {
        c.db.set_string(c[1], c[2]);
        c.changed(c[1], event::string, "append");
        return c.reply.integer(static_cast<std::int64_t>(c[2].size()));
    }
    auto const old = s->text().size();
    if (too_long(c, old, c[2].size())) return;
    auto& r = c.db.resize_string(*s, old + c[2].size());
    if (!c[2].empty()) std::memcpy(r.text_bytes() + old, c[2].data(), c[2].size());
    c.changed(c[1], event::string, "append");
    c.reply.integer(static_cast<std::int64_t>(r.text().size()));
}

// STRLEN key
void strlen(call& c) {
    auto const s = c.db.read<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(s ? static_cast<std::int64_t>(s->text().size()) : 0);
}

// GETRANGE key start end
void getrange(call& c) {
    auto const first = c.integer(2);
    if (!first) return;
    auto const last = c.integer(3);
    if (!last) return;
    auto const s = c.db.read<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    if (!s) return c.reply.bulk("");

    auto const size = static_cast<std::int64_t>(s->text().size());
    auto start = *first, end = *last;
    if (start < 0 && end < 0 && start > end) return c.reply.bulk("");
    if (start < 0) start = std::max<std::int64_t>(size + start, 0);
    if (end < 0) end = std::max<std::int64_t>(size + end, 0);
    end = std::min(end, size - 1);
    if (start > end) return c.reply.bulk("");
    c.reply.bulk(
        s->text().substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start + 1)));
}

// SETRANGE key offset value
void setrange(call& c) {
    auto const offset = c.integer(2);
    if (!offset) return;
    if (*offset < 0) return c.reply.error(errors::offset_out_of_range);
    auto const s = c.db.edit<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    auto const old = s ? s->text().size() : 0;
    auto const value = c[3];
    if (value.empty()) return c.reply.integer(static_cast<std::int64_t>(old));
    auto const begin = static_cast<std::size_t>(*offset);
    if (too_long(c, begin, value.size())) return;

    auto& r = c.db.resize_string(s ? *s : c.db.set_string(c[1], ""), std::max(old, begin + value.size()));
    if (begin > old) std::memset(r.text_bytes() + old, 0, begin - old);
    std::memcpy(r.text_bytes() + begin, value.data(), value.size());
    c.changed(c[1], event::string, "setrange");
    c.reply.integer(static_cast<std::int64_t>(r.text().size()));
}

void store_number(call& c, record* r, std::string_view digits, string_form form, std::string_view name) {
    auto& kept = r ? c.db.resize_string(*r, digits.size()) : c.db.set_string(c[1], digits);
    std::memcpy(kept.text_bytes(), digits.data(), digits.size());
    kept.form(form);
    c.changed(c[1], event::string, name);
}

void add(call& c, std::int64_t step) {
    auto const s = c.db.edit<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    auto const old = s ? resp::parse_integer(s->text()) : 0;
    if (!old) return c.reply.error(errors::not_integer);
    std::int64_t sum = 0;
    if (__builtin_add_overflow(*old, step, &sum)) return c.reply.error(errors::overflow);

    char digits[resp::integer_digits];
    store_number(c, s.held, {digits, static_cast<std::size_t>(resp::write_integer(digits, sum) - digits)},
                 string_form::automatic, "incrby");
    c.reply.integer(sum);
}

// INCR key
void incr(call& c) { add(c, 1); }
// DECR key
void decr(call& c) { add(c, -1); }

// INCRBY key step
void incrby(call& c) {
    if (auto const step = c.integer(2)) add(c, *step);
}

// DECRBY key step
void decrby(call& c) {
    auto const step = c.integer(2);
    if (!step) return;
    if (*step == INT64_MIN) return c.reply.error(errors::decrement_overflow);
    add(c, -*step);
}

// INCRBYFLOAT key step
void incrbyfloat(call& c) {
    auto const s = c.db.edit<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    auto const old = s ? parse_long_double(s->text()) : 0.0L;
    auto const step = old ? parse_long_double(c[2]) : old;
    if (!step) return c.reply.error(errors::not_float);
    auto const sum = *old + *step;
    if (!std::isfinite(sum)) return c.reply.error(errors::not_finite);

    auto const digits = format_long_double(sum);
    store_number(c, s.held, digits, string_form::text, "incrbyfloat");
    c.reply.bulk(digits);
}

using namespace flag;

constexpr key_spec set_key{
    .flags = key_flag::rw | key_flag::access | key_flag::update | key_flag::variable_flags,
    .note = "RW and ACCESS due to the optional `GET` argument"};
constexpr key_spec getex_key{.flags = key_flag::rw | key_flag::access | key_flag::update,
                             .note = "RW and UPDATE because it changes the TTL"};
constexpr key_spec fresh{.flags = key_flag::ow | key_flag::insert};

constexpr command make(std::string_view name, int arity, std::uint32_t flags, key_spec keys,
                       void (*run)(call&), std::string_view since, std::string_view summary) {
    return {.name = name,
            .arity = arity,
            .flags = flags,
            .categories = category::string,
            .keys = {keys},
            .run = run,
            .since = since,
            .group = "string",
            .summary = summary};
}

constexpr command with_tips(command row, std::string_view first, std::string_view second = {}) {
    row.tips[0] = first;
    row.tips[1] = second;
    return row;
}

constexpr command rows[] = {
    make("get", 2, readonly | fast, key::reads, get, "1.0.0", "Returns the string under a key"),
    make("set", -3, write | denyoom, set_key, set, "1.0.0",
         "Makes a key hold a string, whatever it held before"),
    make("setnx", 3, write | denyoom | fast, fresh, setnx, "1.0.0", "Sets a key only if it is not there"),
    make("setex", 4, write | denyoom, key::overwrites, setex, "2.0.0",
         "Sets a key that expires after seconds"),
    make("psetex", 4, write | denyoom, key::overwrites, psetex, "2.6.0",
         "Sets a key that expires after milliseconds"),
    with_tips(make("mset", -3, write | denyoom, key::all(key::overwrites, 2), mset, "1.0.1",
                   "Sets many keys at once"),
              "request_policy:multi_shard", "response_policy:all_succeeded"),
    with_tips(make("msetnx", -3, write | denyoom, key::all(fresh, 2), msetnx, "1.0.1",
                   "Sets many keys, or none if one of them is there"),
              "request_policy:multi_shard", "response_policy:agg_min"),
    with_tips(make("mget", -2, readonly | fast, key::all(key::reads), mget, "1.0.0",
                   "Returns the strings under many keys"),
              "request_policy:multi_shard"),
    make("getset", 3, write | denyoom | fast, key::exchanges, getset, "1.0.0",
         "Sets a key and returns its old string"),
    make("getdel", 2, write | fast, key::takes, getdel, "6.2.0", "Returns a string and deletes its key"),
    make("getex", -2, write | fast, getex_key, getex, "6.2.0",
         "Returns a string and changes when its key expires"),
    make("append", 3, write | denyoom | fast, key::inserts, append, "2.0.0", "Appends to a string"),
    make("strlen", 2, readonly | fast, key::looks_at, strlen, "2.2.0", "Returns the length of a string"),
    make("getrange", 4, readonly, key::reads, getrange, "2.4.0", "Returns a part of a string"),
    make("substr", 4, readonly, key::reads, getrange, "1.0.0", "The old name of GETRANGE"),
    make("setrange", 4, write | denyoom, key::updates, setrange, "2.2.0", "Overwrites a part of a string"),
    make("incr", 2, write | denyoom | fast, key::exchanges, incr, "1.0.0", "Adds one to an integer"),
    make("decr", 2, write | denyoom | fast, key::exchanges, decr, "1.0.0", "Subtracts one from an integer"),
    make("incrby", 3, write | denyoom | fast, key::exchanges, incrby, "1.0.0", "Adds to an integer"),
    make("decrby", 3, write | denyoom | fast, key::exchanges, decrby, "1.0.0", "Subtracts from an integer"),
    make("incrbyfloat", 3, write | denyoom | fast, key::exchanges, incrbyfloat, "2.6.0",
         "Adds to a decimal number"),
};

}  // namespace

std::span<command const> string_commands() { return rows; }

}  // namespace respkit
