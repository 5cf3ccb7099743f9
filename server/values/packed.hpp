// Bytes that lie packed together, with their lengths: one byte up to 254, else 255 and four bytes. A length
// stands in front; in an entry, which can be walked over either way, behind as well.
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

constexpr std::size_t entry_size(std::size_t n) { return n + 2 * length_size(n); }

// Behind as in front, but mirrored: the byte that says which form it is comes last.
inline void write_entry(char* to, std::string_view bytes) {
    to = write_length(to, bytes.size());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
    if (bytes.size() < long_mark) {
        *to = static_cast<char>(bytes.size());
        return;
    }
    auto const wide = static_cast<std::uint32_t>(bytes.size());
    std::memcpy(to, &wide, 4);
    to[4] = static_cast<char>(long_mark);
}

// How long the entry is that ends there.
inline std::size_t size_before(char const* end) {
    auto const last = static_cast<unsigned char>(end[-1]);
    if (last < long_mark) return entry_size(last);
    std::uint32_t wide = 0;
    std::memcpy(&wide, end - 5, 4);
    return entry_size(wide);
}

inline void append(std::string& out, std::string_view bytes) {
    char length[5];
    out.append(length, static_cast<std::size_t>(write_length(length, bytes.size()) - length));
    out.append(bytes);
}

}  // namespace respkit::packed
