// LCS, apart from the other string commands because it is an algorithm.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <respkit/server/command.hpp>

namespace respkit {

namespace {

// Lengths of the longest common subsequence of every pair of prefixes.
class prefix_lengths {
public:
    prefix_lengths(std::string_view a, std::string_view b)
        : width_(b.size() + 1), cells_((a.size() + 1) * width_) {
        for (std::size_t i = 1; i <= a.size(); ++i)
            for (std::size_t j = 1; j <= b.size(); ++j)
                cell(i, j) =
                    a[i - 1] == b[j - 1] ? at(i - 1, j - 1) + 1 : std::max(at(i - 1, j), at(i, j - 1));
    }
    std::uint32_t at(std::size_t i, std::size_t j) const { return cells_[i * width_ + j]; }

private:
    std::uint32_t& cell(std::size_t i, std::size_t j) { return cells_[i * width_ + j]; }

    std::size_t width_;
    std::vector<std::uint32_t> cells_;
};

// A run of characters that both strings share: where it begins in each, and how long it is.
struct match {
    std::size_t a, b, length;
};

// Walks back from the ends as Redis does (of equal choices it shortens b), so that of several longest
// subsequences the same one is found. Matches come last first.
std::vector<match> find_matches(std::string_view a, std::string_view b, prefix_lengths const& lengths,
                                std::string& common) {
    std::vector<match> found;
    common.resize(lengths.at(a.size(), b.size()));
    std::size_t left = common.size();
    bool open = false;
    for (std::size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
        if (a[i - 1] == b[j - 1]) {
            common[--left] = a[i - 1];
            --i;
            --j;
            if (open && found.back().a == i + 1 && found.back().b == j + 1)
                found.back() = {i, j, found.back().length + 1};
            else
                found.push_back({i, j, 1});
            open = true;
        } else {
            open = false;
            --(lengths.at(i - 1, j) > lengths.at(i, j - 1) ? i : j);
        }
    }
    return found;
}

void reply_range(call& c, std::size_t begin, std::size_t length) {
    c.reply.array(2);
    c.reply.integer(static_cast<std::int64_t>(begin));
    c.reply.integer(static_cast<std::int64_t>(begin + length - 1));
}

// LCS key1 key2 [LEN] [IDX] [MINMATCHLEN n] [WITHMATCHLEN]
void lcs(call& c) {
    // Both count as reads; then look again, for the second may have expired what the first found.
    c.db.read(c[1]);
    c.db.read(c[2]);
    auto const first = c.db.edit<record>(c[1]);
    auto const second = c.db.edit<record>(c[2]);
    if (first.wrong_type || second.wrong_type)
        return c.reply.error("ERR The specified keys must contain string values");
    bool with_length = false, with_ranges = false, with_match_lengths = false;
    std::int64_t shortest = 0;
    for (std::size_t i = 3; i < c.size(); ++i) {
        if (is_word(c[i], "idx")) {
            with_ranges = true;
        } else if (is_word(c[i], "len")) {
            with_length = true;
        } else if (is_word(c[i], "withmatchlen")) {
            with_match_lengths = true;
        } else if (is_word(c[i], "minmatchlen") && i + 1 < c.size()) {
            auto const n = c.integer(++i);
            if (!n) return;
            shortest = std::max<std::int64_t>(*n, 0);
        } else {
            return c.reply.error(errors::syntax);
        }
    }
    if (with_length && with_ranges)
        return c.reply.error("ERR If you want both the length and indexes, please just use IDX.");
    auto const a = first ? first->text() : std::string_view();
    auto const b = second ? second->text() : std::string_view();
    if ((a.size() + 1) * (b.size() + 1) > c.db.shared().max_bulk / sizeof(std::uint32_t))
        return c.reply.error("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");

    prefix_lengths const lengths(a, b);
    auto const length = static_cast<std::int64_t>(lengths.at(a.size(), b.size()));
    if (with_length) return c.reply.integer(length);
    std::string common;
    auto matches = find_matches(a, b, lengths, common);
    if (!with_ranges) return c.reply.bulk(common);
    std::erase_if(matches, [&](match const& m) { return static_cast<std::int64_t>(m.length) < shortest; });
    c.reply.map(2);
    c.reply.bulk("matches");
    c.reply.array(matches.size());
    for (auto const& m : matches) {
        c.reply.array(with_match_lengths ? 3 : 2);
        reply_range(c, m.a, m.length);
        reply_range(c, m.b, m.length);
        if (with_match_lengths) c.reply.integer(static_cast<std::int64_t>(m.length));
    }
    c.reply.bulk("len");
    c.reply.integer(length);
}

constexpr command rows[] = {
    {.name = "lcs",
     .arity = -3,
     .flags = flag::readonly,
     .categories = category::string,
     .keys = {{.flags = key_flag::ro | key_flag::access, .last = 1}},
     .run = lcs,
     .since = "7.0.0",
     .group = "string",
     .summary = "Finds the longest common subsequence of two strings"},
};

}  // namespace

std::span<command const> lcs_commands() { return rows; }

}  // namespace respkit
