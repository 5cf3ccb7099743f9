// Strings as rows of bits: the highest bit of the first byte is bit 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <respkit/server/command.hpp>

namespace respkit {

// Ranges include both ends and lie within `bytes`.
std::uint64_t count_bits(std::string_view bytes, std::uint64_t first, std::uint64_t last);
std::optional<std::uint64_t> find_bit(std::string_view bytes, bool bit, std::uint64_t first,
                                      std::uint64_t last);

// `width` bits, 1 to 64, from `offset` on as a number, the highest bit first; beyond the end all bits are 0.
std::uint64_t read_bits(std::string_view bytes, std::uint64_t offset, unsigned width);
// The bits must be there.
void write_bits(char* bytes, std::uint64_t offset, unsigned width, std::uint64_t value);

// words[i] as the number of a bit; if it is none, says so to the client. "#3" is the third field of `width`
// bits, where such are known.
std::optional<std::uint64_t> bit_offset(call& c, std::size_t i, unsigned width = 0);

// The string under words[1], begun or filled up with zeros so that it has a bit `last`.
struct bit_string {
    record* held = nullptr;  // null: it is no string, and the client has been told
    bool grown = false;
};
bit_string string_with_bit(call& c, std::uint64_t last);

}  // namespace respkit
