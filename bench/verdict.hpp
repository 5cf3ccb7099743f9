// Who was the bottleneck, and can the figures be trusted.
#pragma once

#include <string>

#include <respkit/bench/result.hpp>

namespace respkit::bench {

inline constexpr double full = 0.90;          // of the window: a thread that busy has no room left
inline constexpr double least_seconds = 0.1;  // a shorter window is too short
inline constexpr std::uint64_t least_operations = 1000;
inline constexpr double little_slack =
    1.05;  // more in flight than allowed by this factor: something is wrong

// Fills in outstanding, verdict and verdict_reason from the rest.
void judge(test_result& t);

// The thresholds, and the numbers of this test that were held against them; several lines.
std::string explain(test_result const& t);

// The run is over before it could tell much; its verdict is not to be read.
bool too_short(test_result const& t);

// Cores that all load threads together kept busy.
double client_cores(test_result const& t);

std::string_view name(bound b);  // "client-bound"

}  // namespace respkit::bench
