// SORT.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <respkit/server/command.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/partial_sort.hpp>
#include <respkit/server/values/hash.hpp>
#include <respkit/server/values/list.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>

namespace respkit {
namespace {

constexpr std::string_view no_number = "ERR One or more scores can't be converted into double";

// What C functions see of a string.
std::string_view c_text(std::string_view bytes) { return bytes.substr(0, bytes.find('\0')); }

// Patterns lead anywhere.
bool reads_every_key(call& c) {
    auto const& sets = c.who.account->sets;
    return std::any_of(sets.begin(), sets.end(), [](auto const& r) { return r.reads_every_key(); });
}

struct sort_options {
    bool descending = false;
    bool alpha = false;
    bool unsorted = false;  // BY a pattern without '*': no weight can differ
    std::optional<std::string_view> by;
    std::vector<std::string_view> get;
    std::optional<std::string_view> store;
    std::int64_t first = 0;
    std::int64_t count = -1;  // negative: all

    // The first mistake goes to the client.
    bool parse(call& c, bool may_store) {
        for (std::size_t i = 2; i < c.size(); ++i) {
            auto const follow = c.size() - i - 1;
            if (is_word(c[i], "asc")) {
                descending = false;
            } else if (is_word(c[i], "desc")) {
                descending = true;
            } else if (is_word(c[i], "alpha")) {
                alpha = true;
            } else if (is_word(c[i], "limit") && follow >= 2) {
                auto const begin = c.integer(++i);
                if (!begin) return false;
                auto const most = c.integer(++i);
                if (!most) return false;
                first = *begin;
                count = *most;
            } else if (may_store && is_word(c[i], "store") && follow >= 1) {
                store = c[++i];
            } else if (is_word(c[i], "by") && follow >= 1) {
                by = c[++i];
                bool const fixed = c_text(*by).find('*') == std::string_view::npos;
                unsorted |= fixed;
                if (!fixed && !reads_every_key(c)) {
                    c.reply.error("ERR BY option of SORT denied due to insufficient ACL permissions.");
                    return false;
                }
            } else if (is_word(c[i], "get") && follow >= 1) {
                if (!reads_every_key(c)) {
                    c.reply.error("ERR GET option of SORT denied due to insufficient ACL permissions.");
                    return false;
                }
                get.push_back(c[++i]);
            } else {
                c.reply.error(errors::syntax);
                return false;
            }
        }
        return true;
    }

    // Which of `size` elements LIMIT asks for.
    std::size_t begin(std::size_t size) const {
        return first <= 0 ? 0
                          : static_cast<std::size_t>(
                                std::min<std::uint64_t>(static_cast<std::uint64_t>(first), size));
    }
    std::size_t length(std::size_t size) const {
        auto const left = size - begin(size);
        return count < 0 ? left
                         : static_cast<std::size_t>(
                               std::min<std::uint64_t>(static_cast<std::uint64_t>(count), left));
    }
};

struct item {
    std::string element;
    double score = 0;
    std::optional<std::string> weight = {};  // found BY a pattern, for ALPHA
};

// What a pattern leads to: its first '*' becomes the element, and the value is the string under that key or,
// behind "->", a field of the hash. "#" is the element itself.
std::optional<std::string> look_up(call& c, std::string_view pattern, std::string_view element) {
    auto const seen = c_text(pattern);
    if (seen == "#") return std::string(element);
    auto const star = seen.find('*');
    if (star == std::string_view::npos) return {};
    auto const arrow = seen.find("->", star + 1);
    bool const is_field = arrow != std::string_view::npos && arrow + 2 < seen.size();

    auto const rest = pattern.substr(star + 1, is_field ? arrow - star - 1 : std::string_view::npos);
    std::string key(pattern.substr(0, star));
    key.append(element).append(rest);
    if (is_field) {
        auto const hash = c.db.read<hash_value>(key);
        auto const value = hash ? hash->get(pattern.substr(arrow + 2)) : std::nullopt;
        if (!value) return {};
        return std::string(*value);
    }
    auto const text = c.db.read<record>(key);
    if (!text) return {};
    return std::string(text->text());
}

// What can be sorted: a list, a set, a sorted set or nothing.
class source {
public:
    explicit source(record const* r) : record_(r) {}

    bool usable() const { return !record_ || is(kind::list) || is(kind::set) || is(kind::sorted_set); }
    bool is(kind k) const { return record_ && record_->type() == k; }

    std::size_t size() const {
        if (is(kind::list)) return list().size();
        if (is(kind::set)) return set().size();
        if (is(kind::sorted_set)) return sorted().size();
        return 0;
    }
    // Redis can sort a sorted set in its large form only, and leaves it in that.
    void unpack() const {
        if (is(kind::sorted_set)) record_->object<sorted_set>()->unpack();
    }
    std::vector<item> all() const { return some(0, size(), false); }

    // `count` elements from one on; from the other end on if `backward`, which means nothing to sets.
    std::vector<item> some(std::size_t first, std::size_t count, bool backward) const {
        std::vector<item> found;
        if (count == 0) return found;
        found.reserve(count);
        auto const from = backward ? size() - 1 - first : first;
        if (is(kind::list))
            for (auto at = list().at(from); found.size() < count; backward ? at.previous() : at.next())
                found.push_back({std::string(*at)});
        else if (is(kind::sorted_set))
            for (auto at = sorted().at(from); found.size() < count; at = backward ? at.previous() : at.next())
                found.push_back({std::string(at.member())});
        else if (is(kind::set))
            set().for_each([&](std::string_view member) {
                if (first)
                    --first;
                else if (found.size() < count)
                    found.push_back({std::string(member)});
            });
        return found;
    }

private:
    list_value const& list() const { return *record_->object<list_value>(); }
    set_value const& set() const { return *record_->object<set_value>(); }
    sorted_set const& sorted() const { return *record_->object<sorted_set>(); }

    record const* record_;
};

// A weight as a number: whatever strtod takes to its end.
bool read_score(std::string const& text, double& score) {
    char* end = nullptr;
    errno = 0;
    score = std::strtod(text.c_str(), &end);
    return *end == '\0' && errno != ERANGE && !std::isnan(score);
}

// False if a weight is no number where one is needed.
bool weigh(call& c, sort_options const& o, std::vector<item>& items) {
    if (o.alpha && !o.by) return true;
    bool numbers = true;
    for (auto& i : items) {
        auto weight = o.by ? look_up(c, *o.by, i.element) : i.element;
        if (o.alpha)
            i.weight = std::move(weight);
        else if (weight)
            numbers &= read_score(*weight, i.score);
    }
    return numbers;
}

// Which of two comes first, as a sign.
class item_order {
public:
    explicit item_order(sort_options const& o) : o_(o) {}
    int operator()(item const& a, item const& b) const { return o_.descending ? rising(b, a) : rising(a, b); }

private:
    int rising(item const& a, item const& b) const {
        if (!o_.alpha) return a.score < b.score ? -1 : a.score > b.score ? 1 : a.element.compare(b.element);
        if (!o_.by) return compare(a.element, b.element);
        if (!a.weight || !b.weight) return a.weight.has_value() - b.weight.has_value();
        return compare(*a.weight, *b.weight);
    }
    // Redis compares what it answers as C strings, by the locale (here that of C), and what it stores as
    // bytes.
    int compare(std::string_view a, std::string_view b) const {
        return o_.store ? a.compare(b) : c_text(a).compare(c_text(b));
    }

    sort_options const& o_;
};

void reply_items(call& c, sort_options const& o, std::vector<item> const& items) {
    if (o.get.empty()) {
        c.reply.array(items.size());
        for (auto const& i : items) c.reply.bulk(i.element);
        return;
    }
    c.reply.array(items.size() * o.get.size());
    for (auto const& i : items)
        for (auto const pattern : o.get)
            if (auto const found = look_up(c, pattern, i.element))
                c.reply.bulk(*found);
            else
                c.reply.null();
}

void store_items(call& c, sort_options const& o, std::vector<item> const& items) {
    std::vector<std::string> values;
    for (auto const& i : items) {
        if (o.get.empty()) values.push_back(i.element);
        for (auto const pattern : o.get) values.push_back(look_up(c, pattern, i.element).value_or(""));
    }
    if (!values.empty()) {
        auto& list = c.db.overwrite<list_value>(*o.store);
        for (auto const& value : values) list.push_back(value);
        c.changed(*o.store, event::list, "sortstore", values.size());
    } else if (c.db.erase(*o.store)) {
        c.changed(*o.store, event::generic, "del");
    }
    c.reply.integer(static_cast<std::int64_t>(values.size()));
}

void sort_key(call& c, bool may_store) {
    sort_options o;
    if (!o.parse(c, may_store)) return;
    source const from(c.db.read(c[1]));
    if (!from.usable()) return c.reply.error(errors::wrong_type);
    from.unpack();
    // What is stored must not depend on the order of a hash table.
    if (o.unsorted && o.store && from.is(kind::set)) {
        o.unsorted = false;
        o.alpha = true;
        o.by.reset();
    }

    std::vector<item> items;
    auto const begin = o.begin(from.size()), length = o.length(from.size());
    if (o.unsorted) {
        items = from.some(begin, length, o.descending);
    } else {
        items = from.all();
        if (!weigh(c, o, items)) return c.reply.error(no_number);
        item_order const order(o);
        if (o.by && length < items.size())
            partial_sort(items, begin, begin + length, order);
        else
            std::stable_sort(items.begin(), items.end(),
                             [&](item const& a, item const& b) { return order(a, b) < 0; });
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(begin + length), items.end());
        items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    if (o.store)
        store_items(c, o, items);
    else
        reply_items(c, o, items);
}

// SORT key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC | DESC] [ALPHA] [STORE destination]
void sort(call& c) { sort_key(c, true); }

// SORT_RO key, the same without STORE
void sort_ro(call& c) { sort_key(c, false); }

constexpr key_spec looked_up{
    .flags = key_flag::ro | key_flag::access,
    .unknown = true,
    .note =
        "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the "
        "content of the key we sort"};
constexpr key_spec stored{
    .flags = key_flag::ow | key_flag::update,
    .unknown = true,
    .note =
        "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear anywhere "
        "in the argument array"};

constexpr auto sortable = category::set | category::sorted_set | category::list | category::dangerous;

constexpr command rows[] = {
    {.name = "sort",
     .arity = -2,
     .flags = flag::write | flag::denyoom | flag::movablekeys,
     .categories = sortable,
     .keys = {key::reads, looked_up, stored},
     .run = sort,
     .since = "1.0.0",
     .group = "generic",
     .summary = "Returns or stores the elements of a list, a set or a sorted set in order"},
    {.name = "sort_ro",
     .arity = -2,
     .flags = flag::readonly | flag::movablekeys,
     .categories = sortable,
     .keys = {key::reads, looked_up},
     .run = sort_ro,
     .since = "7.0.0",
     .group = "generic",
     .summary = "Returns the elements of a list, a set or a sorted set in order"},
};

}  // namespace

std::span<command const> sort_commands() { return rows; }

}  // namespace respkit
