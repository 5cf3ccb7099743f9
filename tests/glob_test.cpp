// Redis' patterns.
#include <string>

#include <doctest/doctest.h>

#include <respkit/server/glob.hpp>

using namespace respkit;

TEST_CASE("patterns") {
    struct row {
        std::string pattern;
        std::string text;
        bool want;
    };
    row const rows[] = {{"*", "x", true},       {"*", "", false},         {"", "", true},
                        {"", "a", false},       {"h?llo", "hello", true}, {"h?llo", "hllo", false},
                        {"a*", "a", true},      {"*a*b*", "xaybz", true}, {"*a*b*", "xbya", false},
                        {"[a-c]x", "bx", true}, {"[^a-c]x", "bx", false}, {"[c-a]", "b", true},
                        {"[abc", "c", true},    {"[^", "x", true},        {"[", "[", false},
                        {"\\*", "*", true},     {"\\*", "x", false},      {"a\\", "a\\", true},
                        {"[\\]]", "]", true},   {"A", "a", false},        {"**b", "ab", true},
                        {"[a-", "-", true}};
    for (auto const& r : rows) {
        CAPTURE(r.pattern);
        CAPTURE(r.text);
        CHECK(glob_match(r.pattern, r.text) == r.want);
    }
    CHECK(glob_match("HeL[A-Z]o", "hello", true));
    CHECK_FALSE(glob_match("HeLlo", "hello"));

    // Would take longer than the universe has lasted if every '*' were tried everywhere.
    std::string stars;
    for (int i = 0; i < 50; ++i) stars += "a*";
    CHECK_FALSE(glob_match(stars + "b", std::string(5000, 'a')));
}
