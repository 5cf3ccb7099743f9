#include <array>
#include <bit>
#include <cstdint>

#include <respkit/server/digest.hpp>

namespace respkit {
namespace {

using block = std::array<std::uint32_t, 16>;

// Calls f with each block of the padded message (FIPS 180-4, 5.1.1): the bytes, a one, zeros, their number
// of bits.
template <class F>
void each_block(std::string_view bytes, F f) {
    std::string tail(bytes.substr(bytes.size() / 64 * 64));
    tail += '\x80';
    tail.append((119 - bytes.size() % 64) % 64, '\0');
    for (int shift = 56; shift >= 0; shift -= 8)
        tail += static_cast<char>(std::uint64_t{bytes.size()} * 8 >> shift & 0xff);
    auto const run = [&](std::string_view whole) {
        for (; whole.size() >= 64; whole.remove_prefix(64)) {
            block b{};
            for (std::size_t i = 0; i < 64; ++i)
                b[i / 4] = b[i / 4] << 8 | static_cast<unsigned char>(whole[i]);
            f(b);
        }
    };
    run(bytes);
    run(tail);
}

template <std::size_t N>
std::string hex(std::array<std::uint32_t, N> const& words) {
    std::string out;
    for (auto const w : words)
        for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[w >> shift & 15];
    return out;
}

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::uint32_t cube_roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

std::string sha1(std::string_view bytes) {
    std::array<std::uint32_t, 5> h{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    each_block(bytes, [&](block const& b) {
        std::uint32_t w[80];
        for (std::size_t t = 0; t < 80; ++t)
            w[t] = t < 16 ? b[t] : std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
        auto [a, p, q, r, s] = h;
        for (std::size_t t = 0; t < 80; ++t) {
            auto const f = t < 20   ? (p & q) ^ (~p & r)
                           : t < 40 ? p ^ q ^ r
                           : t < 60 ? (p & q) ^ (p & r) ^ (q & r)
                                    : p ^ q ^ r;
            constexpr std::uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
            auto const next = std::rotl(a, 5) + f + s + k[t / 20] + w[t];
            s = r;
            r = q;
            q = std::rotl(p, 30);
            p = a;
            a = next;
        }
        h = {h[0] + a, h[1] + p, h[2] + q, h[3] + r, h[4] + s};
    });
    return hex(h);
}

std::string sha256(std::string_view bytes) {
    std::array<std::uint32_t, 8> h{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    each_block(bytes, [&](block const& b) {
        std::uint32_t w[64];
        for (std::size_t t = 0; t < 64; ++t) {
            if (t < 16) {
                w[t] = b[t];
                continue;
            }
            auto const x = w[t - 15], y = w[t - 2];
            w[t] = w[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[t - 7] +
                   (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
        }
        auto v = h;
        for (std::size_t t = 0; t < 64; ++t) {
            auto const choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
            auto const majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            auto const one = v[7] + (std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25)) +
                             choice + cube_roots[t] + w[t];
            auto const two = (std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22)) + majority;
            v = {one + two, v[0], v[1], v[2], v[3] + one, v[4], v[5], v[6]};
        }
        for (std::size_t i = 0; i < h.size(); ++i) h[i] += v[i];
    });
    return hex(h);
}

}  // namespace respkit
