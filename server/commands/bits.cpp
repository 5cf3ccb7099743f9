// Bitmaps: strings whose bits are numbered.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/bits.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/family.hpp>

namespace respkit {
namespace {

constexpr std::string_view invalid_bit = "ERR bit is not an integer or out of range";
constexpr std::string_view neither_0_nor_1 = "ERR The bit argument must be 1 or 0.";
constexpr std::string_view one_source = "ERR BITOP NOT must be called with a single source key.";

// SETBIT key offset 0|1
void setbit(call& c) {
    auto const at = bit_offset(c, 2);
    if (!at) return;
    auto const bit = c.integer(3, invalid_bit);
    if (!bit) return;
    if (*bit != 0 && *bit != 1) return c.reply.error(invalid_bit);

    auto const string = string_with_bit(c, *at);
    if (!string.held) return;
    auto const fresh = static_cast<std::uint64_t>(*bit);
    auto const old = read_bits(string.held->text(), *at, 1);
    write_bits(string.held->text_bytes(), *at, 1, fresh);
    if (string.grown || fresh != old) c.changed(c[1], event::string, "setbit");
    c.reply.integer(static_cast<std::int64_t>(old));
}

// GETBIT key offset
void getbit(call& c) {
    auto const at = bit_offset(c, 2);
    if (!at) return;
    auto const s = c.db.read<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(s ? static_cast<std::int64_t>(read_bits(s->text(), *at, 1)) : 0);
}

// BYTE or BIT, how the ends of a range are counted.
std::optional<bool> counts_bits(call& c, std::size_t i) {
    if (is_word(c[i], "bit")) return true;
    if (is_word(c[i], "byte")) return false;
    c.reply.error(errors::syntax);
    return {};
}

// From one index to another, both inclusive, as bits of a string of `size` bytes.
struct bit_range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

std::optional<bit_range> range_of_bits(std::int64_t start, std::int64_t end, bool in_bits, std::size_t size) {
    auto const total = static_cast<std::int64_t>(in_bits ? size * 8 : size);
    if (start < 0) start = std::max<std::int64_t>(start + total, 0);
    if (end < 0) end = std::max<std::int64_t>(end + total, 0);
    end = std::min(end, total - 1);
    if (start > end) return {};
    bit_range const range{static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(end)};
    return in_bits ? range : bit_range{range.first * 8, range.last * 8 + 7};
}

// BITCOUNT key [start end [BYTE | BIT]]
void bitcount(call& c) {
    auto const s = c.db.read<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    if (!s) return c.reply.integer(0);
    if (c.size() == 3 || c.size() > 5) return c.reply.error(errors::syntax);

    std::optional<std::int64_t> start = 0, end = -1;
    std::optional<bool> in_bits = false;
    if (c.size() > 3) {
        if (!(start = c.integer(2)) || !(end = c.integer(3))) return;
        if (*start < 0 && *end < 0 && *start > *end) return c.reply.integer(0);
        if (c.size() == 5 && !(in_bits = counts_bits(c, 4))) return;
    }
    auto const range = range_of_bits(*start, *end, *in_bits, s->text().size());
    c.reply.integer(range ? static_cast<std::int64_t>(count_bits(s->text(), range->first, range->last)) : 0);
}

// BITPOS key 0|1 [start [end [BYTE | BIT]]]
void bitpos(call& c) {
    auto const bit = c.integer(2);
    if (!bit) return;
    if (*bit != 0 && *bit != 1) return c.reply.error(neither_0_nor_1);
    auto const s = c.db.read<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    if (!s) return c.reply.integer(*bit ? -1 : 0);
    if (c.size() > 6) return c.reply.error(errors::syntax);

    std::optional<std::int64_t> start = 0, end = -1;
    std::optional<bool> in_bits = false;
    if (c.size() > 3 && !(start = c.integer(3))) return;
    if (c.size() == 6 && !(in_bits = counts_bits(c, 5))) return;
    bool const has_end = c.size() > 4;
    if (has_end && !(end = c.integer(4))) return;

    auto const size = s->text().size();
    auto const range = range_of_bits(*start, *end, *in_bits, size);
    if (!range) return c.reply.integer(-1);
    if (auto const at = find_bit(s->text(), *bit, range->first, range->last))
        return c.reply.integer(static_cast<std::int64_t>(*at));
    // Without an end, the zeros go on behind the string.
    c.reply.integer(*bit || has_end ? -1 : static_cast<std::int64_t>(size * 8));
}

// The strings under words[3] and on; none if one holds something else, which the client has then been told.
std::optional<std::vector<std::string_view>> read_sources(call& c) {
    std::vector<std::string_view> sources;
    for (auto const key : c.words.subspan(3)) {
        auto const s = c.db.read<record>(key);
        if (s.wrong_type) {
            c.reply.error(errors::wrong_type);
            return {};
        }
        sources.push_back(s ? s->text() : std::string_view());
    }
    return sources;
}

// Each byte of the longest with the same of all others; what is missing is zero.
template <class Operation>
std::string combine(std::vector<std::string_view> const& sources, Operation&& with) {
    std::string result(sources.front());
    for (auto const source : std::span(sources).subspan(1)) {
        result.resize(std::max(result.size(), source.size()));
        for (std::size_t i = 0; i < source.size(); ++i)
            result[i] = static_cast<char>(with(result[i], source[i]));
        for (auto i = source.size(); i < result.size(); ++i)
            result[i] = static_cast<char>(with(result[i], '\0'));
    }
    return result;
}

void store_bits(call& c, std::string_view result) {
    if (!result.empty()) {
        c.db.set_string(c[2], result).form(string_form::raw);
        c.changed(c[2], event::string, "set");
    } else if (c.db.erase(c[2])) {
        c.changed(c[2], event::generic, "del");
    }
    c.reply.integer(static_cast<std::int64_t>(result.size()));
}

// BITOP AND | OR | XOR | NOT target key [key ...]
void bitop(call& c) {
    enum { conjunction, disjunction, difference, negation, none } operation = none;
    if (is_word(c[1], "and")) operation = conjunction;
    if (is_word(c[1], "or")) operation = disjunction;
    if (is_word(c[1], "xor")) operation = difference;
    if (is_word(c[1], "not")) operation = negation;
    if (operation == none) return c.reply.error(errors::syntax);
    if (operation == negation && c.size() != 4) return c.reply.error(one_source);

    auto sources = read_sources(c);
    if (!sources) return;
    switch (operation) {
        case conjunction:
            return store_bits(c, combine(*sources, [](char a, char b) { return a & b; }));
        case disjunction:
            return store_bits(c, combine(*sources, [](char a, char b) { return a | b; }));
        case difference:
            return store_bits(c, combine(*sources, [](char a, char b) { return a ^ b; }));
        case negation: {
            std::string const ones(sources->front().size(), '\xff');
            sources->push_back(ones);
            return store_bits(c, combine(*sources, [](char a, char b) { return a ^ b; }));
        }
        case none:
            return;
    }
}

using namespace flag;

constexpr family make{category::bitmap, "bitmap"};

constexpr command rows[] = {
    make("setbit", 4, write | denyoom, {key::exchanges}, setbit, "2.2.0",
         "Sets or clears a bit of a string and returns the old one"),
    make("getbit", 3, readonly | fast, {key::reads}, getbit, "2.2.0", "Returns a bit of a string"),
    make("bitcount", -2, readonly, {key::reads}, bitcount, "2.6.0",
         "Counts the bits of a string that are set"),
    make("bitpos", -3, readonly, {key::reads}, bitpos, "2.8.7", "Finds the first bit that is set, or clear"),
    make("bitop", -4, write | denyoom, {key::from(2, key::overwrites), key::from(3, key::all(key::reads))},
         bitop, "2.6.0", "Combines the bits of strings and stores the result"),
};

}  // namespace

std::span<command const> bit_commands() { return rows; }

}  // namespace respkit
