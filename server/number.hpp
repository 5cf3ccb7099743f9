// Floating-point numbers as Redis reads and prints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <respkit/server/engine.hpp>

namespace respkit {

// A score or an increment: whatever strtod takes (decimal, hexadecimal, inf, infinity, in any case) if it
// is the whole text, begins with no blank, is not NaN and fits.
std::optional<double> parse_double(std::string_view text);
// The same for the strings of INCRBYFLOAT.
std::optional<long double> parse_long_double(std::string_view text);

// A score: "3", "inf", "-0"; 17 significant digits up to Redis 7.0, from 7.2 on the shortest text that
// reads back as the same number.
std::string format_double(double value, emulation emulate);
// What INCRBYFLOAT stores: no exponent, up to 17 decimals, no zeros at the end, no -0. `value` is finite.
std::string format_long_double(long double value);

}  // namespace respkit
