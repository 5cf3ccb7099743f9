// Redis' patterns, as KEYS, SCAN and PSUBSCRIBE take them.
#pragma once

#include <string_view>

namespace respkit {

// * any bytes, ? any one, [a-z] one of, [^a-z] one not of, \x the byte x itself. As Redis has it, a class
// need not be closed, a range may run downwards, and the empty text matches the empty pattern only.
// Takes time proportional to the product of the two lengths at worst.
bool glob_match(std::string_view pattern, std::string_view text, bool ignore_case = false);

}  // namespace respkit
