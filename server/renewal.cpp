#include <memory>
#include <stdexcept>

#include <respkit/server/renewal.hpp>

namespace respkit {
namespace {

void forget_history(instance& server) {
    server.counts = {};
    server.error_counts.clear();
    server.by_command.assign(server.commands.size(), {});
    server.unsupported.clear();
    server.shared.changes = 0;
    server.end_pause();
    server.config.rewind();
    server.begin_users_again();
    server.scripts.flush();
    for (auto const& [name, value] : server.options.config) (void)server.config.set({{name, value}});
}

}  // namespace

std::string make_run_id(random_source& random) {
    constexpr char hex[] = "0123456789abcdef";
    std::string id(40, '0');
    for (auto& c : id) c = hex[random.below(16)];
    return id;
}

void seed(instance& server, std::uint64_t number) {
    server.tick();
    for (auto const& db : server.databases) {
        db->expire_due(db->size());
        if (db->size())
            throw std::logic_error(
                "respkit: a seed is for a server without keys, whose order it decides: set it first, or "
                "behind a reset");
    }
    auto& shared = server.shared;
    server.options.seed = number;
    shared.random = random_source(number);
    shared.seed = {shared.random(), shared.random()};
    for (auto& db : server.databases) db = std::make_unique<keyspace>(shared, db->number());
    server.run_id = make_run_id(shared.random);
}

void reset(instance& server) {
    server.tick();
    for (auto const& db : server.databases) db->clear();
    server.caches.flushed();
    forget_history(server);
    server.state = server_state::normal;
    server.calls.clear();
    server.rules.clear();
    for (auto const& r : server.options.rules) server.rules.add(r, 0);
    server.observe_requests();
    if (auto const number = server.options.seed) seed(server, *number);
}

void restart(instance& server) {
    server.tick();
    forget_history(server);
    server.run_id = make_run_id(server.shared.random);
    server.started_us = server.saved_us = server.now_us;
}

}  // namespace respkit
