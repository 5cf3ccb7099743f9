// list_value against a std::deque: random operations, the same on both sides.
#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/server/random.hpp>
#include <respkit/server/values/list.hpp>

using namespace respkit;

namespace {

constexpr hash_seed seed{0x0123456789abcdef, 0xfedcba9876543210};

// Mostly short, and of every size where an encoding changes: of a length, of a chunk.
std::string any_value(random_source& any, bool large) {
    constexpr std::size_t sizes[] = {63, 64, 65, 253, 254, 255, 256, 1000};
    constexpr std::size_t large_sizes[] = {4000, 8100, 8130, 8192, 20000, 65536};
    if (large && any.below(50) == 0) return std::string(large_sizes[any.below(std::size(large_sizes))], 'L');
    if (any.below(10) == 0)
        return std::string(sizes[any.below(std::size(sizes))], static_cast<char>('A' + any.below(3)));
    if (any.below(3) == 0) return std::string(any.below(4), static_cast<char>('a' + any.below(5)));
    return std::to_string(any.below(300));
}

std::vector<std::string> forwards(list_value const& list) {
    std::vector<std::string> all;
    for (auto e = list.first(); e; e.next()) all.emplace_back(*e);
    return all;
}

std::vector<std::string> backwards(list_value const& list) {
    std::vector<std::string> all;
    for (auto e = list.last(); e; e.previous()) all.emplace_back(*e);
    std::reverse(all.begin(), all.end());
    return all;
}

using list_model = std::deque<std::string>;

std::size_t remove(list_model& model, std::string const& value, std::size_t most, bool from_back) {
    if (from_back) std::reverse(model.begin(), model.end());
    std::size_t removed = 0;
    auto const gone = [&](std::string const& s) { return s == value && removed < most && ++removed; };
    list_model kept;
    for (auto const& s : model)
        if (!gone(s)) kept.push_back(s);
    model = std::move(kept);
    if (from_back) std::reverse(model.begin(), model.end());
    return removed;
}

void change(list_value& list, list_model& model, random_source& any, bool large) {
    auto const value = any_value(any, large);
    auto const at = model.empty() ? 0 : any.below(model.size());
    auto const index = static_cast<std::ptrdiff_t>(at);
    switch (any.below(model.size() < 20 ? 4 : 13)) {
        case 0:
        case 1:
            list.push_back(value);
            model.push_back(value);
            break;
        case 2:
        case 3:
            list.push_front(value);
            model.push_front(value);
            break;
        case 4:
            list.pop_front();
            model.pop_front();
            break;
        case 5:
            list.pop_back();
            model.pop_back();
            break;
        case 6:
        case 7: {
            auto const e = list.insert_before(list.at(at), value);
            CHECK(*e == value);
            model.insert(model.begin() + index, value);
            break;
        }
        case 8: {
            auto const e = list.insert_after(list.at(at), value);
            CHECK(*e == value);
            model.insert(model.begin() + index + 1, value);
            break;
        }
        case 9:
        case 10:
            list.set(list.at(at), value);
            model[at] = value;
            break;
        case 11: {
            bool const from_back = any.below(2) == 1;
            auto const most = any.below(3) ? 1 + any.below(3) : model.size();
            auto const victim = model[at];
            CHECK(list.remove(victim, most, from_back) == remove(model, victim, most, from_back));
            break;
        }
        default: {
            auto const count = any.below(30) ? any.below(4) : any.below(model.size() + 1);
            if (any.below(2)) {
                list.remove_front(count);
                model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count));
            } else {
                list.remove_back(count);
                model.erase(model.end() - static_cast<std::ptrdiff_t>(count), model.end());
            }
        }
    }
}

void compare(list_value const& list, list_model const& model) {
    std::vector<std::string> const want(model.begin(), model.end());
    REQUIRE(list.size() == want.size());
    REQUIRE(forwards(list) == want);
    REQUIRE(backwards(list) == want);
}

}  // namespace

TEST_CASE("list: random changes, the same as a deque") {
    for (std::uint64_t run = 0; run < 12; ++run) {
        CAPTURE(run);
        random_source any(run);
        list_value list(seed);
        list_model model;
        for (int step = 0; step < 4000; ++step) {
            change(list, model, any, run % 3 == 0);
            REQUIRE(list.size() == model.size());
            if (model.empty()) continue;
            auto const at = any.below(model.size());
            REQUIRE(*list.at(at) == model[at]);
            REQUIRE(list.front() == model.front());
            REQUIRE(list.back() == model.back());
            if (step % 100 == 0) compare(list, model);
        }
        compare(list, model);
        CHECK_FALSE(list.at(model.size()));
    }
}

TEST_CASE("list: many elements from either end, then out again") {
    for (bool const front : {false, true}) {
        list_value list(seed);
        for (int i = 0; i < 20000; ++i) {
            auto const value = std::to_string(i);
            front ? list.push_front(value) : list.push_back(value);
        }
        CHECK(*list.at(12345) == std::to_string(front ? 19999 - 12345 : 12345));
        CHECK(list.footprint() < 20000 * 9);
        for (int i = 0; i < 20000; ++i) {
            REQUIRE(list.back() == std::to_string(front ? i : 19999 - i));
            list.pop_back();
        }
        CHECK(list.empty());
        CHECK(list.footprint() == 0);
    }
}

TEST_CASE("list: a queue that runs through a chunk forever") {
    for (std::size_t const length : {1u, 3u, 500u, 1500u}) {
        list_value list(seed);
        std::size_t pushed = 0;
        while (pushed < length) list.push_front(std::to_string(pushed++));
        for (std::size_t i = 0; i < 20000; ++i) {
            list.push_front(std::to_string(pushed++));
            REQUIRE(list.back() == std::to_string(i));
            list.pop_back();
        }
        CHECK(list.size() == length);
        CHECK(list.footprint() < 3 * 8192 + 12 * length);
    }
}

TEST_CASE("list: small ones are small, and removals give memory back") {
    list_value list(seed);
    for (auto const* s : {"one", "two", "three"}) list.push_back(s);
    CHECK(list.footprint() + sizeof list <= 120);

    for (int i = 0; i < 100000; ++i) list.push_back(i % 1000 ? "x" : "y");
    CHECK(list.remove("x", list.size(), false) == 99900);
    CHECK(list.size() == 103);
    CHECK(list.footprint() < 8192);
}
