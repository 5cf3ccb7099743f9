#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <respkit/server/table.hpp>

using namespace respkit;

namespace {

struct item {
    item* next = nullptr;
    std::uint32_t hash = 0;
    std::string name;
    static inline int alive = 0;

    explicit item(std::string n) : name(std::move(n)) { ++alive; }
    ~item() { --alive; }
    std::string_view key() const { return name; }
    static void destroy(item* i) { delete i; }
};

std::string name_of(std::uint64_t i) { return "item:" + std::to_string(i); }

}  // namespace

TEST_CASE("siphash13 gives the published values") {
    // Key 00..0f, no input: the first vector of SipHash-1-3 in Rust's core library.
    hash_seed const seed{0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};
    CHECK(siphash13("", seed) == 0xabac0158050fc4dcULL);
    std::string bytes;
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 64; ++i) {
        seen.insert(siphash13(bytes, seed));
        bytes += static_cast<char>(i);
    }
    CHECK(seen.size() == 64);
}

TEST_CASE("a random stream of operations matches std::map") {
    random_source random(7);
    {
        table<item> t({1, 2});
        std::map<std::string, bool> model;
        for (int step = 0; step < 200000; ++step) {
            // Grow for a while, then shrink, so that both kinds of rehash are under way often.
            bool const growing = step / 20000 % 2 == 0;
            auto const name = name_of(random.below(20000));
            bool const insert = random.below(10) < (growing ? 8u : 2u);
            if (insert && !t.contains(name)) {
                t.insert(new item(name));
                model[name] = true;
            } else if (!insert) {
                CHECK(t.erase(name) == (model.erase(name) == 1));
            }
            if (step % 997 == 0) {
                REQUIRE(t.size() == model.size());
                std::size_t seen = 0;
                t.for_each([&](item const& i) { seen += model.count(i.name); });
                REQUIRE(seen == model.size());
                REQUIRE(item::alive == static_cast<int>(model.size()));
            }
        }
        for (auto const& [name, yes] : model) CHECK(t.contains(name));
        CHECK_FALSE(t.contains("nobody"));
    }
    CHECK(item::alive == 0);
}

TEST_CASE("a scan returns every element that stays, under growth and deletes") {
    random_source random(11);
    for (int round = 0; round < 30; ++round) {
        table<item> t({3, static_cast<std::uint64_t>(round)});
        constexpr std::uint64_t stay = 500;
        for (std::uint64_t i = 0; i < stay; ++i) t.insert(new item(name_of(i)));
        std::uint64_t fresh = stay;
        std::set<std::string> seen;
        std::uint64_t cursor = 0;
        do {
            cursor = t.scan(cursor, [&](item const& i) { seen.insert(i.name); });
            // Meanwhile others come and go, enough of them to grow and shrink the table.
            bool const growing = random.below(2) == 0;
            for (std::uint64_t n = random.below(200); n; --n) {
                if (growing)
                    t.insert(new item(name_of(fresh++)));
                else if (fresh > stay)
                    t.erase(name_of(--fresh));
            }
        } while (cursor);
        std::size_t found = 0;
        for (std::uint64_t i = 0; i < stay; ++i) found += seen.count(name_of(i));
        CHECK(found == stay);
    }
}

TEST_CASE("an empty table") {
    table<item> t({1, 2});
    random_source random(1);
    CHECK(t.random(random) == nullptr);
    CHECK(t.scan(0, [](item const&) { FAIL("nothing is in it"); }) == 0);
    CHECK(t.scan(12345, [](item const&) { FAIL("nothing is in it"); }) == 0);
    CHECK_FALSE(t.erase("x"));
    CHECK(t.buckets() == 0);
}

TEST_CASE("any element can be picked, and the last one is found in a table that was large") {
    table<item> t({1, 2});
    random_source random(5);
    for (std::uint64_t i = 0; i < 100; ++i) t.insert(new item(name_of(i)));
    std::set<std::string> picked;
    for (int i = 0; i < 20000; ++i) picked.insert(t.random(random)->name);
    CHECK(picked.size() == 100);

    for (std::uint64_t i = 100; i < 100000; ++i) t.insert(new item(name_of(i)));
    for (std::uint64_t i = 1; i < 100000; ++i) t.erase(name_of(i));
    CHECK(t.random(random)->name == name_of(0));
    CHECK(t.buckets() < 1000);
}
