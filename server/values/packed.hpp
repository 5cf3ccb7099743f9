// Lengths in front of bytes that lie packed together: one byte up to 254, else 255 and four bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace respkit::packed {

inline constexpr unsigned char long_mark = 255;

constexpr std::size_t length_size(std::size_t n) { return n < long_mark ? 1 : 5; }

// Returns one past what it wrote.
inline char* write_length(char* to, std::size_t n) {
    if (n < long_mark) {
        *to = static_cast<char>(n);
        return to + 1;
    }
    auto const wide = static_cast<std::uint32_t>(n);
    *to = static_cast<char>(long_mark);
    std::memcpy(to + 1, &wide, 4);
    return to + 5;
}

// The bytes whose length stands at `at`; they end where the next thing begins.
inline std::string_view read(char const* at) {
    auto const first = static_cast<unsigned char>(*at);
    if (first < long_mark) return {at + 1, first};
    std::uint32_t wide = 0;
    std::memcpy(&wide, at + 1, 4);
    return {at + 5, wide};
}

inline void append(std::string& out, std::string_view bytes) {
    char length[5];
    out.append(length, static_cast<std::size_t>(write_length(length, bytes.size()) - length));
    out.append(bytes);
}

}  // namespace respkit::packed
