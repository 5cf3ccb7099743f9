// Sorted sets: ranges by rank, by score and by member. Whatever it was asked by, a range becomes an extent of
// ranks first; the rest is the same for all.
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/scores.hpp>
#include <respkit/server/values/sorted_set.hpp>

namespace respkit {
namespace {

constexpr std::string_view limit_by_rank =
    "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX";
constexpr std::string_view scores_by_lex =
    "ERR syntax error, WITHSCORES not supported in combination with BYLEX";
constexpr std::string_view not_score_range = "ERR min or max is not a float";
constexpr std::string_view not_lex_range = "ERR min or max not valid string range item";

extent between(std::size_t first, std::size_t end) { return {first, end > first ? end - first : 0}; }

// Each kind of range is read from two words, the lower bound first; what is wrong with them goes to the
// client. of() says where it lies in a set; `reverse`: to one who looks from the end.

struct rank_range {
    std::int64_t start;
    std::int64_t stop;

    static std::optional<rank_range> read(call& c, std::size_t from, std::size_t to) {
        auto const start = c.integer(from);
        if (!start) return {};
        auto const stop = c.integer(to);
        if (!stop) return {};
        return rank_range{*start, *stop};
    }

    extent of(sorted_set const& set, bool reverse) const {
        auto const found = index_range(start, stop, set.size());
        if (!reverse || found.count == 0) return found;
        return {set.size() - found.first - found.count, found.count};
    }
};

struct score_bound {
    double score;
    bool exclusive;

    // Whatever strtod reads, though it be nothing: more than a score may be written as.
    static std::optional<score_bound> parse(std::string_view word) {
        bool const exclusive = word.starts_with('(');
        std::string const text(word.substr(exclusive));
        char* end = nullptr;
        double const score = std::strtod(text.c_str(), &end);
        if (*end != '\0' || std::isnan(score)) return {};
        return score_bound{score, exclusive};
    }
};

struct score_range {
    score_bound min;
    score_bound max;

    static std::optional<score_range> read(call& c, std::size_t from, std::size_t to) {
        auto const min = score_bound::parse(c[from]);
        auto const max = score_bound::parse(c[to]);
        if (min && max) return score_range{*min, *max};
        c.reply.error(not_score_range);
        return {};
    }

    extent of(sorted_set const& set, bool) const {
        return between(set.below(min.score, min.exclusive), set.below(max.score, !max.exclusive));
    }
};

struct lex_bound {
    enum { lowest, member, highest } place;
    std::string_view text;
    bool exclusive;

    static std::optional<lex_bound> parse(std::string_view word) {
        if (word.starts_with('[')) return lex_bound{member, word.substr(1), false};
        if (word.starts_with('(')) return lex_bound{member, word.substr(1), true};
        // As Redis looks at C strings.
        if (is_word(word, "-")) return lex_bound{lowest, {}, true};
        if (is_word(word, "+")) return lex_bound{highest, {}, true};
        return {};
    }

    bool is_above(std::string_view m) const { return place == member ? text > m : place == highest; }
    bool is_below(std::string_view m) const { return place == member ? text < m : place == lowest; }
    bool excludes(std::string_view m) const { return exclusive && place == member && text == m; }
    std::size_t rank_in(sorted_set const& set, bool inclusive) const {
        if (place == member) return set.below(text, inclusive);
        return place == lowest ? 0 : set.size();
    }
};

struct lex_range {
    lex_bound min;
    lex_bound max;

    static std::optional<lex_range> read(call& c, std::size_t from, std::size_t to) {
        auto const min = lex_bound::parse(c[from]);
        auto const max = lex_bound::parse(c[to]);
        if (min && max) return lex_range{*min, *max};
        c.reply.error(not_lex_range);
        return {};
    }

    bool is_above(std::string_view m) const { return min.is_above(m) || min.excludes(m); }
    bool is_below(std::string_view m) const { return max.is_below(m) || max.excludes(m); }

    extent of(sorted_set const& set, bool reverse) const {
        if (set.compact()) return walked(set, reverse);
        return between(min.rank_in(set, min.exclusive), max.rank_in(set, !max.exclusive));
    }

    // Small sets are walked, as they are in Redis: one can tell if scores differ.
    extent walked(sorted_set const& set, bool reverse) const {
        if (is_above(set.last().member()) || is_below(set.first().member())) return {};
        extent found;
        if (reverse) {
            auto e = set.last();
            for (found.first = set.size(); e && is_below(e.member()); e = e.previous()) --found.first;
            for (; e && !is_above(e.member()); e = e.previous()) ++found.count;
            found.first -= found.count;
        } else {
            auto e = set.first();
            for (; e && is_above(e.member()); e = e.next()) ++found.first;
            for (; e && !is_below(e.member()); e = e.next()) ++found.count;
        }
        return found;
    }
};

enum class by { rank, score, lex };

// The words behind a range.
struct range_options {
    std::optional<by> kind;
    std::optional<bool> reverse;
    bool scores = false;
    std::int64_t offset = 0;
    std::int64_t limit = -1;

    // From words[i] on. What is set already cannot be chosen.
    bool read(call& c, std::size_t i, bool may_have_scores);

    extent limited(extent found) const {
        if (*kind == by::rank) return found;
        auto const skipped = static_cast<std::uint64_t>(offset);  // negative: more than there is
        if (skipped >= found.count) return {};
        auto count = found.count - skipped;
        if (limit >= 0) count = std::min(count, static_cast<std::size_t>(limit));
        auto const first = *reverse ? found.first + found.count - skipped - count : found.first + skipped;
        return {first, count};
    }
};

bool range_options::read(call& c, std::size_t i, bool may_have_scores) {
    for (; i < c.size(); ++i) {
        if (may_have_scores && is_word(c[i], "withscores")) {
            scores = true;
        } else if (i + 2 < c.size() && is_word(c[i], "limit")) {
            auto const skipped = c.integer(++i);
            if (!skipped) return false;
            auto const most = c.integer(++i);
            if (!most) return false;
            offset = *skipped;
            limit = *most;
        } else if (!reverse && is_word(c[i], "rev")) {
            reverse = true;
        } else if (!kind && is_word(c[i], "bylex")) {
            kind = by::lex;
        } else if (!kind && is_word(c[i], "byscore")) {
            kind = by::score;
        } else {
            c.reply.error(errors::syntax);
            return false;
        }
    }
    if (!reverse) reverse = false;
    if (!kind) kind = by::rank;
    bool const valid = !(limit != -1 && *kind == by::rank) && !(scores && *kind == by::lex);
    if (!valid) c.reply.error(*kind == by::rank ? limit_by_rank : scores_by_lex);
    return valid;
}

using any_range = std::variant<rank_range, score_range, lex_range>;

std::optional<any_range> read_range(call& c, by kind, std::size_t from, std::size_t to) {
    auto const as = [](auto const& r) { return r ? std::optional<any_range>(*r) : std::nullopt; };
    if (kind == by::score) return as(score_range::read(c, from, to));
    if (kind == by::lex) return as(lex_range::read(c, from, to));
    return as(rank_range::read(c, from, to));
}

// What a command of the ZRANGE family asks for; its key is words[at], the range follows.
struct range_query {
    range_options options;
    any_range range;

    static std::optional<range_query> read(call& c, std::size_t at, range_options options,
                                           bool may_have_scores) {
        if (!options.read(c, at + 3, may_have_scores)) return {};
        auto from = at + 1;
        auto to = at + 2;
        if (*options.reverse && *options.kind != by::rank) std::swap(from, to);  // the upper bound is first
        auto const range = read_range(c, *options.kind, from, to);
        if (!range) return {};
        return range_query{options, *range};
    }

    extent in(sorted_set const& set) const {
        return options.limited(std::visit([&](auto const& r) { return r.of(set, *options.reverse); }, range));
    }

    // f(element) for those of an extent, in the order asked for.
    template <class F>
    void walk(sorted_set const& set, extent found, F&& f) const {
        if (found.count == 0) return;
        bool const back = *options.reverse;
        auto e = set.at(back ? found.first + found.count - 1 : found.first);
        for (auto left = found.count; left; --left) {
            f(e);
            e = back ? e.previous() : e.next();
        }
    }
};

void reply_range(call& c, range_options const& options) {
    auto const query = range_query::read(c, 1, options, true);
    if (!query) return;
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.array(0);
    auto const found = query->in(*set);
    auto const how = listing_for(c, query->options.scores);
    reply_size(c, found.count, how);
    query->walk(*set, found, [&](auto e) { reply_element(c, e, how); });
}

// ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]
void zrange(call& c) { reply_range(c, {}); }

// ZREVRANGE key start stop [WITHSCORES]
void zrevrange(call& c) { reply_range(c, {.kind = by::rank, .reverse = true}); }

// ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count]
void zrangebyscore(call& c) { reply_range(c, {.kind = by::score, .reverse = false}); }

// ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count]
void zrevrangebyscore(call& c) { reply_range(c, {.kind = by::score, .reverse = true}); }

// ZRANGEBYLEX key min max [LIMIT offset count]
void zrangebylex(call& c) { reply_range(c, {.kind = by::lex, .reverse = false}); }

// ZREVRANGEBYLEX key max min [LIMIT offset count]
void zrevrangebylex(call& c) { reply_range(c, {.kind = by::lex, .reverse = true}); }

// ZRANGESTORE destination source start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count]
void zrangestore(call& c) {
    auto const query = range_query::read(c, 2, {}, false);
    if (!query) return;
    auto const set = c.db.read<sorted_set>(c[2]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    sorted_set result(c.db.shared().seed);
    if (set) {
        auto const found = query->in(*set);
        auto const& limits = c.db.shared().compact;
        auto most = limits.zset_max_listpack_entries;
        // By rank, Redis knows beforehand that the result will not be compact.
        if (*query->options.kind == by::rank && found.count > most) most = 0;
        query->walk(*set, found, [&](auto e) {
            result.insert(e.member(), e.score(), most, limits.zset_max_listpack_value);
        });
    }
    store_result(c, result);
}

template <class Range>
void count_range(call& c) {
    auto const range = Range::read(c, 2, 3);
    if (!range) return;
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(set ? static_cast<std::int64_t>(range->of(*set, false).count) : 0);
}

// ZCOUNT key min max
void zcount(call& c) { count_range<score_range>(c); }

// ZLEXCOUNT key min max
void zlexcount(call& c) { count_range<lex_range>(c); }

template <class Range>
void remove_range(call& c) {
    auto const range = Range::read(c, 2, 3);
    if (!range) return;
    auto const set = c.db.edit<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.integer(0);
    auto const found = range->of(*set, false);
    set->erase(found.first, found.count);
    if (found.count) c.changed(c[1], event::sorted_set, c.row.name, found.count);
    if (set->empty()) c.drop_empty(c[1]);
    c.reply.integer(static_cast<std::int64_t>(found.count));
}

// ZREMRANGEBYRANK key start stop
void zremrangebyrank(call& c) { remove_range<rank_range>(c); }

// ZREMRANGEBYSCORE key min max
void zremrangebyscore(call& c) { remove_range<score_range>(c); }

// ZREMRANGEBYLEX key min max
void zremrangebylex(call& c) { remove_range<lex_range>(c); }

using namespace flag;

constexpr command rows[] = {
    sorted_set_row("zrange", -4, readonly, {key::reads}, zrange, "1.2.0", "Returns a range of members"),
    sorted_set_row("zrevrange", -4, readonly, {key::reads}, zrevrange, "1.2.0",
                   "Returns members by rank, from the end"),
    sorted_set_row("zrangebyscore", -4, readonly, {key::reads}, zrangebyscore, "1.0.5",
                   "Returns the members within a range of scores"),
    sorted_set_row("zrevrangebyscore", -4, readonly, {key::reads}, zrevrangebyscore, "2.2.0",
                   "Returns the members within a range of scores, from the end"),
    sorted_set_row("zrangebylex", -4, readonly, {key::reads}, zrangebylex, "2.8.9",
                   "Returns the members between two of equal score"),
    sorted_set_row("zrevrangebylex", -4, readonly, {key::reads}, zrevrangebylex, "2.8.9",
                   "Returns the members between two of equal score, from the end"),
    sorted_set_row("zrangestore", -5, write | denyoom, {key::overwrites, key::from(2, key::reads)},
                   zrangestore, "6.2.0", "Stores a range of members"),
    sorted_set_row("zcount", 4, readonly | fast, {key::reads}, zcount, "2.0.0",
                   "Counts the members within a range of scores"),
    sorted_set_row("zlexcount", 4, readonly | fast, {key::reads}, zlexcount, "2.8.9",
                   "Counts the members between two of equal score"),
    sorted_set_row("zremrangebyrank", 4, write, {key::removes}, zremrangebyrank, "2.0.0",
                   "Removes members by rank"),
    sorted_set_row("zremrangebyscore", 4, write, {key::removes}, zremrangebyscore, "1.2.0",
                   "Removes the members within a range of scores"),
    sorted_set_row("zremrangebylex", 4, write, {key::removes}, zremrangebylex, "2.8.9",
                   "Removes the members between two of equal score"),
};

}  // namespace

std::span<command const> sorted_set_range_commands() { return rows; }

}  // namespace respkit
