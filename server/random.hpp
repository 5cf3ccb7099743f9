// Seeded randomness: every random pick of a server comes from one of these.
#pragma once

#include <bit>
#include <cstdint>

namespace respkit {

// xoshiro256** by Blackman and Vigna, filled by splitmix64. A uniform random bit generator for <random>.
class random_source {
public:
    using result_type = std::uint64_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type{0}; }

    explicit random_source(std::uint64_t seed) {
        for (auto& word : state_) {
            seed += 0x9e3779b97f4a7c15ULL;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
            word = z ^ (z >> 31);
        }
    }

    result_type operator()() {
        auto const result = std::rotl(state_[1] * 5, 7) * 9;
        auto const t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // Uniform in [0, n), n > 0, but for a bias below n / 2^64.
    std::uint64_t below(std::uint64_t n) {
        __extension__ using wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<wide>((*this)()) * n) >> 64);
    }

private:
    std::uint64_t state_[4];
};

}  // namespace respkit
