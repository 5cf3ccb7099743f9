// What a command is: one row and one function.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <respkit/resp/number.hpp>
#include <respkit/resp/writer.hpp>
#include <respkit/server/errors.hpp>
#include <respkit/server/keyspace.hpp>
#include <respkit/server/session.hpp>

namespace respkit {

class instance;

// All a handler sees. Views die when the handler returns.
struct call {
    std::span<std::string_view const> words;  // the command's name first; a subcommand's second
    session& who;
    keyspace& db;  // the one the client has selected
    resp::writer& reply;
    instance& server;
    command const& row;
    bool error_counted = false;  // the reply is an error that a command inside a script has answered

    std::size_t size() const { return words.size(); }
    std::string_view operator[](std::size_t i) const { return words[i]; }
    std::int64_t now() { return db.shared().now; }  // Unix milliseconds

    // words[i] as an integer; if it is none, says so to the client.
    std::optional<std::int64_t> integer(std::size_t i, std::string_view complaint = errors::not_integer) {
        auto const n = resp::parse_integer(words[i]);
        if (!n) reply.error(complaint);
        return n;
    }

    // Every write that has changed something reports it, before or behind its reply as Redis does (a client
    // may listen to its own events): the key, the class (event::) and name that keyspace notifications give
    // the change, and how often Redis counts it. `in`: the key's database, if not the client's own. Further
    // names for the same change go to notify(). Redis tells some changes to subscribers first and only then
    // to those who watch or track the key: there notify() goes before touched().
    void changed(std::string_view key, std::uint32_t what, std::string_view name, std::uint64_t times = 1) {
        changed(db, key, what, name, times);
    }
    void changed(keyspace& in, std::string_view key, std::uint32_t what, std::string_view name,
                 std::uint64_t times = 1) {
        touched(in, key, times);
        notify(in, key, what, name);
    }
    void touched(std::string_view key, std::uint64_t times = 1) { touched(db, key, times); }
    void touched(keyspace& in, std::string_view key, std::uint64_t times = 1) {
        in.shared().changes += times;
        if (auto* o = in.shared().observer) [[unlikely]]
            o->touched(in, key);
    }
    // The last element of the container under `key` has been taken out: the key goes.
    void drop_empty(std::string_view key) {
        db.erase(key);
        notify(key, event::generic, "del");
    }
    void notify(std::string_view key, std::uint32_t what, std::string_view name) {
        notify(db, key, what, name);
    }
    void notify(keyspace& in, std::string_view key, std::uint32_t what, std::string_view name) {
        if (auto* o = in.shared().observer) [[unlikely]]
            o->happened(in, key, what, name);
    }
};

// Does `word` spell `name` (lower case), in whatever case?
bool is_word(std::string_view word, std::string_view name);

std::string lower_case(std::string_view word);

// Whether a client may call itself so: no blanks, nothing but printable ASCII.
inline bool is_client_name(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char ch) { return ch >= '!' && ch <= '~'; });
}

// The flags of a command, as COMMAND INFO names them.
namespace flag {
enum : std::uint32_t {
    write = 1u << 0,
    readonly = 1u << 1,
    denyoom = 1u << 2,
    admin = 1u << 3,
    pubsub = 1u << 4,
    noscript = 1u << 5,
    blocking = 1u << 6,
    loading = 1u << 7,
    stale = 1u << 8,
    skip_monitor = 1u << 9,
    skip_slowlog = 1u << 10,
    asking = 1u << 11,
    fast = 1u << 12,
    no_auth = 1u << 13,
    may_replicate = 1u << 14,
    no_mandatory_keys = 1u << 15,
    no_async_loading = 1u << 16,
    no_multi = 1u << 17,
    movablekeys = 1u << 18,
    allow_busy = 1u << 19,

    shown = (1u << 20) - 1,      // by COMMAND; what follows is ours
    like_write = 1u << 29,       // to CLIENT PAUSE WRITE: replicas would hear of it
    never_queued = 1u << 30,     // runs at once, also after MULTI
    for_subscribers = 1u << 31,  // allowed to a RESP2 client that has subscribed to something
};
}

// ACL categories beyond those that follow from the flags (@read, @write, @fast, @slow, …).
namespace category {
enum : std::uint32_t {
    keyspace = 1u << 0,
    read = 1u << 1,
    write = 1u << 2,
    set = 1u << 3,
    sorted_set = 1u << 4,
    list = 1u << 5,
    hash = 1u << 6,
    string = 1u << 7,
    bitmap = 1u << 8,
    hyperloglog = 1u << 9,
    geo = 1u << 10,
    stream = 1u << 11,
    pubsub = 1u << 12,
    admin = 1u << 13,
    fast = 1u << 14,
    slow = 1u << 15,
    blocking = 1u << 16,
    dangerous = 1u << 17,
    connection = 1u << 18,
    transaction = 1u << 19,
    scripting = 1u << 20,
};
}

// What a command does with the keys of one specification, in COMMAND INFO's terms.
namespace key_flag {
enum : std::uint16_t {
    rw = 1u << 0,
    ro = 1u << 1,
    ow = 1u << 2,
    rm = 1u << 3,
    access = 1u << 4,
    update = 1u << 5,
    insert = 1u << 6,
    remove = 1u << 7,
    not_key = 1u << 8,
    incomplete = 1u << 9,
    variable_flags = 1u << 10,
};
}

// Where keys are: beginning at word `begin`, up to `last` (relative to begin; negative: from the end),
// every `step` words; or, `counted`, word `begin` says how many keys follow it; or, `unknown`, anywhere.
struct key_spec {
    std::uint16_t flags = 0;
    std::int8_t begin = 1;
    std::int8_t last = 0;
    std::int8_t step = 1;
    std::int8_t limit = 0;
    bool counted = false;
    bool unknown = false;
    std::string_view note = {};
};

// The usual specifications: what happens to the value under the key.
namespace key {
inline constexpr key_spec looks_at{.flags = key_flag::ro};  // at its size or presence, not its content
inline constexpr key_spec reads{.flags = key_flag::ro | key_flag::access};
inline constexpr key_spec overwrites{.flags = key_flag::ow | key_flag::update};
inline constexpr key_spec updates{.flags = key_flag::rw | key_flag::update};
inline constexpr key_spec inserts{.flags = key_flag::rw | key_flag::insert};
inline constexpr key_spec removes{.flags = key_flag::rw | key_flag::remove};
inline constexpr key_spec takes{.flags = key_flag::rw | key_flag::access | key_flag::remove};
inline constexpr key_spec exchanges{.flags = key_flag::rw | key_flag::access | key_flag::update};

// The same from word `begin` on / for every `step`th word to the last / for a counted list of keys.
constexpr key_spec from(std::int8_t begin, key_spec k) {
    k.begin = begin;
    return k;
}
constexpr key_spec all(key_spec k, std::int8_t step = 1) {
    k.last = -1;
    k.step = step;
    return k;
}
constexpr key_spec counted(key_spec k) {
    k.counted = true;
    return k;
}
}  // namespace key

struct command {
    std::string_view name;  // lower case; a subcommand's own word ("setname")
    int arity = 0;          // n: exactly n words, the name included; -n: at least n
    std::uint32_t flags = 0;
    std::uint32_t categories = 0;
    key_spec keys[3] = {};         // those with flags
    void (*run)(call&) = nullptr;  // null for a container that is nothing without a subcommand
    std::span<command const> subcommands = {};
    std::string_view tips[3] = {};
    std::string_view since = {};  // the Redis version that brought it
    std::string_view group = {};  // as COMMAND DOCS has it: "string", "generic", …
    std::string_view summary = {};
    std::string_view container = {};  // of a subcommand: the command it belongs to
    bool since_7_2 = false;           // unknown under --emulate 7.0
    bool hidden = false;              // ours, not Redis': in none of its lists
    std::uint32_t number = 0;         // its place in the server's table, subcommands counted
};

// The families, each at the foot of its file in commands/.
std::span<command const> string_commands();
std::span<command const> lcs_commands();
std::span<command const> list_commands();
std::span<command const> set_commands();
std::span<command const> hash_commands();
std::span<command const> bit_commands();
std::span<command const> bitfield_commands();
std::span<command const> stream_commands();
std::span<command const> sorted_set_commands();
std::span<command const> sorted_set_range_commands();
std::span<command const> sorted_set_algebra_commands();
std::span<command const> sorted_set_pop_commands();
std::span<command const> key_commands();
std::span<command const> key_copy_commands();
std::span<command const> sort_commands();
std::span<command const> object_commands();
std::span<command const> connection_commands();
std::span<command const> client_commands();
std::span<command const> access_commands();
std::span<command const> admin_commands();
std::span<command const> diagnostic_commands();
std::span<command const> script_commands();
std::span<command const> function_commands();
std::span<command const> server_commands();
std::span<command const> info_commands();
std::span<command const> introspection_commands();
std::span<command const> transaction_commands();
std::span<command const> pubsub_commands();
std::span<command const> list_move_commands();
std::span<command const> respkit_commands();

}  // namespace respkit
