// Counts of durations in HdrHistogram's own layout: 1 ns to 1 h, 3 significant digits, so that every tool
// which knows that format reads ours.
//
// A value below 2048 has a cell of its own; above, each power of two is split into 1024 cells, which keeps
// the error below 0.1 %. The true minimum, maximum and sum are kept beside the cells.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <vector>

namespace respkit::bench {

// Memory that the system hands out zeroed, page by page: cells that are never touched take none.
template <class T>
struct untouched {
    using value_type = T;
    untouched() = default;
    template <class U>
    explicit untouched(untouched<U> const&) {}
    T* allocate(std::size_t n) {
        void* const p =
            ::mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        return static_cast<T*>(p);
    }
    void deallocate(T* p, std::size_t n) { ::munmap(p, n * sizeof(T)); }
    template <class U>
    void construct(U*) {}  // zero already
    template <class U, class V>
    void construct(U* p, V const& v) {
        *p = v;
    }
    friend bool operator==(untouched const&, untouched const&) { return true; }
};

class histogram {
public:
    static constexpr std::uint64_t highest = 3'600'000'000'000;  // 1 h in ns; more is counted there
    static constexpr unsigned half_bits = 10;                    // 1024 cells per power of two
    static constexpr std::uint64_t half = std::uint64_t{1} << half_bits;

    static constexpr std::size_t index_of(std::uint64_t v) {
        auto const bucket = static_cast<unsigned>(std::bit_width(v | (2 * half - 1))) - (half_bits + 1);
        return (std::size_t{bucket} << half_bits) + static_cast<std::size_t>(v >> bucket);
    }
    // The values that share a cell.
    static constexpr std::uint64_t lowest_in(std::size_t index) {
        auto const bucket = index < 2 * half ? 0 : (index >> half_bits) - 1;
        return (static_cast<std::uint64_t>(index) - (std::uint64_t{bucket} << half_bits)) << bucket;
    }
    static constexpr std::uint64_t highest_in(std::size_t index) { return lowest_in(index + 1) - 1; }
    static constexpr std::size_t cells = ((std::size_t{32} + 1) << half_bits);  // as HdrHistogram sizes it

    histogram() : counts_(cells) {}

    void record(std::uint64_t ns, std::uint64_t times = 1) {
        counts_[index_of(std::min(ns, highest))] += times;
        count_ += times;
        sum_ += ns * times;
        min_ = std::min(min_, ns);
        max_ = std::max(max_, ns);
    }
    histogram& operator+=(histogram const& other);
    void clear();

    std::uint64_t count() const { return count_; }
    bool empty() const { return count_ == 0; }
    std::uint64_t min() const { return empty() ? 0 : min_; }
    std::uint64_t max() const { return max_; }
    double mean() const { return empty() ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
    // HdrHistogram's definition: the highest value of the cell in which the share is reached; never more
    // than the maximum. 0 if empty.
    std::uint64_t percentile(double percent) const;

    // The used cells alone: what a second of a run is kept as.
    struct cell {
        std::uint32_t index;
        std::uint64_t count;
    };
    std::vector<cell> used() const;
    // Adds such cells, at the middle of the values they stand for.
    void add(std::vector<cell> const& cells_used);

    // HdrHistogram's V2 encoding, compressed, base64: "HISTFAAA…". Reading it gives the same cells (minimum,
    // maximum and sum as exact as the cells are); throws std::invalid_argument for anything else.
    std::string encode() const;
    static histogram decode(std::string_view base64);

private:
    void add_cell(std::size_t index, std::uint64_t times);

    std::vector<std::uint64_t, untouched<std::uint64_t>> counts_;
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t min_ = UINT64_MAX;
    std::uint64_t max_ = 0;
};

}  // namespace respkit::bench
