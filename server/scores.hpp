// What the families of sorted set commands share: how they answer scores, store results and write rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include <respkit/server/command.hpp>
#include <respkit/server/number.hpp>
#include <respkit/server/values/sorted_set.hpp>

namespace respkit {

inline void reply_score(call& c, double score) { c.reply.real(format_double(score, c.db.shared().emulate)); }

// How a reply lists elements: members alone, members and scores in turn, or arrays of the two.
enum class listing { members, flat, pairs };

// Where nothing else is said, scores make a flat list in RESP2 and pairs in RESP3.
inline listing listing_for(call const& c, bool with_scores) {
    if (!with_scores) return listing::members;
    return c.reply.protocol() == resp::version::v3 ? listing::pairs : listing::flat;
}

inline void reply_size(call& c, std::size_t elements, listing how) {
    c.reply.array(how == listing::flat ? 2 * elements : elements);
}

inline void reply_element(call& c, sorted_set::element e, listing how) {
    if (how == listing::pairs) c.reply.array(2);
    c.reply.bulk(e.member());
    if (how != listing::members) reply_score(c, e.score());
}

// Puts what a command has found under its first key and answers how much that is; nothing removes the key.
inline void store_result(call& c, sorted_set& result) {
    auto const size = static_cast<std::int64_t>(result.size());
    if (size) {
        c.db.overwrite<sorted_set>(c[1]).swap(result);
        c.reply.integer(size);
        c.changed(c[1], event::sorted_set, c.row.name);
        return;
    }
    c.reply.integer(0);
    if (c.db.erase(c[1])) c.changed(c[1], event::generic, "del");
}

constexpr command sorted_set_row(std::string_view name, int arity, std::uint32_t flags,
                                 std::initializer_list<key_spec> keys, void (*run)(call&),
                                 std::string_view since, std::string_view summary,
                                 std::string_view tip = {}) {
    command row{.name = name,
                .arity = arity,
                .flags = flags,
                .categories = category::sorted_set,
                .run = run,
                .tips = {tip},
                .since = since,
                .group = "sorted-set",
                .summary = summary};
    std::copy(keys.begin(), keys.end(), row.keys);
    return row;
}

}  // namespace respkit
