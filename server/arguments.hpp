// Small readings of arguments that several families of commands share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <respkit/server/command.hpp>

namespace respkit {

// words[i] as an integer not below `least`; if it is none, says so to the client.
inline std::optional<std::uint64_t> integer_from(call& c, std::size_t i, std::int64_t least,
                                                 std::string_view complaint = errors::not_positive) {
    auto const n = c.integer(i, complaint);
    if (!n) return {};
    if (*n < least) {
        c.reply.error(complaint);
        return {};
    }
    return static_cast<std::uint64_t>(*n);
}

// Part of a sequence.
struct extent {
    std::size_t first = 0;
    std::size_t count = 0;
};

// From one index to another, both inclusive, in a sequence of `size` elements. Negative indices count from
// the end; what lies outside is cut off.
inline extent index_range(std::int64_t start, std::int64_t stop, std::size_t size) {
    auto const n = static_cast<std::int64_t>(size);
    if (start < 0) start = std::max<std::int64_t>(start + n, 0);
    if (stop < 0) stop += n;
    stop = std::min(stop, n - 1);
    if (start > stop) return {};
    return {static_cast<std::size_t>(start), static_cast<std::size_t>(stop - start + 1)};
}

}  // namespace respkit
