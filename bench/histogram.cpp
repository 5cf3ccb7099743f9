#include <respkit/bench/histogram.hpp>

namespace respkit::bench {

histogram& histogram::operator+=(histogram const& other) {
    if (other.empty()) return *this;
    std::size_t const last = index_of(std::min(other.max_, highest));
    for (std::size_t i = index_of(std::min(other.min_, highest)); i <= last; ++i)
        counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    return *this;
}

void histogram::clear() {
    if (empty()) return;
    auto const at = [&](std::uint64_t v) {
        return counts_.begin() + static_cast<std::ptrdiff_t>(index_of(std::min(v, highest)));
    };
    std::fill(at(min_), at(max_) + 1, 0);
    count_ = sum_ = max_ = 0;
    min_ = UINT64_MAX;
}

std::uint64_t histogram::percentile(double percent) const {
    if (empty()) return 0;
    auto const share = std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(count_) + 0.5;
    auto const wanted = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share), 1, count_);
    std::uint64_t seen = 0;
    for (std::size_t i = index_of(std::min(min_, highest)); i < counts_.size(); ++i) {
        seen += counts_[i];
        if (seen >= wanted) return std::clamp(highest_in(i), min_, max_);
    }
    return max_;
}

std::vector<histogram::cell> histogram::used() const {
    std::vector<cell> out;
    if (empty()) return out;
    std::size_t const last = index_of(std::min(max_, highest));
    for (std::size_t i = index_of(std::min(min_, highest)); i <= last; ++i)
        if (counts_[i]) out.push_back({static_cast<std::uint32_t>(i), counts_[i]});
    return out;
}

void histogram::add(std::vector<cell> const& cells_used) {
    for (auto const& c : cells_used) add_cell(c.index, c.count);
}

void histogram::add_cell(std::size_t index, std::uint64_t times) {
    auto const low = lowest_in(index);
    auto const top = std::min(highest_in(index), highest);
    counts_[index] += times;
    count_ += times;
    sum_ += (low + (top - low) / 2) * times;
    min_ = std::min(min_, low);
    max_ = std::max(max_, top);
}

}  // namespace respkit::bench
