// Ranges, samples and forms of sorted sets, against models from the standard library.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/server/values/sorted_set.hpp>

using namespace respkit;

namespace {

constexpr hash_seed seed{0x0123456789abcdef, 0xfedcba9876543210};

using model = std::set<std::pair<double, std::string>>;

// Wrong places, scores, ranks and neighbours; 0 if the set holds what the model holds.
std::size_t differences(sorted_set const& set, model const& order) {
    std::size_t wrong = set.size() != order.size();
    std::size_t rank = 0;
    auto e = set.first();
    for (auto const& [score, member] : order) {
        if (!e) return wrong + 1;
        wrong += e.member() != member || e.score() != score || set.rank(e) != rank;
        wrong += set.find(member).score() != score || set.at(rank).member() != member;
        ++rank;
        e = e.next();
    }
    return wrong + (e ? 1 : 0);
}

}  // namespace

TEST_CASE("sorted set: extents of ranks go, as from an ordered std::set") {
    for (std::uint64_t run = 0; run < 8; ++run) {
        CAPTURE(run);
        random_source any(run);
        sorted_set set(seed);
        model order;
        std::size_t const usual = run % 2 ? 3000 : 100;
        for (int step = 0; step < 60; ++step) {
            while (order.size() < usual) {
                auto const member = "m" + std::to_string(any.below(1000000));
                if (set.find(member)) continue;
                auto const score = static_cast<double>(any.below(run % 3 ? 5000 : 2));
                set.insert(member, score);
                order.emplace(score, member);
            }
            auto const first = any.below(order.size());
            auto const count = any.below(order.size() - first + 1);
            set.erase(first, count);
            auto const from = std::next(order.begin(), static_cast<std::ptrdiff_t>(first));
            order.erase(from, std::next(from, static_cast<std::ptrdiff_t>(count)));
            REQUIRE(differences(set, order) == 0);
        }
        set.erase(0, set.size());
        CHECK(set.empty());
        CHECK_FALSE(set.first());
    }
}

TEST_CASE("sorted set: what is below a score, what is below a member") {
    random_source any(7);
    sorted_set by_score(seed);
    sorted_set by_member(seed);
    model scores;
    std::set<std::string> members;
    CHECK(by_score.below(0.0) == 0);
    CHECK(by_member.below("x") == 0);
    for (int i = 0; i < 3000; ++i) {
        auto const member = std::to_string(i);
        auto const score = static_cast<double>(any.below(500));
        by_score.insert(member, score);
        scores.emplace(score, member);
        auto const name = std::to_string(any.below(100000));
        if (members.insert(name).second) by_member.insert(name, 1);
    }
    for (int i = -1; i <= 501; ++i) {
        auto const rank = [&](double bound) {
            return static_cast<std::size_t>(std::distance(scores.begin(), scores.lower_bound({bound, ""})));
        };
        REQUIRE(by_score.below(i) == rank(i));
        REQUIRE(by_score.below(i, true) == rank(i + 1));
        REQUIRE(by_score.below(i - 0.5, true) == rank(i));
    }
    for (int i = 0; i < 1000; ++i) {
        auto const bound = std::to_string(any.below(100000));
        auto const rank =
            static_cast<std::size_t>(std::distance(members.begin(), members.lower_bound(bound)));
        REQUIRE(by_member.below(bound) == rank);
        REQUIRE(by_member.below(bound, true) == rank + members.count(bound));
    }
}

TEST_CASE("sorted set: samples are different ranks, each as likely as the others") {
    random_source any(3);
    sorted_set set(seed);
    for (int i = 0; i < 20; ++i) set.insert(std::to_string(i), i);
    for (std::size_t count = 0; count <= set.size(); ++count) {
        CAPTURE(count);
        std::map<std::size_t, int> seen;
        int const rounds = 2000;
        for (int i = 0; i < rounds; ++i) {
            auto const ranks = set.sample(any, count);
            REQUIRE(ranks.size() == count);
            REQUIRE(std::set<std::size_t>(ranks.begin(), ranks.end()).size() == count);
            for (auto const rank : ranks) ++seen[rank];
        }
        double const expected = rounds * static_cast<double>(count) / 20;
        for (auto const& [rank, times] : seen) {
            REQUIRE(rank < set.size());
            CHECK(std::abs(times - expected) < 6 * std::sqrt(expected + 1));
        }
        CHECK(seen.size() == (count ? set.size() : 0));
    }
}

TEST_CASE("sorted set: packed if it is within the limits, and then without -0") {
    auto const fill = [](sorted_set& set, int members) {
        set.insert("zero", -0.0, 0, 0);
        for (int i = 1; i < members; ++i) set.insert("m" + std::to_string(i), i % 7 - 3, 0, 0);
    };
    struct row {
        int members;
        std::size_t longest;
        bool compact;
    };
    for (auto const& r : {row{128, 4, true}, row{129, 4, false}, row{128, 3, false}, row{1, 4, true}}) {
        CAPTURE(r.members);
        CAPTURE(r.longest);
        sorted_set set(seed);
        fill(set, r.members);
        REQUIRE_FALSE(set.compact());
        REQUIRE(std::signbit(set.find("zero").score()));
        set.pack(128, r.longest);
        CHECK(set.compact() == r.compact);
        CHECK(std::signbit(set.find("zero").score()) == !r.compact);
        CHECK(set.at(set.rank(set.find("zero"))).member() == "zero");
    }
}

TEST_CASE("sorted set: small and large, it takes the same changes and is walked either way") {
    constexpr std::size_t most = 60, longest = 400;
    for (std::uint64_t run = 0; run < 30; ++run) {
        CAPTURE(run);
        random_source any(run);
        sorted_set set(seed);
        model order;
        std::map<std::string, double> scores;
        for (int step = 0; step < 400; ++step) {
            CAPTURE(step);
            // Up to 399 bytes: their lengths take one byte or five.
            auto const member =
                std::string(any.below(2) ? 3 : 250 + any.below(10) * 15, 'm') + std::to_string(any.below(40));
            auto const score = static_cast<double>(any.below(12)) / 4 - 1;
            auto const at = scores.find(member);
            if (at == scores.end()) {
                set.insert(member, score, most, longest);
                scores.emplace(member, score);
            } else {
                order.erase({at->second, member});
                bool const goes = any.below(2);
                goes ? set.erase(set.find(member)) : set.score(set.find(member), score);
                goes ? void(scores.erase(at)) : void(at->second = score);
            }
            if (scores.contains(member)) order.emplace(score, member);
            if (any.below(50) == 0) set.unpack();
            if (any.below(50) == 0) set.pack(most, longest);
            REQUIRE(differences(set, order) == 0);
            auto e = set.last();
            for (auto from = order.rbegin(); from != order.rend(); ++from, e = e.previous())
                REQUIRE((e && e.member() == from->second));
            REQUIRE_FALSE(e);
            REQUIRE((order.size() <= most || !set.compact()));
        }
    }
}

TEST_CASE("sorted set: swapped sets go on as each other") {
    sorted_set small(seed);
    sorted_set large(seed);
    model few;
    model many;
    for (int i = 0; i < 2000; ++i) {
        auto const member = std::to_string(i);
        if (i < 5) small.insert(member, i), few.emplace(i, member);
        large.insert(member, -i), many.emplace(-i, member);
    }
    small.swap(large);
    CHECK(differences(small, many) == 0);
    CHECK(differences(large, few) == 0);
    CHECK(large.compact());
    CHECK_FALSE(small.compact());
    large.insert("new", 9);
    few.emplace(9, "new");
    small.erase(small.find("1999"));
    many.erase({-1999, "1999"});
    CHECK(differences(small, many) == 0);
    CHECK(differences(large, few) == 0);
}

TEST_CASE("sorted set: a scan finds what stays, while the set grows and shrinks") {
    for (std::uint64_t run = 0; run < 20; ++run) {
        CAPTURE(run);
        random_source any(run);
        sorted_set set(seed);
        std::set<std::string> staying;
        for (int i = 0; i < 200; ++i) staying.insert("stays:" + std::to_string(i));
        for (auto const& m : staying) set.insert(m, static_cast<double>(any.below(10)));
        int come = 0;
        int gone = 0;
        auto const change = [&] {
            bool const grows = run % 2 ? come < 5000 : come < 3000 && any.below(2);
            for (int i = 0; i < 50; ++i) {
                if (grows)
                    set.insert("comes:" + std::to_string(come++), 1);
                else if (gone < come)
                    set.erase(set.find("comes:" + std::to_string(gone++)));
            }
        };
        for (int i = 0; i < 20; ++i) change();
        std::set<std::string> seen;
        std::uint64_t cursor = 0;
        do {
            cursor = set.scan(cursor, [&](std::string_view m, double) { seen.emplace(m); });
            change();
        } while (cursor != 0);
        CHECK(std::includes(seen.begin(), seen.end(), staying.begin(), staying.end()));
    }
}
