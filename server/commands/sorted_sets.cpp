// Sorted sets.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/number.hpp>
#include <respkit/server/values/sorted_set.hpp>

namespace respkit {
namespace {

constexpr std::string_view xx_and_nx = "ERR XX and NX options at the same time are not compatible";
constexpr std::string_view gt_lt_nx = "ERR GT, LT, and/or NX options at the same time are not compatible";
constexpr std::string_view single_increment = "ERR INCR option supports a single increment-element pair";
constexpr std::string_view not_a_number = "ERR resulting score is not a number (NaN)";

void reply_score(call& c, double score) { c.reply.real(format_double(score, c.db.shared().emulate)); }

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

// ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]
void zadd(call& c) {
    add_options options;
    while (options.pairs < c.size() && options.takes(c[options.pairs])) ++options.pairs;
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
    if (added + updated)
        c.changed(c[1], event::sorted_set, options.increment ? "zincr" : "zadd",
                  static_cast<std::uint64_t>(added + updated));
    if (!options.increment) return c.reply.integer(options.changes ? added + updated : added);
    last == outcome::refused ? c.reply.null() : reply_score(c, scores[0]);
}

// ZPOPMIN key [count]
void zpopmin(call& c) {
    if (c.size() > 3) return c.reply.error(errors::syntax);
    bool const counted = c.size() == 3;
    std::uint64_t most = 1;
    if (counted) {
        auto const n = integer_from(c, 2, 0);
        if (!n) return;
        most = *n;
    }

    auto const set = c.db.edit<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set || most == 0) return c.reply.array(0);
    auto const count = std::min(most, std::uint64_t{set->size()});
    // With a count, RESP3 gets pairs; without one, and in RESP2 always, all is flat.
    bool const pairs = counted && c.reply.protocol() == resp::version::v3;
    c.reply.array(pairs ? count : 2 * count);
    for (auto left = count; left; --left) {
        auto const least = set->first();
        if (pairs) c.reply.array(2);
        c.reply.bulk(least.member());
        reply_score(c, least.score());
        set->erase(least);
    }
    c.changed(c[1], event::sorted_set, "zpopmin", count);
    if (set->empty()) c.drop_empty(c[1]);
}

// ZCARD key
void zcard(call& c) {
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(set ? static_cast<std::int64_t>(set->size()) : 0);
}

// ZSCORE key member
void zscore(call& c) {
    auto const set = c.db.read<sorted_set>(c[1]);
    if (set.wrong_type) return c.reply.error(errors::wrong_type);
    if (!set) return c.reply.null();
    auto const held = set->find(c[2]);
    held ? reply_score(c, held.score()) : c.reply.null();
}

using namespace flag;

constexpr command make(std::string_view name, int arity, std::uint32_t flags,
                       std::initializer_list<key_spec> keys, void (*run)(call&), std::string_view since,
                       std::string_view summary) {
    command row{.name = name,
                .arity = arity,
                .flags = flags,
                .categories = category::sorted_set,
                .run = run,
                .since = since,
                .group = "sorted-set",
                .summary = summary};
    std::copy(keys.begin(), keys.end(), row.keys);
    return row;
}

constexpr command rows[] = {
    make("zadd", -4, write | denyoom | fast, {key::updates}, zadd, "1.2.0",
         "Adds members or changes their scores"),
    make("zpopmin", -2, write | fast, {key::takes}, zpopmin, "5.0.0",
         "Takes out the members with the lowest scores"),
    make("zcard", 2, readonly | fast, {key::looks_at}, zcard, "1.2.0", "Counts the members of a sorted set"),
    make("zscore", 3, readonly | fast, {key::reads}, zscore, "1.2.0", "Returns the score of a member"),
};

}  // namespace

std::span<command const> sorted_set_commands() { return rows; }

}  // namespace respkit
