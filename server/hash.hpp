// SipHash-1-3 of keys: what keeps a client from choosing keys that all share a bucket.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace respkit {

struct hash_seed {
    std::uint64_t k0 = 0;
    std::uint64_t k1 = 0;
};

// Aumasson and Bernstein, "SipHash: a fast short-input PRF", with one compression and three finalization
// rounds. Reads words as the machine stores them: hashes never leave the process.
inline std::uint64_t siphash13(std::string_view bytes, hash_seed seed) {
    std::uint64_t a = seed.k0 ^ 0x736f6d6570736575ULL;
    std::uint64_t b = seed.k1 ^ 0x646f72616e646f6dULL;
    std::uint64_t c = seed.k0 ^ 0x6c7967656e657261ULL;
    std::uint64_t d = seed.k1 ^ 0x7465646279746573ULL;
    auto const round = [&] {
        a += b;
        b = std::rotl(b, 13) ^ a;
        a = std::rotl(a, 32);
        c += d;
        d = std::rotl(d, 16) ^ c;
        a += d;
        d = std::rotl(d, 21) ^ a;
        c += b;
        b = std::rotl(b, 17) ^ c;
        c = std::rotl(c, 32);
    };
    char const* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t word = 0;
    for (; left >= 8; at += 8, left -= 8) {
        std::memcpy(&word, at, 8);
        d ^= word;
        round();
        a ^= word;
    }
    word = 0;
    if (left) std::memcpy(&word, at, left);
    word |= static_cast<std::uint64_t>(bytes.size()) << 56;
    d ^= word;
    round();
    a ^= word;
    c ^= 0xff;
    round();
    round();
    round();
    return a ^ b ^ c ^ d;
}

}  // namespace respkit
