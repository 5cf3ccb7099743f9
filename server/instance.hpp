// One server's whole state, as the commands that manage it see it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <respkit/server/command_table.hpp>
#include <respkit/server/config.hpp>
#include <respkit/server/keyspace.hpp>
#include <respkit/server/session.hpp>

namespace respkit {

class instance {
public:
    instance(engine_options o, clock const& time);

    // Runs one request. Exactly one reply is appended to `out`, unless the connection is to end silently.
    void dispatch(session& who, std::span<std::string_view const> words, std::string& out);

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
    clock const& time;
    counters counts;
    shared_state shared;
    command_table commands;
    configuration config;
    std::vector<std::unique_ptr<keyspace>> databases;
    std::map<std::uint64_t, session*> sessions;  // by id, the order in which they came
    std::uint64_t last_id = 0;
    std::map<std::string, std::uint64_t> unsupported;   // commands asked for that do not exist
    std::map<std::string, std::uint64_t> error_counts;  // error replies by their first word
    std::int64_t now_us = 0;                            // the time of this batch, Unix microseconds
    std::int64_t started_us = 0;
    std::string run_id;
};

}  // namespace respkit
