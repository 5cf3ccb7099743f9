// A stream against a sorted vector: random operations, the same on both sides.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <respkit/server/random.hpp>
#include <respkit/server/values/stream.hpp>

using namespace respkit;

namespace {

constexpr hash_seed seed{1, 2};

struct item {
    stream_id id;
    std::vector<std::string> words;

    bool operator==(item const&) const = default;
};
using items = std::vector<item>;

items copy(std::vector<stream_value::entry> const& entries) {
    items all;
    for (auto const& e : entries) {
        item i{e.id, {}};
        e.for_each([&](std::string_view field, std::string_view value) {
            i.words.emplace_back(field);
            i.words.emplace_back(value);
        });
        CHECK(i.words.size() == 2 * e.size);
        all.push_back(std::move(i));
    }
    return all;
}

items between(items const& all, stream_id first, stream_id last) {
    items found;
    for (auto const& i : all)
        if (i.id >= first && i.id <= last) found.push_back(i);
    return found;
}

std::vector<std::string> any_words(random_source& any) {
    constexpr std::size_t lengths[] = {0, 1, 63, 64, 254, 255, 2000};
    std::vector<std::string> words;
    auto const usual = any.below(4);
    for (auto fields = usual ? 2 : 1 + any.below(4); fields; --fields) {
        words.push_back(usual ? "field" + std::to_string(fields) : std::string(any.below(3), 'f'));
        words.push_back(any.below(9) ? std::to_string(any.below(1000))
                                     : std::string(lengths[any.below(std::size(lengths))], 'v'));
    }
    return words;
}

void append(stream_value& stream, items& model, stream_id id, std::vector<std::string> words) {
    std::vector<std::string_view> const views(words.begin(), words.end());
    stream.append(id, views);
    model.push_back({id, std::move(words)});
}

stream_id any_id(random_source& any, stream_id last) {
    return {any.below(last.ms + 2), any.below(4) ? any.below(5) : any()};
}

}  // namespace

TEST_CASE("random changes and ranges, the same as a vector") {
    for (std::uint64_t run = 0; run < 10; ++run) {
        CAPTURE(run);
        random_source any(run);
        stream_value stream(seed);
        items model;
        for (int step = 0; step < 4000; ++step) {
            auto const last = stream.last_id();
            if (auto const what = any.below(run % 2 ? 20 : 400); what > 1) {
                auto const id =
                    any.below(2) ? stream_id{last.ms + 1 + any.below(3), any.below(3)} : *last.next();
                append(stream, model, id, any_words(any));
                REQUIRE(stream.last_id() == id);
            } else if (what == 1) {
                auto const id = model.empty() || any.below(4) == 0 ? any_id(any, last)
                                                                   : model[any.below(model.size())].id;
                bool const held = std::erase_if(model, [&](item const& i) { return i.id == id; }) != 0;
                REQUIRE(stream.erase(id) == held);
                REQUIRE(stream.last_id() == last);
            } else if (any.below(2)) {
                auto const most = any.below(model.size() + 10);
                auto const going = model.size() - std::min<std::size_t>(model.size(), most);
                model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(going));
                REQUIRE(stream.trim({.by = stream_trim::length, .most_entries = most}) == going);
            } else {
                auto const first = any_id(any, {last.ms / 8, 0});
                auto const going = std::erase_if(model, [&](item const& i) { return i.id < first; });
                REQUIRE(stream.trim({.by = stream_trim::id, .first_kept = first}) == going);
            }
            REQUIRE(stream.size() == model.size());
            if (step % 20) continue;
            auto const first = any_id(any, last);
            auto const end = any.below(3) ? any_id(any, last) : stream_id::greatest();
            auto const most = any.below(2) ? 1 + any.below(300) : ~std::size_t{0};
            auto expected = between(model, first, end);
            auto reversed = expected;
            std::reverse(reversed.begin(), reversed.end());
            expected.resize(std::min<std::size_t>(expected.size(), most));
            reversed.resize(std::min<std::size_t>(reversed.size(), most));
            REQUIRE(copy(stream.range(first, end, most)) == expected);
            REQUIRE(copy(stream.reverse_range(first, end, most)) == reversed);
        }
        CHECK(copy(stream.range({}, stream_id::greatest(), ~std::size_t{0})) == model);
    }
}

TEST_CASE("rough trimming takes whole blocks, never too many entries") {
    stream_value stream(seed);
    items model;
    for (std::uint64_t ms = 1; ms <= 250; ++ms) append(stream, model, {ms, 0}, {"f", "v"});
    auto const roughly = [&](std::uint64_t most, std::uint64_t limit) {
        return stream.trim(
            {.by = stream_trim::length, .most_entries = most, .roughly = true, .limit = limit});
    };
    CHECK(roughly(151, 0) == 0);
    CHECK(roughly(0, 99) == 0);
    CHECK(roughly(0, 100) == 100);
    CHECK(roughly(50, 0) == 100);
    CHECK(stream.trim({.by = stream_trim::id, .first_kept = {250, 0}, .roughly = true}) == 0);
    CHECK(stream.trim({.by = stream_trim::id, .first_kept = {251, 0}, .roughly = true}) == 50);
    CHECK(stream.size() == 0);
    CHECK(stream.last_id() == stream_id{250, 0});
}

TEST_CASE("ids: their neighbours") {
    auto const top = ~std::uint64_t{0};
    CHECK(*stream_id{1, 1}.next() == stream_id{1, 2});
    CHECK(*stream_id{1, top}.next() == stream_id{2, 0});
    CHECK_FALSE(stream_id::greatest().next());
    CHECK(*stream_id{1, 1}.previous() == stream_id{1, 0});
    CHECK(*stream_id{1, 0}.previous() == stream_id{0, top});
    CHECK_FALSE(stream_id{}.previous());
    CHECK(stream_id{5, 7}.text() == "5-7");
}
