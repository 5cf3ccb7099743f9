#include <array>
#include <cstring>

#include <respkit/bench/names.hpp>

namespace respkit::bench {

void write_digits(char* to, std::uint64_t number) {
    static constexpr auto pairs = [] {
        std::array<char, 200> table{};
        for (std::size_t i = 0; i < 100; ++i) {
            table[2 * i] = static_cast<char>('0' + i / 10);
            table[2 * i + 1] = static_cast<char>('0' + i % 10);
        }
        return table;
    }();
    auto high = static_cast<std::uint32_t>(number / 1'000'000);
    auto low = static_cast<std::uint32_t>(number % 1'000'000);
    for (std::size_t i = 3; i-- > 0; high /= 100, low /= 100) {
        std::memcpy(to + 2 * i, &pairs[2 * (high % 100)], 2);
        std::memcpy(to + 6 + 2 * i, &pairs[2 * (low % 100)], 2);
    }
}

void write_guid(char* to, std::uint64_t seed, std::uint64_t number) {
    static constexpr char digits[] = "0123456789abcdef";
    random_source bits(seed ^ (number * 0x9e3779b97f4a7c15));
    std::uint64_t const words[] = {(bits.next() & ~std::uint64_t{0xf000}) | 0x4000,
                                   (bits.next() >> 2) | (std::uint64_t{2} << 62)};
    for (int i = 0; i < 32; ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) *to++ = '-';
        *to++ = digits[(words[i / 16] >> (60 - 4 * (i % 16))) & 15];
    }
}

}  // namespace respkit::bench
