#include <algorithm>
#include <cstddef>

#include <respkit/server/glob.hpp>

namespace respkit {

namespace {

// A byte as Redis compares it: signed, and in lower case if case does not matter.
struct folding {
    bool ignore_case;
    int operator()(char c) const {
        return static_cast<signed char>(ignore_case && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
};

// Reads the class that begins behind '[' and says whether it holds c; `p` ends behind it.
bool in_class(std::string_view pattern, std::size_t& p, char c, folding fold) {
    bool const negated = p < pattern.size() && pattern[p] == '^';
    if (negated) ++p;
    bool found = false;
    for (; p < pattern.size() && pattern[p] != ']'; ++p) {
        if (pattern[p] == '\\' && p + 1 < pattern.size()) {
            ++p;
            found |= pattern[p] == c;
        } else if (p + 2 < pattern.size() && pattern[p + 1] == '-') {
            // The ends are put in order before they are folded, as Redis does.
            auto const less = [](char a, char b) {
                return static_cast<signed char>(a) < static_cast<signed char>(b);
            };
            auto const [low, high] = std::minmax(pattern[p], pattern[p + 2], less);
            found |= fold(low) <= fold(c) && fold(c) <= fold(high);
            p += 2;
        } else {
            found |= fold(pattern[p]) == fold(c);
        }
    }
    if (p < pattern.size()) ++p;
    return found != negated;
}

// Whether what stands at p, which is no '*', matches c; `p` ends behind it.
bool matches_one(std::string_view pattern, std::size_t& p, char c, folding fold) {
    char const what = pattern[p++];
    if (what == '?') return true;
    if (what == '[') return in_class(pattern, p, c, fold);
    if (what == '\\' && p < pattern.size()) return fold(pattern[p++]) == fold(c);
    return fold(what) == fold(c);
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text, bool ignore_case) {
    constexpr auto none = std::string_view::npos;
    if (text.empty()) return pattern.empty();
    folding const fold{ignore_case};
    std::size_t p = 0;
    std::size_t t = 0;
    // Where to go on when the rest does not match: the last '*' takes one byte more. Earlier ones need not
    // be tried again, for whatever they could leave to the last one, it can reach itself.
    std::size_t behind_star = none;
    std::size_t resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            p = std::min(pattern.find_first_not_of('*', p), pattern.size());
            if (p == pattern.size()) return true;
            behind_star = p;
            resume = t;
        } else if (p < pattern.size() && matches_one(pattern, p, text[t], fold)) {
            ++t;
        } else if (behind_star == none) {
            return false;
        } else {
            p = behind_star;
            t = ++resume;
        }
    }
    return pattern.find_first_not_of('*', p) == none;
}

}  // namespace respkit
