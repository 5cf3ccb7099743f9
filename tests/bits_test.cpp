// Bits of strings against a model of one bool per bit: random strings, ranges and fields.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/server/bits.hpp>
#include <respkit/server/random.hpp>

using namespace respkit;

namespace {

// Runs of zeros and ones as often as noise, so that whole words are skipped.
std::string any_bytes(random_source& any) {
    std::string bytes(1 + any.below(60), '\0');
    for (std::size_t i = 0; i < bytes.size();) {
        auto const kind = any.below(3);
        for (auto run = 1 + any.below(20); run && i < bytes.size(); --run)
            bytes[i++] = kind == 0 ? '\0' : kind == 1 ? '\xff' : static_cast<char>(any.below(256));
    }
    return bytes;
}

std::vector<bool> bits_of(std::string const& bytes) {
    std::vector<bool> bits;
    for (char const byte : bytes)
        for (int shift = 7; shift >= 0; --shift)
            bits.push_back(static_cast<unsigned char>(byte) >> shift & 1);
    return bits;
}

}  // namespace

TEST_CASE("ranges: the same counts and positions as bit by bit") {
    random_source any(1);
    for (int round = 0; round < 20000; ++round) {
        auto const bytes = any_bytes(any);
        auto const bits = bits_of(bytes);
        auto const first = any.below(bits.size());
        auto const last = first + any.below(bits.size() - first);
        CAPTURE(round);
        auto const begin = bits.begin() + static_cast<std::ptrdiff_t>(first);
        auto const end = bits.begin() + static_cast<std::ptrdiff_t>(last) + 1;
        REQUIRE(count_bits(bytes, first, last) == static_cast<std::uint64_t>(std::count(begin, end, true)));
        for (bool const wanted : {false, true}) {
            auto const at = std::find(begin, end, wanted);
            auto const found = find_bit(bytes, wanted, first, last);
            REQUIRE(found.has_value() == (at != end));
            if (found) REQUIRE(*found == static_cast<std::uint64_t>(at - bits.begin()));
        }
    }
}

TEST_CASE("fields: what is written is read, and nothing else changes") {
    random_source any(2);
    for (int round = 0; round < 20000; ++round) {
        auto bytes = any_bytes(any);
        auto bits = bits_of(bytes);
        auto const width = static_cast<unsigned>(1 + any.below(std::min<std::size_t>(64, bits.size())));
        auto const offset = any.below(bits.size() - width + 1);
        auto const value = any();
        CAPTURE(round);
        write_bits(bytes.data(), offset, width, value);
        for (unsigned i = 0; i < width; ++i) bits[offset + i] = value >> (width - 1 - i) & 1;
        REQUIRE(bits_of(bytes) == bits);
        REQUIRE(read_bits(bytes, offset, width) == (value & (~std::uint64_t{0} >> (64 - width))));
    }
}

TEST_CASE("fields: zeros follow the end") {
    CHECK(read_bits("\xff", 4, 8) == 0xf0);
    CHECK(read_bits("\xff", 8, 64) == 0);
    CHECK(read_bits("", 0, 1) == 0);
    CHECK(read_bits("a", std::uint64_t{1} << 40, 63) == 0);
}
