// One server's whole state, as the commands that manage it see it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <respkit/server/acl.hpp>
#include <respkit/server/acl_log.hpp>
#include <respkit/server/command_table.hpp>
#include <respkit/server/config.hpp>
#include <respkit/server/journal.hpp>
#include <respkit/server/key_events.hpp>
#include <respkit/server/keyspace.hpp>
#include <respkit/server/monitors.hpp>
#include <respkit/server/output_limits.hpp>
#include <respkit/server/pause.hpp>
#include <respkit/server/pubsub.hpp>
#include <respkit/server/rule_book.hpp>
#include <respkit/server/scripts.hpp>
#include <respkit/server/session.hpp>
#include <respkit/server/stalls.hpp>
#include <respkit/server/state.hpp>
#include <respkit/server/tracking.hpp>
#include <respkit/server/vigils.hpp>
#include <respkit/server/waiting_room.hpp>
#include <respkit/server/watches.hpp>

namespace respkit {

// Why a client need not wait any longer although there is nothing for it.
enum class wait_end { timed_out, unblocked };

// What INFO commandstats tells of a command.
struct command_counts {
    std::uint64_t calls = 0;
    std::uint64_t rejected = 0;  // before it was run
    std::uint64_t failed = 0;    // answered with an error
    std::uint64_t sampled = 0;   // calls that have been timed
    std::chrono::nanoseconds time{0};
};

class instance {
public:
    instance(engine_options o, respkit::clock& time);

    // Runs one request. Exactly one reply is appended to the session's output, unless the connection is to
    // end silently or the client is to wait.
    void dispatch(session& who, std::span<std::string_view const> words);
    // The same past the gates: a command that is known and allowed.
    void execute(session& who, command const& row, std::span<std::string_view const> words) {
        execute(who, row, words, {replies_to(who), who.protocol});
    }
    // The same for a script: the reply goes to `out`, as RESP2 has it.
    void execute_in_script(session& who, command const& row, std::span<std::string_view const> words,
                           std::string& out) {
        execute(who, row, words, {out, resp::version::v2, true});
    }

    // The same with the journal and the rules before it: what may become of the request is said in rule.hpp.
    void interpose(session& who, std::span<std::string_view const> words);
    // A client that a rule holds up has its turn: what is due is done.
    void go_on(session& who);
    // Those whose time has come get their turn.
    void wake_due();
    // The client rests until the condition holds, or until then (Unix milliseconds); it gets 1 or 0.
    void keep_vigil(session& who, condition c, std::int64_t until);

    // Runs the request that CLIENT PAUSE has held up.
    void dispatch_held(session& who);
    // To be called when the journal or the rules have changed.
    void observe_requests();

    // Serves the clients that wait for keys which have come into being since.
    void serve_waiting();
    // Ends a wait with the answer that says so.
    void end_wait(session& who, wait_end how);
    // Those that have lasted long enough.
    void end_overdue_waits();

    // To be called when somebody may begin or cease to care what happens to keys.
    void observe_keys() { shared.observer = events.needed() ? &events : nullptr; }

    // To be called when somebody may begin or cease to care which commands are run.
    void observe_commands() { overheard = caches.clients() || !monitors.empty(); }

    // The clients whose requests have been held up may go on.
    void end_pause();
    void end_overdue_pause();

    // Wakes this session once the running batch is over.
    void wake(session& who);
    void wake_all();
    // Whether the session leaves more unread than its class may. / Ends it if its outbox does.
    bool leaves_too_much(session& who, std::size_t bytes);
    void limit_output(session& who);
    // Forgets all that the session has subscribed to, watches, tracks and waits for.
    void release(session& who);
    // Ends another session: it has no part in anything from now on, and is woken to learn of it.
    void end(session& who);
    // Where replies to this session go: nowhere if it has asked for silence.
    std::string& replies_to(session& who) { return who.silent() ? unheard : who.output(); }

    // Who the session acts for from now on, and whether it has shown that it may.
    void admit(session& who, user& as, bool authenticated);
    void admit_as_default(session& who);
    // With a name and a password, which are among `words`. False, and logged: they do not fit.
    bool log_in(session& who, std::string_view name, std::string_view password,
                std::span<std::string_view const> words);
    // Why the session's user may not do that, which is logged; nothing if he may.
    denial forbids(session& who, command const& row, std::span<std::string_view const> words,
                   acl_log::context where);
    // Gives a user what another one has. Ends sessions that listen to what he may hear no longer.
    void change(user& u, user const& to);
    // Ends his sessions, but for the one that is running. False: there is no such user.
    bool remove_user(std::string_view name);
    // The users are those of the start; sessions of others become the default user's, and must say AUTH.
    void begin_users_again();

    // A session's line of CLIENT LIST; `words`: what it is asking for, if it is the one that is running.
    std::string describe(session const& s, std::span<std::string_view const> words = {}) const;

    // Books a command that does not exist.
    void count_unsupported(std::string name);
    // Books an error reply, given as it goes out.
    void count_error(std::string_view reply);

    // Reads the clock: once per batch of requests, not per request.
    void tick();

    // What this server says it is.
    std::string_view version() const { return options.emulate == emulation::redis_7_2 ? "7.2.4" : "7.0.15"; }

    keyspace& database(int number) { return *databases[static_cast<std::size_t>(number)]; }

    engine_options options;
    respkit::clock& time;
    bool time_moved = false;  // by a client, in the batch that is running
    counters counts;
    shared_state shared;
    command_table commands;
    access_list users{commands};
    acl_log denied;
    configuration config;
    output_limits limits;
    std::vector<std::unique_ptr<keyspace>> databases;
    std::map<std::uint64_t, session*> sessions;  // by id, the order in which they came
    watches watched;
    waiting_room waiting;
    pubsub channels;
    tracking caches{*this};
    monitor_list monitors;
    script_store scripts;
    pause paused;
    journal calls;
    rule_book rules;
    stalls held_up;
    vigils expected;
    server_state state = server_state::normal;
    key_events events{watched, waiting, channels, caches};
    std::vector<session*> awake;  // to be woken at the end of the batch
    session* running = nullptr;   // whose batch it is, or who is being served meanwhile
    bool overheard = false;       // somebody monitors or tracks
    bool interposed = false;      // there is a rule, or a journal
    std::string unheard;          // replies that a client does not want
    std::uint64_t last_id = 0;
    std::map<std::string, std::uint64_t> unsupported;   // commands asked for that do not exist
    std::map<std::string, std::uint64_t> error_counts;  // error replies by their first word
    std::int64_t now_us = 0;                            // the time of this batch, Unix microseconds
    std::int64_t started_us = 0;
    std::int64_t saved_us = 0;               // when SAVE was last asked for
    std::vector<command_counts> by_command;  // by row.number
    bool sample = false;                     // time the next command: the first of each batch
    std::string run_id;

private:
    // Where a command's reply goes.
    struct target {
        std::string& out;
        resp::version protocol;
        bool in_script = false;
    };
    void execute(session& who, command const& row, std::span<std::string_view const> words, target to);

    // Calls f(call&), a command or a part of one, and books an error it answers with. If it asks for more
    // memory than there is, that is the answer, and true: the server and its other clients live on.
    template <class F>
    bool run(session& who, command const& row, keyspace& db, std::span<std::string_view const> words,
             target to, F f) {
        std::size_t const begin = to.out.size();
        resp::writer reply(to.out, to.protocol);
        call c{words, who, db, reply, *this, row};
        bool done = true;
        try {
            done = f(c);
        } catch (std::bad_alloc const&) {
            to.out.resize(begin);
            reply.error(errors::out_of_memory);
            for (auto const word : words) db.erase_empty(word);  // created, and then not filled
        }
        if (auto const error = reply.last_error(); !error.empty()) {
            if (!c.error_counted) count_error(error);
            ++by_command[row.number].failed;
        }
        return done;
    }
    void drop(session& who);  // as end(), but for the one that is running, which gets its reply
    void serve(int db, std::string_view key);
    void leave_waiting(session& who, std::size_t begin);  // with its reply, which begins there
    void perform(session& who, std::span<std::string_view const> words, std::uint64_t call,
                 std::uint64_t rule, action const& what);
    void hold_up(session& who, stall s);
    void end_as(session& who, action::ending how);
    void overhear(session& who, command const& row, std::span<std::string_view const> words, bool in_script);
    static std::uint32_t effects_of(session const& who, command const& row);
    bool hold(session& who, command const& row, std::span<std::string_view const> words);
    void refuse(session& who, command const* row, std::string_view text);
    void queue(session& who, command const& row, std::span<std::string_view const> words);
};

}  // namespace respkit
