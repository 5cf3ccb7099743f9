// Sorted sets: members, their scores and ranks.
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/number.hpp>
#include <respkit/server/scan.hpp>
#include <respkit/server/scores.hpp>
#include <respkit/server/values/sorted_set.hpp>

namespace respkit {
namespace {

constexpr std::string_view xx_and_nx = "ERR XX and NX options at the same time are not compatible";
constexpr std::string_view gt_lt_nx = "ERR GT, LT, and/or NX options at the same time are not compatible";
constexpr std::string_view single_increment = "ERR INCR option supports a single increment-element pair";
constexpr std::string_view not_a_number = "ERR resulting score is not a number (NaN)";
constexpr std::string_view count_out_of_range =
    "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807";
constexpr std::string_view pairs_out_of_range = "ERR value is out of range";

struct add_options {
    bool nx = false;
    bool xx = false;
    bool gt = false;
    bool lt = false;
    bool changes = false;
    bool increment = false;
    std::size_t pairs = 2;  // where they begin

    bool takes(std::string_view word) {
        if (is_word(word, "nx")) return nx = true;
        if (is_word(word, "xx")) return xx = true;
        if (is_word(word, "gt")) return gt = true;
        if (is_word(word, "lt")) return lt = true;
        if (is_word(word, "ch")) return changes = true;
        if (is_word(word, "incr")) return increment = true;
        return false;
    }

    std::string_view complaint(std::size_t words) const {
        if (words == 0 || words % 2 == 1) return errors::syntax;
        if (nx && xx) return xx_and_nx;
        if ((gt && nx) || (lt && nx) || (gt && lt)) return gt_lt_nx;
        if (increment && words > 2) return single_increment;
        return {};
    }
};

// What became of one pair.
enum class outcome { added, updated, same, refused, no_number };

// `score` becomes the one that the member has then.
outcome add(call& c, sorted_set& set, add_options const& options, double& score, std::string_view member) {
    auto const held = set.find(member);
    if (!held) {
        if (options.xx) return outcome::refused;
        auto const& limits = c.db.shared().compact;
        set.insert(member, score, limits.zset_max_listpack_entries, limits.zset_max_listpack_value);
        return outcome::added;
    }
    if (options.nx) return outcome::refused;
    auto const old = held.score();
    if (options.increment) score += old;
    if (std::isnan(score)) return outcome::no_number;
    if ((options.lt && score >= old) || (options.gt && score <= old)) return outcome::refused;
    if (score == old) return outcome::same;
    set.score(held, score);
    return outcome::updated;
}

void add_pairs(call& c, add_options const& options) {
    if (auto const text = options.complaint(c.size() - options.pairs); !text.empty())
        return c.reply.error(text);
    std::vector<double> scores;
    for (auto i = options.pairs; i < c.size(); i += 2) {
        auto const score = parse_double(c[i]);
        if (!score) return c.reply.error(errors::not_float);
        scores.push_back(*score);
    }

    auto set = c.db.edit<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set && options.xx) return options.increment ? c.reply.null() : c.reply.integer(0);
    if (!set) set.held = &c.db.create<sorted_set>(c[1]);
    std::int64_t added = 0;
    std::int64_t updated = 0;
    auto last = outcome::same;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        last = add(c, *set, options, scores[i], c[options.pairs + 2 * i + 1]);
        if (last == outcome::no_number) return c.reply.error(not_a_number);
        added += last == outcome::added;
        updated += last == outcome::updated;
    }
    if (!options.increment)
        c.reply.integer(options.changes ? added + updated : added);
    else
        last == outcome::refused ? c.reply.null() : reply_score(c, scores[0]);
    if (added + updated)
        c.changed(c[1], event::sorted_set, options.increment ? "zincr" : "zadd",
                  static_cast<std::uint64_t>(added + updated));
}

// ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]
void zadd(call& c) {
    add_options options;
    while (options.pairs < c.size() && options.takes(c[options.pairs])) ++options.pairs;
    add_pairs(c, options);
}

// ZINCRBY key increment member
void zincrby(call& c) { add_pairs(c, {.increment = true}); }

// ZREM key member [member ...]
void zrem(call& c) {
    auto const set = c.db.edit<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.integer(0);
    auto const before = set->size();
    for (auto const member : c.words.subspan(2))
        if (auto const held = set->find(member)) set->erase(held);
    auto const removed = before - set->size();
    if (removed) c.notify(c[1], event::sorted_set, "zrem");
    if (set->empty()) c.drop_empty(c[1]);
    if (removed) c.touched(c[1], removed);
    c.reply.integer(static_cast<std::int64_t>(removed));
}

// ZCARD key
void zcard(call& c) {
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(set ? static_cast<std::int64_t>(set->size()) : 0);
}

void reply_score_of(call& c, slot<sorted_set> const& set, std::string_view member) {
    if (!set) return c.reply.null();
    auto const held = set->find(member);
    held ? reply_score(c, held.score()) : c.reply.null();
}

// ZSCORE key member
void zscore(call& c) {
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    reply_score_of(c, set, c[2]);
}

// ZMSCORE key member [member ...]
void zmscore(call& c) {
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.array(c.size() - 2);
    for (auto const member : c.words.subspan(2)) reply_score_of(c, set, member);
}

void reply_rank(call& c, bool from_the_end) {
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.null();
    auto const held = set->find(c[2]);
    if (!held) return c.reply.null();
    auto const rank = set->rank(held);
    c.reply.integer(static_cast<std::int64_t>(from_the_end ? set->size() - 1 - rank : rank));
}

// ZRANK key member
void zrank(call& c) { reply_rank(c, false); }

// ZREVRANK key member
void zrevrank(call& c) { reply_rank(c, true); }

// `count` elements, each chosen without regard to the others. Redis would answer any count until memory
// ends; here a client that asks for more than anybody could read is hung up on.
void reply_repeating(call& c, sorted_set const& set, std::uint64_t count, listing how) {
    constexpr std::uint64_t most = std::uint64_t{10} << 20;
    if (count > most) {
        c.who.closing = session::ending::at_once;
        return;
    }
    reply_size(c, count, how);
    for (; count; --count) reply_element(c, set.at(c.db.shared().random.below(set.size())), how);
}

void reply_different(call& c, sorted_set const& set, std::uint64_t count, listing how) {
    if (count >= set.size()) {
        reply_size(c, set.size(), how);
        for (auto e = set.last(); e; e = e.previous()) reply_element(c, e, how);
        return;
    }
    reply_size(c, count, how);
    for (auto const rank : set.sample(c.db.shared().random, count)) reply_element(c, set.at(rank), how);
}

// ZRANDMEMBER key count [WITHSCORES]
void zrandmember_counted(call& c) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    auto const count = c.integer(2);
    if (!count) return;
    if (*count < -largest) return c.reply.error(count_out_of_range);
    bool const scores = c.size() > 3;
    if (c.size() > 4 || (scores && !is_word(c[3], "withscores"))) return c.reply.error(errors::syntax);
    if (scores && (*count < -(largest / 2) || *count > largest / 2)) return c.reply.error(pairs_out_of_range);

    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.array(0);
    auto const how = listing_for(c, scores);
    *count < 0 ? reply_repeating(c, *set, static_cast<std::uint64_t>(-*count), how)
               : reply_different(c, *set, static_cast<std::uint64_t>(*count), how);
}

// ZRANDMEMBER key [count [WITHSCORES]]
void zrandmember(call& c) {
    if (c.size() > 2) return zrandmember_counted(c);
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.null();
    c.reply.bulk(set->at(c.db.shared().random.below(set->size())).member());
}

// Redis keeps integral scores of small sets as integers, and shows them so here.
std::string scanned_score(call& c, double score, bool compact) {
    if (compact && std::abs(score) <= 0x1p62 && std::trunc(score) == score)
        return std::to_string(static_cast<std::int64_t>(score));
    return format_double(score, c.db.shared().emulate);
}

// ZSCAN key cursor [MATCH pattern] [COUNT count]
void zscan(call& c) {
    auto const cursor = scan_cursor(c, 2);
    if (!cursor) return;

    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    struct pair {
        std::string member;
        double score;
    };
    std::vector<pair> found;
    std::uint64_t next = 0;
    if (set) {
        auto const options = parse_scan_options(c, 3, false);
        if (!options) return;
        std::size_t seen = 0;
        auto const visit = [&](std::string_view member, double score) {
            ++seen;
            if (options->matches(member)) found.push_back({std::string(member), score});
        };
        next = scan_steps(
            *cursor, options->count, [&](std::uint64_t at) { return set->scan(at, visit); },
            [&] { return seen; });
    }
    c.reply.array(2);
    char digits[20];
    auto const end = std::to_chars(digits, digits + sizeof digits, next).ptr;
    c.reply.bulk({digits, static_cast<std::size_t>(end - digits)});
    c.reply.array(2 * found.size());
    for (auto const& [member, score] : found) {
        c.reply.bulk(member);
        c.reply.bulk(scanned_score(c, score, set->compact()));  // in RESP3 too
    }
}

using namespace flag;

constexpr command rows[] = {
    sorted_set_row("zadd", -4, write | denyoom | fast, {key::updates}, zadd, "1.2.0",
                   "Adds members or changes their scores"),
    sorted_set_row("zincrby", 4, write | denyoom | fast, {key::exchanges}, zincrby, "1.2.0",
                   "Adds to the score of a member"),
    sorted_set_row("zrem", -3, write | fast, {key::removes}, zrem, "1.2.0",
                   "Removes members from a sorted set"),
    sorted_set_row("zcard", 2, readonly | fast, {key::looks_at}, zcard, "1.2.0",
                   "Counts the members of a sorted set"),
    sorted_set_row("zscore", 3, readonly | fast, {key::reads}, zscore, "1.2.0",
                   "Returns the score of a member"),
    sorted_set_row("zmscore", -3, readonly | fast, {key::reads}, zmscore, "6.2.0",
                   "Returns the scores of many members"),
    sorted_set_row("zrank", 3, readonly | fast, {key::reads}, zrank, "2.0.0",
                   "Tells how many members come before one"),
    sorted_set_row("zrevrank", 3, readonly | fast, {key::reads}, zrevrank, "2.0.0",
                   "Tells how many members come after one"),
    sorted_set_row("zrandmember", -2, readonly, {key::reads}, zrandmember, "6.2.0",
                   "Returns random members of a sorted set", "nondeterministic_output"),
    sorted_set_row("zscan", -3, readonly, {key::reads}, zscan, "2.8.0",
                   "Walks through the members of a sorted set", "nondeterministic_output"),
};

}  // namespace

std::span<command const> sorted_set_commands() { return rows; }

}  // namespace respkit
