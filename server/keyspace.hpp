// The data: one keyspace per database number, and what they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <respkit/server/deadlines.hpp>
#include <respkit/server/engine.hpp>
#include <respkit/server/random.hpp>
#include <respkit/server/record.hpp>
#include <respkit/server/table.hpp>

namespace respkit {

// What a key held, seen as a T: nothing, a T, or something else.
template <class T>
struct slot {
    T* held = nullptr;
    bool wrong_type = false;

    explicit operator bool() const { return held != nullptr; }
    T* operator->() const { return held; }
    T& operator*() const { return *held; }
};

// Up to where a container keeps its compact form, as Redis' configuration parameters of these names say.
struct compact_limits {
    std::size_t hash_max_listpack_entries = 512;
    std::size_t hash_max_listpack_value = 64;
    std::size_t set_max_intset_entries = 512;
    std::size_t zset_max_listpack_entries = 128;
    std::size_t zset_max_listpack_value = 64;
    std::int64_t list_max_listpack_size = -2;
};

// The classes of keyspace events, by the letters of notify-keyspace-events.
namespace event {
enum : std::uint32_t {
    keyspace = 1u << 0,    // K: told to __keyspace@db__:key
    keyevent = 1u << 1,    // E: told to __keyevent@db__:event
    generic = 1u << 2,     // g
    string = 1u << 3,      // $
    list = 1u << 4,        // l
    set = 1u << 5,         // s
    hash = 1u << 6,        // h
    sorted_set = 1u << 7,  // z
    expired = 1u << 8,     // x
    evicted = 1u << 9,     // e
    stream = 1u << 10,     // t
    key_miss = 1u << 11,   // m
    module = 1u << 12,     // d
    fresh = 1u << 13,      // n
};
}

class keyspace;

// Who wants to know what happens to keys: clients that watch, track, wait or have subscribed to events.
class key_observer {
public:
    virtual void touched(keyspace& db, std::string_view key) = 0;  // its value or deadline is not what it was
    virtual void added(keyspace& db, record const& r) = 0;         // its key was not there before
    virtual void clearing(keyspace& db) = 0;                       // all its keys are about to go
    virtual void swapped(keyspace& a, keyspace& b) = 0;            // they have exchanged all their keys
    // Something that has a name as keyspace notifications have it: one class of event::, and "lpush" etc.
    virtual void happened(keyspace& db, std::string_view key, std::uint32_t what, std::string_view name) = 0;

protected:
    ~key_observer() = default;
};

// What every keyspace of a server has in common.
struct shared_state {
    key_observer* observer = nullptr;  // null as long as nobody wants to know
    hash_seed seed;                    // of every table
    random_source random{0};
    std::int64_t now = 0;           // Unix time in milliseconds, read once per batch
    std::uint64_t changes = 0;      // writes since the start: INFO's rdb_changes_since_last_save
    bool deadline_changed = false;  // a key was given a deadline before all others
    counters* counts = nullptr;
    compact_limits compact;
    std::size_t max_bulk = std::size_t{512} << 20;  // proto-max-bulk-len: no string grows beyond it
    emulation emulate = emulation::redis_7_0;

    std::uint32_t second() const { return static_cast<std::uint32_t>(now / 1000); }
};

// The keys of one database. Values that have expired are never seen: find() removes them on sight, and
// expire_due() those that nobody asks for. Empty containers do not exist: who takes the last element out
// calls erase(). A record may move at the next non-const call; a container stays where it is until its key
// is erased, renamed over or replaced.
class keyspace {
public:
    explicit keyspace(shared_state& shared, int number = 0)
        : shared_(shared), number_(number), keys_(shared.seed) {}

    int number() const { return number_; }

    // Any value, without counting.
    record* find(std::string_view key) {
        record* r = peek(key);
        if (r) r->used_at(shared_.second());
        return r;
    }
    // The same, but it does not count as a use of the key (OBJECT IDLETIME).
    record* peek(std::string_view key);

    // For commands that read: counts a hit or a miss. T is `record` for strings, else a container.
    template <class T>
    slot<T> read(std::string_view key) {
        return as<T>(read(key));
    }
    record* read(std::string_view key) { return counted(key, find(key)); }
    // For commands that ask about a key and do not use it: EXISTS, TYPE, TTL.
    record* glance(std::string_view key) { return counted(key, peek(key)); }

    // For commands that write.
    template <class T>
    slot<T> edit(std::string_view key) {
        return as<T>(find(key));
    }

    // An empty container under a key that is not there.
    template <class T>
    T& create(std::string_view key) {
        auto* object = new T(shared_.seed);
        insert(record::make(key, object));
        return *object;
    }

    // An empty container under a key, in the place of what is there; the key does not expire.
    template <class T>
    T& overwrite(std::string_view key) {
        auto* r = find(key);
        if (!r) return create<T>(key);
        auto* object = new T(shared_.seed);
        deadlines_.remove(*r);
        replace(link_of(*r), record::make(key, object));
        record::destroy(r);
        return *object;
    }

    // Makes `key` a string, whatever it was; it no longer expires unless asked to keep its deadline.
    // `value` may point into the record it replaces.
    record& set_string(std::string_view key, std::string_view value, bool keep_deadline = false);
    // Gives a string another size, keeping what it holds up to there; bytes that are new are unset. Grows
    // with room to spare. Returns the record, which may have moved.
    record& resize_string(record& r, std::size_t size);

    bool erase(std::string_view key);
    // Takes a container away that was created and not filled; a stream may be empty.
    void erase_empty(std::string_view key);
    void erase(record& r);
    // Moves a value with its deadline under another key, replacing what is there.
    void rename(record& r, std::string_view to);
    // The same to / a copy into a database (it may be this one) in which the key is free.
    void move(record& r, keyspace& to);
    void copy(record const& r, keyspace& to, std::string_view key) const;
    // Exchanges all keys; the databases keep their numbers.
    void swap(keyspace& other);
    void clear();

    // Deadlines, in Unix milliseconds. A key is gone once now > deadline, as in Redis.
    std::optional<std::int64_t> deadline(record const& r) const;
    void expire_at(record& r, std::int64_t when) {
        bool const earlier = deadlines_.size() == 0 || when < deadlines_.first_time();
        deadlines_.set(r, when);
        if (earlier) shared_.deadline_changed = true;
    }
    bool persist(record& r);
    bool overdue(std::int64_t when) const { return shared_.now > when; }
    // Removes up to `most` keys whose time has come; true if none is left.
    bool expire_due(std::size_t most);
    std::optional<std::int64_t> next_deadline() const;

    std::size_t size() const { return keys_.size(); }
    std::size_t expiring() const { return deadlines_.size(); }
    std::int64_t average_time_to_live() const;  // milliseconds, of the keys that expire
    record* random_key();

    // f(record&) for all / for one step of SCAN (table::scan). f must not change the keyspace. Records
    // may be overdue: ask overdue(*deadline(r)).
    template <class F>
    void for_each(F&& f) const {
        keys_.for_each(f);
    }
    template <class F>
    std::uint64_t scan(std::uint64_t cursor, F&& f) const {
        return keys_.scan(cursor, f);
    }

    shared_state& shared() { return shared_; }

private:
    template <class T>
    slot<T> as(record* r) {
        if (!r) return {};
        if (r->type() != kind_of<T>) return {nullptr, true};
        if constexpr (kind_of<T> == kind::string)
            return {r, false};
        else
            return {r->object<T>(), false};
    }
    record* counted(std::string_view key, record* r) {
        ++(r ? shared_.counts->keyspace_hits : shared_.counts->keyspace_misses);
        if (!r && shared_.observer) [[unlikely]]
            shared_.observer->happened(*this, key, event::key_miss, "keymiss");
        return r;
    }
    record** link_of(record const& r) { return keys_.find(r.key(), r.hash); }
    void insert(record* fresh, std::uint32_t hash);
    void insert(record* fresh) { insert(fresh, keys_.hash(fresh->key())); }
    void remove(record** link);
    void expire(record** link);  // remove() because its time has come
    // Puts `fresh` where the record at `link` was, which the caller disposes of.
    void replace(record** link, record* fresh);

    shared_state& shared_;
    int number_;
    table<record> keys_;
    deadlines deadlines_;
};

}  // namespace respkit
