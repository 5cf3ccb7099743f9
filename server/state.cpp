#include <respkit/server/command.hpp>
#include <respkit/server/state.hpp>

namespace respkit {
namespace {

constexpr struct {
    server_state what;
    std::string_view name;
} names[] = {
    {server_state::normal, "normal"},         {server_state::loading, "loading"},
    {server_state::readonly, "readonly"},     {server_state::masterdown, "masterdown"},
    {server_state::noreplicas, "noreplicas"}, {server_state::out_of_memory, "oom"},
};

}  // namespace

std::optional<server_state> parse_state(std::string_view word) {
    for (auto const& n : names)
        if (is_word(word, n.name)) return n.what;
    return {};
}

std::string_view name_of(server_state s) {
    for (auto const& n : names)
        if (n.what == s) return n.name;
    return {};
}

// Redis 7.0.15, server.c: processCommand; a replica that has lost its master is still a replica.
std::string_view refusal(server_state s, std::uint32_t flags, bool queueing) {
    using namespace flag;
    bool const writes = flags & write;
    switch (s) {
        case server_state::normal:
            return {};
        case server_state::loading:
            return flags & loading ? std::string_view() : "LOADING Redis is loading the dataset in memory";
        case server_state::masterdown:
            if (!writes)
                return flags & stale
                           ? std::string_view()
                           : "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set "
                             "to 'no'.";
            [[fallthrough]];
        case server_state::readonly:
            return writes ? "READONLY You can't write against a read only replica." : std::string_view();
        case server_state::noreplicas:
            return writes ? "NOREPLICAS Not enough good replicas to write." : std::string_view();
        case server_state::out_of_memory:
            return flags & denyoom || queueing ? "OOM command not allowed when used memory > 'maxmemory'."
                                               : std::string_view();
    }
    return {};
}

}  // namespace respkit
