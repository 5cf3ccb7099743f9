// Sorted sets: unions, intersections and differences, of sorted sets and plain ones.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <respkit/server/arguments.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/number.hpp>
#include <respkit/server/scores.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>

namespace respkit {
namespace {

constexpr std::string_view not_weight = "ERR weight value is not a float";
constexpr std::string_view negative_limit = "ERR LIMIT can't be negative";

std::string no_key(command const& row) {
    return "ERR at least 1 input key is needed for '" + std::string(row.name) + "' command";
}

// What is under one of the keys; members of a plain set have the score 1.
struct source {
    sorted_set* scored = nullptr;
    set_value* plain = nullptr;
    double weight = 1;

    std::size_t size() const { return scored ? scored->size() : plain ? plain->size() : 0; }
    bool same_as(source const& other) const { return scored == other.scored && plain == other.plain; }

    std::optional<double> score(std::string_view member) const {
        if (scored) {
            auto const held = scored->find(member);
            return held ? std::optional(held.score()) : std::nullopt;
        }
        return plain && plain->contains(member) ? std::optional(1.0) : std::nullopt;
    }

    // f(member, score) until it returns false.
    template <class F>
    void each(F&& f) const {
        if (scored) {
            for (auto e = scored->first(); e; e = e.next())
                if (!f(e.member(), e.score())) return;
        } else if (plain) {
            bool more = true;
            plain->for_each([&](std::string_view member) { more = more && f(member, 1.0); });
        }
    }
};

enum class aggregate { sum, min, max };

// The words behind the keys that a command knows.
struct known_words {
    bool weights = true;  // and AGGREGATE
    bool scores = true;
    bool limit = false;
};

// numkeys key [key ...] [WEIGHTS weight ...] [AGGREGATE SUM | MIN | MAX] [WITHSCORES] [LIMIT limit]
class combination {
public:
    // From words[at] on; nothing if a complaint has gone to the client.
    static std::optional<combination> read(call& c, std::size_t at, known_words known);

    std::vector<source> sources;
    bool scores = false;
    std::uint64_t limit = 0;

    // Redis' order, the smallest first: sums of floating-point numbers depend on it.
    void sort() {
        std::stable_sort(sources.begin(), sources.end(),
                         [](source const& a, source const& b) { return a.size() < b.size(); });
    }
    double join(double so_far, double score) const {
        if (aggregate_ == aggregate::min) return score < so_far ? score : so_far;
        if (aggregate_ == aggregate::max) return score > so_far ? score : so_far;
        return number(so_far + score);
    }
    static double number(double score) { return std::isnan(score) ? 0 : score; }

private:
    bool read_sources(call& c, std::size_t at);
    bool read_options(call& c, std::size_t at, known_words known);
    bool read_weights(call& c, std::size_t at);

    aggregate aggregate_ = aggregate::sum;
};

std::optional<combination> combination::read(call& c, std::size_t at, known_words known) {
    combination asked;
    if (!asked.read_sources(c, at)) return {};
    if (!asked.read_options(c, at + 1 + asked.sources.size(), known)) return {};
    return asked;
}

bool combination::read_sources(call& c, std::size_t at) {
    auto const count = c.integer(at);
    if (!count) return false;
    if (*count < 1) return c.reply.error(no_key(c.row)), false;
    if (static_cast<std::uint64_t>(*count) > c.size() - at - 1) return c.reply.error(errors::syntax), false;
    for (auto const key : c.words.subspan(at + 1, static_cast<std::size_t>(*count))) {
        auto const* const r = c.db.read(key);
        auto& s = sources.emplace_back();
        if (r && r->type() == kind::sorted_set)
            s.scored = r->object<sorted_set>();
        else if (r && r->type() == kind::set)
            s.plain = r->object<set_value>();
        else if (r)
            return c.reply.error(errors::wrong_type), false;
    }
    return true;
}

bool combination::read_options(call& c, std::size_t at, known_words known) {
    while (at < c.size()) {
        auto const values = c.size() - at - 1;
        if (known.weights && values >= sources.size() && is_word(c[at], "weights")) {
            if (!read_weights(c, at + 1)) return false;
            at += 1 + sources.size();
        } else if (known.weights && values >= 1 && is_word(c[at], "aggregate")) {
            auto const how = c[at + 1];
            at += 2;
            if (is_word(how, "sum"))
                aggregate_ = aggregate::sum;
            else if (is_word(how, "min"))
                aggregate_ = aggregate::min;
            else if (is_word(how, "max"))
                aggregate_ = aggregate::max;
            else
                return c.reply.error(errors::syntax), false;
        } else if (known.scores && is_word(c[at], "withscores")) {
            scores = true;
            ++at;
        } else if (known.limit && values >= 1 && is_word(c[at], "limit")) {
            auto const n = integer_from(c, at + 1, 0, negative_limit);
            if (!n) return false;
            limit = *n;
            at += 2;
        } else {
            return c.reply.error(errors::syntax), false;
        }
    }
    return true;
}

bool combination::read_weights(call& c, std::size_t at) {
    for (auto& s : sources) {
        auto const weight = parse_double(c[at++]);
        if (!weight) return c.reply.error(not_weight), false;
        s.weight = *weight;
    }
    return true;
}

// Results are not compact while they are made, so that -0 stays what it is.
void insert(sorted_set& result, std::string_view member, double score) { result.insert(member, score, 0, 0); }

void unite(combination& asked, sorted_set& result) {
    asked.sort();
    for (auto const& s : asked.sources)
        s.each([&](std::string_view member, double score) {
            score = combination::number(score * s.weight);
            auto const held = result.find(member);
            held ? result.score(held, asked.join(held.score(), score)) : insert(result, member, score);
            return true;
        });
}

// f(member, score) for what is in all sources, until it returns false.
template <class F>
void each_common(combination& asked, F&& f) {
    asked.sort();
    auto const& smallest = asked.sources.front();
    smallest.each([&](std::string_view member, double first) {
        auto score = combination::number(first * smallest.weight);
        for (auto s = asked.sources.begin() + 1; s != asked.sources.end(); ++s) {
            // What is being walked must not be asked.
            auto const other = s->same_as(smallest) ? first : s->score(member);
            if (!other) return true;
            score = asked.join(score, *other * s->weight);
        }
        return f(member, score);
    });
}

void intersect(combination& asked, sorted_set& result) {
    each_common(asked, [&](std::string_view member, double score) {
        insert(result, member, score);
        return true;
    });
}

void subtract(combination& asked, sorted_set& result) {
    auto const& first = asked.sources.front();
    auto const others = std::vector<source>(asked.sources.begin() + 1, asked.sources.end());
    if (std::any_of(others.begin(), others.end(), [&](auto const& s) { return s.same_as(first); })) return;
    first.each([&](std::string_view member, double score) {
        if (std::none_of(others.begin(), others.end(), [&](auto const& s) { return s.score(member); }))
            insert(result, member, score);
        return true;
    });
}

using operation = void (*)(combination&, sorted_set&);

void reply_result(call& c, operation combine, known_words known) {
    auto asked = combination::read(c, 1, known);
    if (!asked) return;
    sorted_set result(c.db.shared().seed);
    combine(*asked, result);
    auto const how = listing_for(c, asked->scores);
    reply_size(c, result.size(), how);
    for (auto e = result.first(); e; e = e.next()) reply_element(c, e, how);
}

void store_result(call& c, operation combine, known_words known) {
    known.scores = false;
    auto asked = combination::read(c, 2, known);
    if (!asked) return;
    sorted_set result(c.db.shared().seed);
    combine(*asked, result);
    auto const& limits = c.db.shared().compact;
    result.pack(limits.zset_max_listpack_entries, limits.zset_max_listpack_value);
    store_result(c, result);
}

// ZUNION numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX] [WITHSCORES]
void zunion(call& c) { reply_result(c, unite, {}); }

// ZINTER numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX] [WITHSCORES]
void zinter(call& c) { reply_result(c, intersect, {}); }

// ZDIFF numkeys key [key ...] [WITHSCORES]
void zdiff(call& c) { reply_result(c, subtract, {.weights = false}); }

// ZUNIONSTORE destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX]
void zunionstore(call& c) { store_result(c, unite, {}); }

// ZINTERSTORE destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX]
void zinterstore(call& c) { store_result(c, intersect, {}); }

// ZDIFFSTORE destination numkeys key [key ...]
void zdiffstore(call& c) { store_result(c, subtract, {.weights = false}); }

// ZINTERCARD numkeys key [key ...] [LIMIT limit]
void zintercard(call& c) {
    auto asked = combination::read(c, 1, {.weights = false, .scores = false, .limit = true});
    if (!asked) return;
    std::uint64_t found = 0;
    each_common(*asked, [&](std::string_view, double) { return ++found != asked->limit; });
    c.reply.integer(static_cast<std::int64_t>(found));
}

using namespace flag;

constexpr auto sources_read = key::counted(key::reads);
constexpr auto sources_stored = key::from(2, sources_read);

constexpr command rows[] = {
    sorted_set_row("zunion", -3, readonly | movablekeys, {sources_read}, zunion, "6.2.0",
                   "Returns what is in any of the sorted sets"),
    sorted_set_row("zinter", -3, readonly | movablekeys, {sources_read}, zinter, "6.2.0",
                   "Returns what is in all of the sorted sets"),
    sorted_set_row("zdiff", -3, readonly | movablekeys, {sources_read}, zdiff, "6.2.0",
                   "Returns what is in the first sorted set and in no other"),
    sorted_set_row("zunionstore", -4, write | denyoom | movablekeys, {key::overwrites, sources_stored},
                   zunionstore, "2.0.0", "Stores what is in any of the sorted sets"),
    sorted_set_row("zinterstore", -4, write | denyoom | movablekeys, {key::overwrites, sources_stored},
                   zinterstore, "2.0.0", "Stores what is in all of the sorted sets"),
    sorted_set_row("zdiffstore", -4, write | denyoom | movablekeys, {key::overwrites, sources_stored},
                   zdiffstore, "6.2.0", "Stores what is in the first sorted set and in no other"),
    sorted_set_row("zintercard", -3, readonly | movablekeys, {sources_read}, zintercard, "7.0.0",
                   "Counts what is in all of the sorted sets"),
};

}  // namespace

std::span<command const> sorted_set_algebra_commands() { return rows; }

}  // namespace respkit
