// The words that random calls are made of: few keys, so that calls meet, and values at every edge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/random.hpp>

namespace respkit::differential {

bool is_pool(std::string_view name);

// A word of that pool.
std::string pick(random_source& random, std::string_view pool);

// A word that fits nowhere, to take a good one's place. Never a small number: times must not run out.
std::string junk(random_source& random);

template <class Container>
auto const& any_of(random_source& random, Container const& from) {
    return from[random.below(std::size(from))];
}

inline bool chance(random_source& random, unsigned percent) { return random.below(100) < percent; }

}  // namespace respkit::differential
