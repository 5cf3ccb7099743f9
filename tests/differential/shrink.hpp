// Makes a failing round short.
#pragma once

#include "player.hpp"

namespace respkit::differential {

struct shrunk {
    script few;
    difference what;
    bool again = false;  // it happened again at all
};

// Replays the round's beginning with steps, then words, left out, as long as the same command still differs.
shrunk shrink(player& play, script const& whole, difference const& first);

// A case in the format of fixtures/: what was sent, what the reference answered, what the mock did.
std::string print_case(player& play, shrunk const& s);

}  // namespace respkit::differential
