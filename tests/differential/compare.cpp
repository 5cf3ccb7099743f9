#include "compare.hpp"

#include <algorithm>

#include <respkit/resp/text.hpp>
#include <respkit/server/command.hpp>

namespace respkit::differential {
namespace {

using resp::value;

std::vector<std::string> printed(std::vector<value> const& items, std::size_t from, std::size_t each) {
    std::vector<std::string> out;
    for (std::size_t i = from; i < items.size(); i += each) {
        std::string text;
        for (std::size_t k = i; k < std::min(i + each, items.size()); ++k)
            text += resp::print(items[k]) + ' ';
        out.push_back(std::move(text));
    }
    std::sort(out.begin(), out.end());
    return out;
}

bool same_kind(value const& a, value const& b) {
    return a.type == b.type && a.null == b.null && !a.is_error() && !b.is_error();
}

bool unordered(value const& a, value const& b, std::size_t each) {
    return same_kind(a, b) && a.items.size() == b.items.size() &&
           printed(a.items, 0, each) == printed(b.items, 0, each);
}

bool same_shape(value const& a, value const& b) {
    if (!same_kind(a, b) || a.items.size() != b.items.size()) return false;
    for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!same_shape(a.items[i], b.items[i])) return false;
    return true;
}

// [cursor, elements]; of an iteration that did not begin at the beginning nothing is promised. The same
// element may come twice.
bool same_scan(request const& of, value const& a, value const& b, std::size_t each) {
    if (!same_kind(a, b) || a.items.size() != 2 || b.items.size() != 2) return false;
    auto const cursor = cursor_word(of);
    if (cursor >= of.words.size() || of.words[cursor] != "0" || a.items[0].text != "0" ||
        b.items[0].text != "0")
        return same_kind(a.items[1], b.items[1]);
    auto x = printed(a.items[1].items, 0, each), y = printed(b.items[1].items, 0, each);
    x.erase(std::unique(x.begin(), x.end()), x.end());
    y.erase(std::unique(y.begin(), y.end()), y.end());
    return x == y;
}

// SORT leaves a set's own order where BY names nothing, and where ALPHA finds values equal, which it compares
// up to a NUL only; what LIMIT then cuts off is any part of it.
bool same_sort(request const& of, value const& a, value const& b) {
    bool by = false, limit = false, alpha = false, get = false;
    for (auto const& word : of.words) {
        by = by || is_word(word, "by");
        limit = limit || is_word(word, "limit");
        alpha = alpha || is_word(word, "alpha");
        get = get || is_word(word, "get");
    }
    bool const has_nul = std::any_of(a.items.begin(), a.items.end(),
                                     [](value const& v) { return v.text.find('\0') != std::string::npos; });
    if (!by && !(alpha && (get || has_nul))) return false;
    return limit ? same_kind(a, b) && a.items.size() == b.items.size() : unordered(a, b, 1);
}

// A call that has been spoilt may have become one of another line.
rule rule_of(request const& of) {
    return of.from->apart && of.words.size() == 1 ? rule::shape : of.from->compare;
}

std::vector<value> all_of(std::string_view bytes) {
    std::vector<value> out;
    std::size_t used = 0;
    while (auto v = resp::parse_value(bytes, &used)) {
        out.push_back(std::move(*v));
        bytes.remove_prefix(used);
    }
    return out;
}

}  // namespace

std::size_t cursor_word(request const& of) { return of.from->row == "scan" ? 1 : 2; }

bool same(request const& of, value const& a, value const& b) {
    if (a == b) return true;
    switch (rule_of(of)) {
        case rule::exact:
            return false;
        case rule::unordered:
            return unordered(a, b, 1);
        case rule::pairs:
            return unordered(a, b, 2);
        case rule::near:
            return same_kind(a, b) && a.integer >= 0 && b.integer >= 0 &&
                   std::abs(a.integer - b.integer) <= of.from->tolerance;
        case rule::shape:
            return same_shape(a, b);
        case rule::type:
            return same_kind(a, b);
        case rule::scan:
            return same_scan(of, a, b, 1);
        case rule::scan_pairs:
            return same_scan(of, a, b, 2);
        case rule::sort:
            return same_sort(of, a, b);
    }
    return false;
}

bool same(request const& of, std::string_view a, std::string_view b) {
    if (a == b) return true;
    if (rule_of(of) == rule::exact) return false;
    auto const x = resp::parse_value(a), y = resp::parse_value(b);
    return x && y && same(of, *x, *y);
}

bool same(std::vector<request const*> const& queued, std::string_view a, std::string_view b) {
    if (a == b) return true;
    auto const x = resp::parse_value(a), y = resp::parse_value(b);
    return x && y && same_kind(*x, *y) && x->items.size() == queued.size() &&
           y->items.size() == queued.size() && !culprit(queued, a, b);
}

request const* culprit(std::vector<request const*> const& queued, std::string_view a, std::string_view b) {
    auto const x = resp::parse_value(a), y = resp::parse_value(b);
    if (!x || !y) return nullptr;
    for (std::size_t i = 0; i < std::min({queued.size(), x->items.size(), y->items.size()}); ++i)
        if (!same(*queued[i], x->items[i], y->items[i])) return queued[i];
    return nullptr;
}

bool same_stream(std::string_view a, std::string_view b) {
    if (a == b) return true;
    auto x = all_of(a), y = all_of(b);
    // Neighbours that differ in nothing but the pattern are put in order.
    auto const is_one = [](value const& v) { return v.items.size() == 4 && v.items[0].text == "pmessage"; };
    auto const alike = [&](value const& v, value const& w) {
        return is_one(v) && is_one(w) && v.items[2] == w.items[2] && v.items[3] == w.items[3];
    };
    for (auto* all : {&x, &y})
        for (std::size_t i = 1; i < all->size(); ++i)
            for (std::size_t k = i; k > 0; --k) {
                auto &left = (*all)[k - 1], &right = (*all)[k];
                if (!alike(left, right) || left.items[1].text <= right.items[1].text) break;
                std::swap(left, right);
            }
    return x == y && !x.empty();
}

bool same_pushes(request const& of, std::string_view a, std::string_view b) {
    if (rule_of(of) != rule::shape) return same_stream(a, b);
    auto const x = all_of(a), y = all_of(b);
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), same_shape);
}

}  // namespace respkit::differential
