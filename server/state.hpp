// States in which a Redis refuses some or all commands, to be put on like a coat.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace respkit {

enum class server_state : std::uint8_t {
    normal,
    loading,       // its data from disk
    readonly,      // a replica
    masterdown,    // a replica that has lost its master and serves no stale data
    noreplicas,    // a master with fewer replicas than min-replicas-to-write
    out_of_memory  // above maxmemory, with nothing to evict
};

// "normal", "loading", "readonly", "masterdown", "noreplicas", "oom"; in whatever case.
std::optional<server_state> parse_state(std::string_view word);
std::string_view name_of(server_state s);

// The words in which that state refuses a command with such flags (flag::); empty: it does not.
// `queueing`: the command is about to be queued in a transaction.
std::string_view refusal(server_state s, std::uint32_t flags, bool queueing);

}  // namespace respkit
