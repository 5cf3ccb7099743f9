// Directives of redis-server that a mock has no use for.
#pragma once

#include <string_view>

namespace respkit {

enum class meaning {
    unknown,   // to redis-server as well
    as_it_is,  // asks for what Redis does anyway: nobody will miss it
    none,      // asks for something that is not done here
};

meaning meaning_of(std::string_view name, std::string_view value);

// "no" and "no", "64mb" and "67108864".
bool says_the_same(std::string_view wanted, std::string_view present);

}  // namespace respkit
