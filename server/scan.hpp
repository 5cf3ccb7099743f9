// What SCAN, SSCAN, HSCAN and ZSCAN have in common: their options, and how many buckets a call visits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <respkit/server/command.hpp>

namespace respkit {

struct scan_options {
    std::size_t count = 10;
    std::optional<std::string_view> pattern;  // none: everything matches
    std::optional<std::string_view> type;

    bool matches(std::string_view name) const;
};

// words[i] as a cursor; if it is none, says so to the client.
std::optional<std::uint64_t> scan_cursor(call& c, std::size_t i);

// The options from words[i] on; TYPE is one if `typed`. The first mistake goes to the client.
std::optional<scan_options> parse_scan_options(call& c, std::size_t i, bool typed);

// Calls step(cursor) → next cursor until `found()` elements are enough for the count, or it is not worth
// while to go on through empty buckets; returns the cursor for the client.
template <class Step, class Found>
std::uint64_t scan_steps(std::uint64_t cursor, std::size_t count, Step&& step, Found&& found) {
    std::uint64_t left = std::uint64_t{count} * 10;
    if (left / 10 != count) left = ~std::uint64_t{0};
    do {
        cursor = step(cursor);
    } while (cursor != 0 && left-- > 0 && found() < count);
    return cursor;
}

}  // namespace respkit
