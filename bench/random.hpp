// Random numbers for load: fast, seeded, one source per thread.
#pragma once

#include <bit>
#include <cstdint>

namespace respkit::bench {

// xoshiro256++ of Blackman and Vigna, seeded by splitmix64.
class random_source {
public:
    explicit random_source(std::uint64_t seed) {
        for (auto& word : state_) {
            std::uint64_t z = (seed += 0x9e3779b97f4a7c15);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
            z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
            word = z ^ (z >> 31);
        }
    }

    std::uint64_t next() {
        auto const result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        auto const shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // 0 .. limit-1; its bias is below limit / 2^64.
    std::uint64_t below(std::uint64_t limit) {
        __extension__ using wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<wide>(next()) * limit) >> 64);
    }

private:
    std::uint64_t state_[4];
};

}  // namespace respkit::bench
