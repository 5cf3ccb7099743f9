// Sets, hashes and sorted sets against models from the standard library: random operations, the same on both
// sides.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/server/values/hash.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>

using namespace respkit;

namespace {

constexpr hash_seed seed{0x0123456789abcdef, 0xfedcba9876543210};

// Mostly short, and of the sizes where an encoding changes.
std::string any_value(random_source& any, bool large) {
    constexpr std::size_t sizes[] = {63, 64, 65, 253, 254, 255, 256, 1000};
    if (large && any.below(50) == 0) return std::string(65536, 'L');
    if (any.below(10) == 0)
        return std::string(sizes[any.below(std::size(sizes))], static_cast<char>('A' + any.below(3)));
    if (any.below(3) == 0) return std::string(any.below(4), static_cast<char>('a' + any.below(5)));
    return std::to_string(any.below(300));
}

// Walks with scan(cursor, f) while change() changes the container; returns what was seen.
template <class Scan, class Change>
std::set<std::string> scan_all(Scan&& scan, Change&& change) {
    std::set<std::string> seen;
    std::uint64_t cursor = 0;
    do {
        cursor = scan(cursor, [&](std::string_view name) { seen.emplace(name); });
        change();
    } while (cursor != 0);
    return seen;
}

}  // namespace

TEST_CASE("set: random changes, the same as std::set, whatever the form") {
    for (std::uint64_t run = 0; run < 12; ++run) {
        CAPTURE(run);
        random_source any(run);
        set_value set(seed);
        std::set<std::string> model;
        bool const integers = run % 2 == 0;
        std::size_t const most = run % 3 == 0 ? 512 : 100;
        bool expanded = false;
        for (int step = 0; step < 5000; ++step) {
            auto const member = integers ? std::to_string(static_cast<std::int64_t>(any.below(400)) - 100)
                                         : any_value(any, step % 100 == 0);
            if (any.below(run % 4 < 2 ? 2 : 5)) {
                bool const fresh = model.insert(member).second;
                REQUIRE(set.add(member, most) == fresh);
                expanded |= fresh && (model.size() > most || !resp::parse_integer(member));
            } else {
                REQUIRE(set.remove(member) == (model.erase(member) != 0));
            }
            REQUIRE(set.size() == model.size());
            REQUIRE(set.contains(member) == model.contains(member));
            REQUIRE(set.compact() == !expanded);
        }
        std::set<std::string> all;
        std::vector<std::int64_t> numbers;
        set.for_each([&](std::string_view m) {
            all.emplace(m);
            numbers.push_back(resp::parse_integer(m).value_or(0));
        });
        CHECK(all == model);
        if (set.compact()) CHECK(std::is_sorted(numbers.begin(), numbers.end()));
    }
}

TEST_CASE("set: what is an integer, and what only looks like one") {
    struct row {
        std::string member;
        bool compact;
    };
    row const rows[] = {{"0", true},
                        {"-1", true},
                        {"9223372036854775807", true},
                        {"-9223372036854775808", true},
                        {"-0", false},
                        {"01", false},
                        {"9223372036854775808", false},
                        {"+1", false},
                        {"", false},
                        {" 1", false},
                        {"1.0", false}};
    for (auto const& r : rows) {
        CAPTURE(r.member);
        set_value set(seed);
        CHECK(set.add("7"));
        CHECK(set.add(r.member));
        CHECK(set.compact() == r.compact);
        CHECK(set.contains(r.member));
        CHECK(set.contains("7"));
    }
}

TEST_CASE("set: random picks are members, samples are different members, pops empty it") {
    for (bool const integers : {true, false}) {
        random_source any(5);
        set_value set(seed);
        std::set<std::string> model;
        for (int i = 0; i < 300; ++i) model.insert((integers ? "" : "m") + std::to_string(i));
        for (auto const& m : model) set.add(m);
        std::map<std::string, int> picked;
        for (int i = 0; i < 30000; ++i) set.pick(any, [&](std::string_view m) { ++picked[std::string(m)]; });
        CHECK(picked.size() == 300);
        for (std::size_t const count : {0u, 1u, 50u, 99u, 100u, 101u, 299u, 300u}) {
            std::set<std::string> sample;
            set.sample(any, count, [&](std::string_view m) { sample.emplace(m); });
            CHECK(sample.size() == count);
            CHECK(std::includes(model.begin(), model.end(), sample.begin(), sample.end()));
        }
        while (!set.empty())
            set.pop(any, [&](std::string_view m) { REQUIRE(model.erase(std::string(m)) == 1); });
        CHECK(model.empty());
    }
}

TEST_CASE("set: a scan finds what stays, while the table grows and shrinks") {
    for (std::uint64_t run = 0; run < 20; ++run) {
        CAPTURE(run);
        random_source any(run);
        set_value set(seed);
        std::set<std::string> staying;
        for (int i = 0; i < 200; ++i) staying.insert("stays:" + std::to_string(i));
        for (auto const& m : staying) set.add(m);
        int const others = run % 2 ? 6000 : 0;
        for (int i = 0; i < others; ++i) set.add("other:" + std::to_string(i));
        int next = 0;
        auto const seen = scan_all([&](std::uint64_t at, auto&& f) { return set.scan(at, f); },
                                   [&] {
                                       for (int i = 0; i < 30; ++i) {
                                           auto const name = "other:" + std::to_string(next++);
                                           run % 2 ? set.remove(name) : set.add(name);
                                           if (next > 20000) next = 0;
                                       }
                                   });
        CHECK(std::includes(seen.begin(), seen.end(), staying.begin(), staying.end()));
    }
}

TEST_CASE("hash: random changes, the same as a map, in order of arrival while small") {
    for (std::uint64_t run = 0; run < 12; ++run) {
        CAPTURE(run);
        random_source any(run);
        hash_value hash(seed);
        std::vector<std::pair<std::string, std::string>> model;
        std::size_t const most_entries = run % 3 == 0 ? 512 : 30;
        std::size_t const longest = run % 2 ? 64 : 1000;
        bool expanded = false;
        for (int step = 0; step < 3000; ++step) {
            auto const field = any_value(any, false);
            auto const value = any_value(any, run % 4 == 0);
            auto const held =
                std::find_if(model.begin(), model.end(), [&](auto const& p) { return p.first == field; });
            if (any.below(5)) {
                bool const fresh = held == model.end();
                REQUIRE(hash.set(field, value, most_entries, longest) == fresh);
                if (fresh)
                    model.emplace_back(field, value);
                else
                    held->second = value;
                expanded |= field.size() > longest || value.size() > longest || model.size() > most_entries;
                REQUIRE(hash.get(field) == value);
            } else {
                REQUIRE(hash.erase(field) == (held != model.end()));
                if (held != model.end()) model.erase(held);
                REQUIRE_FALSE(hash.get(field));
            }
            REQUIRE(hash.size() == model.size());
            REQUIRE(hash.compact() == !expanded);
        }
        std::vector<std::pair<std::string, std::string>> all;
        hash.for_each([&](std::string_view f, std::string_view v) { all.emplace_back(f, v); });
        if (expanded) {
            std::sort(all.begin(), all.end());
            std::sort(model.begin(), model.end());
        }
        CHECK(all == model);
        for (int i = 0; i < 100; ++i) {
            auto const pair = hash.random(any);
            CHECK(hash.get(pair.field) == pair.value);
        }
    }
}

TEST_CASE("hash: a scan finds what stays") {
    hash_value hash(seed);
    std::set<std::string> staying;
    for (int i = 0; i < 600; ++i) staying.insert("f" + std::to_string(i));
    for (auto const& f : staying) hash.set(f, "v");
    int next = 0;
    auto const seen =
        scan_all([&](std::uint64_t at,
                     auto&& f) { return hash.scan(at, [&](std::string_view n, std::string_view) { f(n); }); },
                 [&] {
                     if (next < 20000) hash.set("g" + std::to_string(next++), "v");
                 });
    CHECK(std::includes(seen.begin(), seen.end(), staying.begin(), staying.end()));
}

TEST_CASE("hash: samples are different fields with their values, in order while small") {
    for (std::size_t const size : {300u, 600u}) {
        random_source any(7);
        hash_value hash(seed);
        for (std::size_t i = 0; i < size; ++i) hash.set(std::to_string(1000 + i), std::to_string(i));
        REQUIRE(hash.compact() == (size == 300));
        std::map<std::string, int> picked;
        for (std::size_t const count : {std::size_t{0}, std::size_t{1}, size / 4, size / 2, size - 1, size}) {
            for (int round = 0; round < 50; ++round) {
                std::vector<std::string> fields;
                for (auto const& pair : hash.sample(any, count)) {
                    REQUIRE(hash.get(pair.field) == pair.value);
                    fields.emplace_back(pair.field);
                    ++picked[fields.back()];
                }
                REQUIRE(fields.size() == count);
                if (hash.compact()) REQUIRE(std::is_sorted(fields.begin(), fields.end()));
                REQUIRE(std::set<std::string>(fields.begin(), fields.end()).size() == count);
            }
        }
        CHECK(picked.size() == size);
        // Every field is as likely: 2.75 of 6 samples of 50 hold it, more or less.
        for (auto const& [field, times] : picked) CHECK(std::abs(times - 137) < 35);
    }
}

TEST_CASE("sorted set: random changes, the same as an ordered std::set") {
    for (std::uint64_t run = 0; run < 12; ++run) {
        CAPTURE(run);
        random_source any(run);
        sorted_set set(seed);
        std::map<std::string, double> scores;
        std::set<std::pair<double, std::string>> order;
        std::size_t const most = run % 2 ? 128 : 100000;
        for (int step = 0; step < 5000; ++step) {
            auto const member = "m" + std::to_string(any.below(run % 3 ? 800 : 60));
            auto const score = any.below(20) == 0 ? std::numeric_limits<double>::infinity()
                                                  : static_cast<double>(any.below(run % 4 ? 1000 : 3)) / 4;
            auto const held = set.find(member);
            REQUIRE(static_cast<bool>(held) == scores.contains(member));
            if (held) order.erase({scores[member], member});
            if (any.below(4) == 0) {
                if (held) set.erase(held);
                scores.erase(member);
            } else {
                if (held)
                    set.score(held, score);
                else
                    set.insert(member, score, most, 64);
                scores[member] = score;
                order.emplace(score, member);
            }
            REQUIRE(set.size() == order.size());
            if (order.empty()) continue;
            REQUIRE(set.first().member() == order.begin()->second);
            REQUIRE(set.last().member() == order.rbegin()->second);
            if (step % 250) continue;
            std::size_t rank = 0;
            auto e = set.first();
            for (auto const& [s, m] : order) {
                REQUIRE(e.member() == m);
                REQUIRE(e.score() == s);
                REQUIRE(set.rank(e) == rank);
                REQUIRE(set.at(rank).member() == m);
                if (rank) REQUIRE(e.previous().next().member() == m);
                ++rank;
                e = e.next();
            }
            REQUIRE_FALSE(e);
            REQUIRE_FALSE(set.at(rank));
            for (double const bound : {-1.0, 0.0, 0.5, 100.0, 250.0}) {
                auto const from = order.lower_bound({bound, ""});
                REQUIRE(set.below(bound) == static_cast<std::size_t>(std::distance(order.begin(), from)));
            }
        }
        std::set<std::string> seen;
        std::uint64_t cursor = 0;
        do cursor = set.scan(cursor, [&](std::string_view m, double) { seen.emplace(m); });
        while (cursor);
        CHECK(seen.size() == set.size());
    }
}

TEST_CASE("sorted set: equal scores go by bytes, -0 is kept by large sets only") {
    sorted_set set(seed);
    for (auto const* m : {"b", "a", "", "ab", "\xff", "B"}) set.insert(m, 1);
    std::vector<std::string> order;
    for (auto e = set.first(); e; e = e.next()) order.emplace_back(e.member());
    CHECK(order == std::vector<std::string>{"", "B", "a", "ab", "b", "\xff"});

    set.insert("zero", -0.0);
    CHECK(set.compact());
    CHECK_FALSE(std::signbit(set.find("zero").score()));
    set.insert(std::string(65, 'x'), -0.0);
    CHECK_FALSE(set.compact());
    CHECK(std::signbit(set.find(std::string(65, 'x')).score()));
}

TEST_CASE("sorted set: large ones, grown upwards, downwards and at random, and emptied likewise") {
    for (std::uint64_t run = 0; run < 6; ++run) {
        CAPTURE(run);
        random_source any(run);
        sorted_set set(seed);
        std::vector<std::pair<double, std::string>> order;
        std::size_t const many = 20000;
        for (std::size_t i = 0; i < many; ++i) {
            auto const score = run % 3 == 0 ? i : run % 3 == 1 ? many - i : any.below(5000);
            order.emplace_back(static_cast<double>(score), "m" + std::to_string(i));
            set.insert(order.back().second, order.back().first);
        }
        auto const compare = [&] {
            std::sort(order.begin(), order.end());
            std::size_t wrong = set.size() != order.size();
            auto e = set.first();
            for (std::size_t i = 0; i < order.size() && e; ++i, e = e.next()) {
                wrong += e.member() != order[i].second || e.score() != order[i].first;
                wrong += set.rank(e) != i || set.at(i).member() != order[i].second;
            }
            return wrong + (e ? 1 : 0);
        };
        REQUIRE(compare() == 0);
        // Everything but one in a hundred goes, in an order of its own.
        auto const stays = [](std::pair<double, std::string> const& p) { return p.second.ends_with("77"); };
        auto going = order;
        if (run % 2)
            for (std::size_t i = going.size(); i > 1; --i) std::swap(going[i - 1], going[any.below(i)]);
        for (auto const& p : going)
            if (!stays(p)) set.erase(set.find(p.second));
        std::erase_if(order, [&](auto const& p) { return !stays(p); });
        REQUIRE(compare() == 0);
        for (auto& [score, member] : order) {
            score = static_cast<double>(any.below(100));
            set.score(set.find(member), score);
        }
        REQUIRE(compare() == 0);
        while (!set.empty()) set.erase(any.below(2) ? set.first() : set.last());
        CHECK_FALSE(set.first());
        CHECK(set.below(0.0) == 0);
        set.insert("again", 1);
        CHECK(set.last().member() == "again");
    }
}
