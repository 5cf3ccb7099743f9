#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/bench/histogram.hpp>
#include <respkit/bench/random.hpp>

using respkit::bench::histogram;
using respkit::bench::random_source;

TEST_CASE("cells are HdrHistogram's: 2048 of one, then 1024 for every doubling") {
    struct row {
        std::uint64_t value;
        std::size_t index;
        std::uint64_t lowest, highest;
    };
    for (row const& r :
         {row{0, 0, 0, 0}, row{1, 1, 1, 1}, row{2047, 2047, 2047, 2047}, row{2048, 2048, 2048, 2049},
          row{2049, 2048, 2048, 2049}, row{4095, 3071, 4094, 4095}, row{4096, 3072, 4096, 4099},
          row{1'000'000, 11169, 999'936, 1'000'447}}) {
        CAPTURE(r.value);
        CHECK(histogram::index_of(r.value) == r.index);
        CHECK(histogram::lowest_in(r.index) == r.lowest);
        CHECK(histogram::highest_in(r.index) == r.highest);
    }
    CHECK(histogram::cells == 33 * 1024);
    CHECK(histogram::index_of(histogram::highest) < histogram::cells);
}

TEST_CASE("cells follow each other without a gap") {
    for (std::size_t i = 1; i < histogram::cells; ++i) {
        REQUIRE(histogram::lowest_in(i) == histogram::highest_in(i - 1) + 1);
        REQUIRE(histogram::index_of(histogram::lowest_in(i)) == i);
        REQUIRE(histogram::index_of(histogram::highest_in(i)) == i);
    }
}

TEST_CASE("percentiles agree with the sorted values within 0.1 %") {
    random_source random(7);
    histogram h;
    std::vector<std::uint64_t> all;
    for (int i = 0; i < 100'000; ++i) {
        auto const v = std::uint64_t{1} << random.below(36);
        all.push_back(v + random.below(v));
        h.record(all.back());
    }
    std::sort(all.begin(), all.end());
    for (double const p : {0.0, 1.0, 25.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0}) {
        CAPTURE(p);
        auto const rank = std::max(std::size_t{1}, static_cast<std::size_t>(p / 100 * 100'000 + 0.5));
        auto const exact = static_cast<double>(all[rank - 1]);
        CHECK(std::abs(static_cast<double>(h.percentile(p)) - exact) <= exact * 0.001);
    }
    CHECK(h.min() == all.front());
    CHECK(h.max() == all.back());
    CHECK(h.percentile(100) == all.back());
    CHECK(h.count() == all.size());
}

TEST_CASE("an empty histogram answers zero, one value is all percentiles") {
    histogram h;
    CHECK(h.percentile(50) == 0);
    CHECK(h.min() == 0);
    CHECK(h.max() == 0);
    CHECK(h.mean() == 0);
    h.record(123'456'789);
    CHECK(h.percentile(0) == 123'456'789);
    CHECK(h.percentile(50) == 123'456'789);
    CHECK(h.mean() == doctest::Approx(123'456'789));
}

TEST_CASE("more than an hour counts in the last cell and stays the maximum") {
    histogram h;
    h.record(2 * histogram::highest);
    CHECK(h.max() == 2 * histogram::highest);
    CHECK(h.used().size() == 1);
    CHECK(h.used()[0].index == histogram::index_of(histogram::highest));
}

TEST_CASE("merging is recording both") {
    histogram a, b, both;
    for (std::uint64_t i = 1; i < 5000; ++i) {
        (i % 3 ? a : b).record(i * i, i);
        both.record(i * i, i);
    }
    a += b;
    a += histogram();
    CHECK(a.count() == both.count());
    CHECK(a.mean() == doctest::Approx(both.mean()));
    for (double const p : {0.0, 10.0, 50.0, 99.0, 100.0}) CHECK(a.percentile(p) == both.percentile(p));

    histogram from_cells;
    from_cells.add(both.used());
    CHECK(from_cells.count() == both.count());
    CHECK(from_cells.mean() == doctest::Approx(both.mean()).epsilon(0.001));

    a.clear();
    CHECK(a.empty());
    CHECK(a.used().empty());
    CHECK(a.max() == 0);
}

TEST_CASE("encoding and decoding keep every cell") {
    random_source random(1);
    for (int const n : {0, 1, 10, 20'000}) {
        CAPTURE(n);
        histogram h;
        for (int i = 0; i < n; ++i)
            h.record(random.below(std::uint64_t{1} << random.below(42)), 1 + random.below(300));
        if (n > 10) h.record(5, std::uint64_t{1} << 40);
        auto const text = h.encode();
        CHECK(text.starts_with("HISTFAAA"));
        auto const back = histogram::decode(text);
        auto const cells = h.used(), again = back.used();
        REQUIRE(cells.size() == again.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            CHECK(cells[i].index == again[i].index);
            CHECK(cells[i].count == again[i].count);
        }
    }
}

TEST_CASE("what is no histogram is refused") {
    // Runs of 2^63 empty cells, and of one more than there are.
    std::string const endless = "HISTFAAAACR4nJNpmSzMwMDAyQABzFCaEch0M9ixgMH+A0TgPwwAAKMpDUs=",
                      longer = "HISTFAAAACN4nJNpmSzMwMDAzAABMJoRyHQz2LGAwf4DRKBxAgsAXi0FYw==";
    CHECK(histogram::decode("HISTFAAAACJ4nJNpmSzMwMDAyAABzFAayGd2M9ixgMH+A0SACQBSqARO").count() == 1);
    auto const good = [] {
        histogram h;
        h.record(1000);
        return h.encode();
    }();
    for (std::string const& bad :
         {std::string(), std::string("HIST"), std::string("HISTFAAA"), std::string("????????"),
          good.substr(0, good.size() - 8), "AAAA" + good.substr(4), endless, longer}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(histogram::decode(bad), std::invalid_argument);
    }
}
