// A server that begins anew, as a whole or in part. Clients, subscriptions and the clock are the caller's.
#pragma once

#include <cstdint>
#include <string>

#include <respkit/server/instance.hpp>

namespace respkit {

// What INFO calls run_id: 40 random hex digits.
std::string make_run_id(random_source& random);

// Makes what is random repeat from here on, as engine_options::seed does from the start. Hash tables take
// part in it, so that there must be no keys: throws std::logic_error otherwise.
void seed(instance& server, std::uint64_t number);

// Keys, configuration, counters, rules, journal, state and chance are as they were at the start.
void reset(instance& server);

// A Redis that has been started again and has loaded its data: another run_id, counters at zero, what
// CONFIG SET had set forgotten.
void restart(instance& server);

}  // namespace respkit
