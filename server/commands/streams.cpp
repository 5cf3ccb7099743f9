// Streams, as far as single producers and readers use them: no consumer groups, no blocking reads.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <respkit/server/command.hpp>
#include <respkit/server/values/stream.hpp>

namespace respkit {
namespace {

constexpr std::string_view invalid_id = "ERR Invalid stream ID specified as stream command argument";
constexpr std::string_view zero_id = "ERR The ID specified in XADD must be greater than 0-0";
constexpr std::string_view small_id =
    "ERR The ID specified in XADD is equal or smaller than the target stream top item";
constexpr std::string_view exhausted =
    "ERR The stream has exhausted the last possible ID, unable to add more items";
constexpr std::string_view too_large = "ERR Elements are too large to be stored";
constexpr std::string_view two_strategies =
    "ERR syntax error, MAXLEN and MINID options at the same time are not compatible";
constexpr std::string_view no_strategy = "ERR syntax error, XTRIM must be called with a trimming strategy";
constexpr std::string_view limit_without_strategy =
    "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy";
constexpr std::string_view limit_of_exact =
    "ERR syntax error, LIMIT cannot be used without the special ~ option";
constexpr std::string_view negative_length = "ERR The MAXLEN argument must be >= 0.";
constexpr std::string_view negative_limit = "ERR The LIMIT argument must be >= 0.";

bool refuse(call& c, std::string_view why) {
    c.reply.error(why);
    return false;
}

// An integer, or else whatever strtoull takes: blanks, a sign, zeros in front.
std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
    if (auto const n = resp::parse_integer(text)) {
        if (*n < 0) return {};
        return static_cast<std::uint64_t>(*n);
    }
    if (text.empty()) return {};
    std::string const terminated(text);
    char* end = nullptr;
    errno = 0;
    auto const n = std::strtoull(terminated.c_str(), &end, 10);
    if (errno != 0 || *end != '\0') return {};
    return n;
}

// What XADD may be asked for: "5-1", or "5-*" for the next sequence number.
struct wanted_id {
    stream_id id;
    bool any_sequence = false;
};

std::optional<wanted_id> parse_wanted(std::string_view text, std::uint64_t missing_sequence = 0) {
    constexpr std::size_t longest = 127;
    if (text.size() > longest) return {};
    text = text.substr(0, text.find('\0'));  // a C string to Redis
    auto const dash = text.find('-');
    auto const ms = parse_unsigned(text.substr(0, dash));
    if (!ms) return {};
    if (dash == text.npos) return wanted_id{{*ms, missing_sequence}};
    if (text.substr(dash + 1) == "*") return wanted_id{{*ms, 0}, true};
    auto const sequence = parse_unsigned(text.substr(dash + 1));
    if (!sequence) return {};
    return wanted_id{{*ms, *sequence}};
}

// An id in full or without its sequence number.
std::optional<stream_id> parse_id(std::string_view text, std::uint64_t missing_sequence = 0) {
    auto const wanted = parse_wanted(text, missing_sequence);
    if (!wanted || wanted->any_sequence) return {};
    return wanted->id;
}

std::optional<stream_id> read_id(call& c, std::size_t i) {
    auto const id = parse_id(c[i]);
    if (!id) c.reply.error(invalid_id);
    return id;
}

// An end of an interval: an id, "(" and the id that is just outside, "-" or "+".
struct bound {
    std::uint64_t missing_sequence;
    std::optional<stream_id> (stream_id::*inwards)() const;
    std::string_view complaint;  // when nothing lies inwards
};
constexpr bound lower{0, &stream_id::next, "ERR invalid start ID for the interval"};
constexpr bound upper{~std::uint64_t{0}, &stream_id::previous, "ERR invalid end ID for the interval"};

std::optional<stream_id> read_bound(call& c, std::size_t i, bound const& b) {
    if (is_word(c[i], "-")) return stream_id{};
    if (is_word(c[i], "+")) return stream_id::greatest();
    bool const outside = c[i].size() > 1 && c[i].starts_with('(');
    auto id = parse_id(c[i].substr(outside), b.missing_sequence);
    if (!id) {
        c.reply.error(invalid_id);
        return {};
    }
    if (outside && !(id = ((*id).*b.inwards)())) c.reply.error(b.complaint);
    return id;
}

// The options of XADD and XTRIM, in the order in which Redis complains about them.
struct stream_options {
    bool create = true;
    std::optional<wanted_id> id;  // none: the clock's
    std::size_t id_at = 0;        // the word of XADD's id
    stream_trim trim;

    bool parse(call& c, bool adds);

private:
    bool parse_trim(call& c, std::size_t& i);
    bool parse_limit(call& c, std::size_t i);
    bool check(call& c, bool adds);

    bool has_limit_ = false;
};

// MAXLEN | MINID [= | ~] threshold; i ends on the threshold.
bool stream_options::parse_trim(call& c, std::size_t& i) {
    bool const by_length = is_word(c[i], "maxlen");
    if (trim.by != stream_trim::none) return refuse(c, two_strategies);
    if (i + 2 < c.size() && (is_word(c[i + 1], "~") || is_word(c[i + 1], "="))) {
        ++i;
        trim.roughly = is_word(c[i], "~");
    }
    ++i;
    if (by_length) {
        auto const n = c.integer(i);
        if (!n) return false;
        if (*n < 0) return refuse(c, negative_length);
        trim.most_entries = static_cast<std::uint64_t>(*n);
    } else {
        auto const first = read_id(c, i);
        if (!first) return false;
        trim.first_kept = *first;
    }
    trim.by = by_length ? stream_trim::length : stream_trim::id;
    return true;
}

bool stream_options::parse_limit(call& c, std::size_t i) {
    auto const n = c.integer(i);
    if (!n) return false;
    if (*n < 0) return refuse(c, negative_limit);
    trim.limit = static_cast<std::uint64_t>(*n);
    has_limit_ = true;
    return true;
}

bool stream_options::parse(call& c, bool adds) {
    std::size_t i = 2;
    for (; i < c.size(); ++i) {
        bool const has_next = i + 1 < c.size();
        if (adds && is_word(c[i], "*")) break;
        if (has_next && (is_word(c[i], "maxlen") || is_word(c[i], "minid"))) {
            if (!parse_trim(c, i)) return false;
        } else if (has_next && is_word(c[i], "limit")) {
            if (!parse_limit(c, ++i)) return false;
        } else if (adds && is_word(c[i], "nomkstream")) {
            create = false;
        } else if (adds) {
            id = parse_wanted(c[i]);
            if (!id) return refuse(c, invalid_id);
            break;
        } else {
            return refuse(c, errors::syntax);
        }
    }
    id_at = i;
    return check(c, adds);
}

bool stream_options::check(call& c, bool adds) {
    constexpr std::uint64_t default_limit = 100 * stream_value::block_entries;
    bool const trims = trim.by != stream_trim::none;
    if (trim.limit && !trims) return refuse(c, limit_without_strategy);
    if (!adds && !trims) return refuse(c, no_strategy);
    if (has_limit_ && !trim.roughly) return refuse(c, limit_of_exact);
    if (!has_limit_ && trim.roughly) trim.limit = default_limit;
    return true;
}

// The id of the entry to come, if it can be greater than all before it. (Where "5-*" has no number left,
// Redis answers one of two errors, by what errno happens to hold.)
std::optional<stream_id> choose_id(stream_id last, std::optional<wanted_id> const& wanted, std::int64_t now) {
    stream_id id{static_cast<std::uint64_t>(std::max<std::int64_t>(now, 0)), 0};
    if (wanted) id = wanted->id;
    bool const counts_up = wanted ? wanted->any_sequence && id.ms == last.ms : id.ms <= last.ms;
    if (counts_up) {
        auto const next = last.next();
        if (!next || (wanted && next->ms != last.ms)) return {};
        id = *next;
    }
    if (id <= last) return {};
    return id;
}

// XADD key [NOMKSTREAM] [MAXLEN | MINID [= | ~] threshold [LIMIT count]] * | id field value [field value ...]
void xadd(call& c) {
    stream_options o;
    if (!o.parse(c, true)) return;
    auto const words = c.words.subspan(std::min(o.id_at + 1, c.size()));
    if (words.size() < 2 || words.size() % 2 == 1) return c.reply.error(errors::wrong_arity(c.row.name));
    if (o.id && !o.id->any_sequence && o.id->id == stream_id{}) return c.reply.error(zero_id);

    auto stream = c.db.edit<stream_value>(c[1]);
    if (stream.wrong_type) return c.reply.error(errors::wrong_type);
    if (!stream && !o.create) return c.reply.null();
    if (!stream) stream.held = &c.db.create<stream_value>(c[1]);
    if (stream->last_id() == stream_id::greatest()) return c.reply.error(exhausted);
    auto const id = choose_id(stream->last_id(), o.id, c.now());
    if (!id) return c.reply.error(small_id);
    std::size_t payload = 0;
    for (auto const word : words) payload += word.size();
    if (payload > stream_value::most_bytes) return c.reply.error(too_large);

    stream->append(*id, words);
    c.reply.bulk(id->text());
    c.changed(c[1], event::stream, "xadd");
    if (o.trim.by != stream_trim::none && stream->trim(o.trim)) c.notify(c[1], event::stream, "xtrim");
}

// XLEN key
void xlen(call& c) {
    auto const stream = c.db.read<stream_value>(c[1]);
    if (stream.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.integer(stream ? static_cast<std::int64_t>(stream->size()) : 0);
}

void reply_entries(call& c, std::vector<stream_value::entry> const& entries) {
    c.reply.array(entries.size());
    for (auto const& e : entries) {
        c.reply.array(2);
        c.reply.bulk(e.id.text());
        c.reply.array(2 * e.size);
        e.for_each([&](std::string_view field, std::string_view value) {
            c.reply.bulk(field);
            c.reply.bulk(value);
        });
    }
}

void reply_range(call& c, bool reverse) {
    auto const first = read_bound(c, reverse ? 3 : 2, lower);
    if (!first) return;
    auto const last = read_bound(c, reverse ? 2 : 3, upper);
    if (!last) return;
    auto most = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 4; i < c.size(); i += 2) {
        if (i + 1 == c.size() || !is_word(c[i], "count")) return c.reply.error(errors::syntax);
        auto const count = c.integer(i + 1);
        if (!count) return;
        most = static_cast<std::size_t>(std::max<std::int64_t>(*count, 0));
    }

    auto const stream = c.db.read<stream_value>(c[1]);
    if (stream.wrong_type) return c.reply.error(errors::wrong_type);
    if (!stream) return c.reply.array(0);
    if (most == 0) return c.reply.null_array();
    reply_entries(c,
                  reverse ? stream->reverse_range(*first, *last, most) : stream->range(*first, *last, most));
}

// XRANGE key start end [COUNT count]
void xrange(call& c) { reply_range(c, false); }

// XREVRANGE key end start [COUNT count]
void xrevrange(call& c) { reply_range(c, true); }

// XDEL key id [id ...]
void xdel(call& c) {
    auto const stream = c.db.edit<stream_value>(c[1]);
    if (stream.wrong_type) return c.reply.error(errors::wrong_type);
    if (!stream) return c.reply.integer(0);
    std::vector<stream_id> ids;
    for (std::size_t i = 2; i < c.size(); ++i) {
        auto const id = read_id(c, i);
        if (!id) return;
        ids.push_back(*id);
    }
    std::uint64_t removed = 0;
    for (auto const id : ids) removed += stream->erase(id);
    if (removed) c.changed(c[1], event::stream, "xdel", removed);
    c.reply.integer(static_cast<std::int64_t>(removed));
}

// XTRIM key MAXLEN | MINID [= | ~] threshold [LIMIT count]
void xtrim(call& c) {
    stream_options o;
    if (!o.parse(c, false)) return;
    auto const stream = c.db.edit<stream_value>(c[1]);
    if (stream.wrong_type) return c.reply.error(errors::wrong_type);
    auto const removed = stream ? stream->trim(o.trim) : 0;
    if (removed) {
        c.notify(c[1], event::stream, "xtrim");
        c.touched(c[1], removed);
    }
    c.reply.integer(static_cast<std::int64_t>(removed));
}

using namespace flag;

constexpr std::string_view random = "nondeterministic_output";
constexpr key_spec xadd_key{.flags = key_flag::rw | key_flag::update,
                            .note = "UPDATE instead of INSERT because of the optional trimming feature"};

constexpr command make(std::string_view name, int arity, std::uint32_t flags, key_spec key,
                       void (*run)(call&), std::string_view summary, std::string_view tip = {}) {
    return {.name = name,
            .arity = arity,
            .flags = flags,
            .categories = category::stream,
            .keys = {key},
            .run = run,
            .tips = {tip},
            .since = "5.0.0",
            .group = "stream",
            .summary = summary};
}

constexpr command rows[] = {
    make("xadd", -5, write | denyoom | fast, xadd_key, xadd, "Appends an entry to a stream", random),
    make("xlen", 2, readonly | fast, key::looks_at, xlen, "Counts the entries of a stream"),
    make("xrange", -4, readonly, key::reads, xrange, "Returns the entries between two ids"),
    make("xrevrange", -4, readonly, key::reads, xrevrange,
         "Returns the entries between two ids, the last first"),
    make("xdel", -3, write | fast, key::removes, xdel, "Removes entries from a stream"),
    make("xtrim", -4, write, key::removes, xtrim, "Removes the oldest entries of a stream", random),
};

}  // namespace

std::span<command const> stream_commands() { return rows; }

}  // namespace respkit
