// The server without its sockets: bytes in, bytes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <respkit/server/clock.hpp>
#include <respkit/server/journal.hpp>
#include <respkit/server/rule.hpp>
#include <respkit/server/script.hpp>
#include <respkit/server/state.hpp>
#include <respkit/server/vigils.hpp>

namespace respkit {

class instance;
class session;

enum class emulation { redis_7_0, redis_7_2 };

struct engine_options {
    std::string password = {};  // empty: no AUTH needed
    int databases = 16;
    std::size_t max_clients = 10000;
    emulation emulate = emulation::redis_7_0;
    std::optional<std::uint64_t> seed = {};  // of hashes and random picks; by default a random one
    // CONFIG SET done at the start, by parameter and value; a value that CONFIG SET would refuse throws
    // std::invalid_argument with its words.
    std::vector<std::pair<std::string, std::string>> config = {};
    // Asked for every request from the start, in this order.
    std::vector<rule> rules = {};
    // Requests are written down from the start; RESPKIT CALLS ON does it later.
    bool journal = false;
    // RESPKIT is for peers on this machine; with this, for all.
    bool remote_control = false;
    // Users as redis.conf has them, without the word "user": "alice on >secret ~cache:* +@read". A line that
    // says something else throws std::invalid_argument.
    std::vector<std::string> users = {};
    // What SHUTDOWN does; empty: it is refused.
    std::function<void()> on_shutdown = {};
    // Bytes of a request or transaction that is not whole yet (Redis' client-query-buffer-limit).
    std::size_t query_limit = std::size_t{1} << 30;
    // Bytes any client may leave unread, whatever client-output-buffer-limit allows.
    std::size_t output_limit = std::size_t{4} << 30;
};

// What has happened since the start (or CONFIG RESETSTAT).
struct counters {
    std::uint64_t connections = 0;
    std::uint64_t rejected_connections = 0;
    std::uint64_t commands = 0;
    std::uint64_t errors = 0;  // error replies
    std::uint64_t reads = 0;   // reads from sockets that brought bytes
    std::uint64_t writes = 0;  // writes to sockets
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t keyspace_hits = 0;
    std::uint64_t keyspace_misses = 0;
    std::uint64_t expired_keys = 0;
};

// Who is at the other end of a session; shown by CLIENT LIST.
struct peer {
    std::string address = "127.0.0.1:0";  // or the socket's path and ":0"
    std::string local_address = "127.0.0.1:0";
    int descriptor = -1;
    bool unix_socket = false;
};

// All data, all sessions, every command. One thread at a time may call it; nothing in it blocks, waits or
// touches a socket (DEBUG SLEEP excepted, which stops the whole server, as in Redis).
class engine {
public:
    // `time` must outlive the engine.
    engine(engine_options o, clock& time);
    ~engine();

    // A client has come; destroying the handle is its leaving.
    struct close_session {
        void operator()(session* s) const;
    };
    using session_handle = std::unique_ptr<session, close_session>;
    // `wake` runs at the end of a call that has something for this session which it did not ask for in that
    // call, be it replies or its end: feed() it, with what input there is, to get that. Must not call the
    // engine.
    session_handle open(peer who, std::function<void()> wake = {});

    enum class progress {
        need_more,    // every complete request has been run, up to one whose reply must be waited for
        output_full,  // `out` is long; send it, then call again with the rest of the input, no new bytes
                      // needed
        close,        // send `out`, then close
        reset,        // send `out`, then close in such a way that the client gets a reset
        abort,        // close at once and send nothing more, not even replies still unsent
    };
    struct fed {
        std::size_t consumed;  // drop so many bytes of `in`; what remains must come again, at the front
        progress what;
    };
    // Runs the complete requests at the front of `in` in order and appends one reply each to `out`.
    fed feed(session& who, std::string_view in, std::string& out);

    // Whether the client is blocked, as by BLPOP or CLIENT PAUSE: its input rests until it is woken. / Ends
    // that, unanswered.
    bool waits(session const& who) const;
    void stop_waiting(session& who);
    // Forgets all that the client waits for, watches and has subscribed to: it will not be fed again.
    void release(session& who);

    // Whether a client that leaves so many bytes unread is to be dropped (client-output-buffer-limit).
    bool leaves_too_much(session& who, std::size_t bytes);
    // Whether another client or the server has ended it (CLIENT KILL): feed() says abort.
    bool ended(session const& who) const;

    // Whoever is behind `who` needs no AUTH: the program that embeds the server.
    void trust(session& who);

    // Rules: what they may do is said in rule.hpp. add_rule() returns the number to remove one by; unmet()
    // a line for every rule that has acted less often than it must.
    std::uint64_t add_rule(rule r);
    bool remove_rule(std::uint64_t id);
    void clear_rules();
    std::vector<std::string> unmet() const;

    // The journal, as far as it is kept.
    std::vector<recorded_call> calls(call_filter const& f) const;
    void clear_calls();

    // f runs once, with whether the condition holds, as soon as it does: perhaps before this returns. Not
    // after forget() of the number returned.
    std::uint64_t keep_vigil(condition c, vigils::done f);
    void forget(std::uint64_t vigil);

    // Puts the server into a state in which it refuses commands.
    void pretend(server_state s);
    // Lets EVAL and EVALSHA run `f` for the script of this Lua text, or of this SHA-1 (40 hexadecimal
    // digits); it counts as loaded. Returns the SHA-1.
    std::string add_script(std::string body, script_function f);

    // Where clients find this server, for CONFIG GET and INFO.
    void describe(std::string const& address, int port, std::string const& unix_path);

    // When, by the clock given, there is next something to do without a request: a key expires.
    std::optional<clock::time_point> next_deadline() const;
    // f runs at the end of every feed() that has made that time earlier.
    void on_deadline(std::function<void()> f);
    // Does what is due, in portions that starve nobody: afterwards next_deadline() may still lie in the past.
    void run_due();
    // The same to its end: for a clock that has been moved.
    void catch_up();

    counters& counts();
    std::map<std::string, std::uint64_t> const& unsupported() const;
    engine_options const& options() const;
    std::size_t sessions() const;

    // All of it, for those of the server who know <respkit/server/instance.hpp>.
    instance& inside();

private:
    void settle();
    void catch_up_with_time();
    progress run(session& who, std::string_view in, std::string& out, std::size_t& used);
    std::optional<progress> answered(session& who);
    static std::optional<progress> ending(session const& who);
    std::optional<progress> answer(session& who, std::span<std::string_view const> words);

    std::unique_ptr<instance> state_;
    std::function<void()> on_deadline_;
};

}  // namespace respkit
