// The rules of one server, in the order in which they were set.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/random.hpp>
#include <respkit/server/rule.hpp>
#include <respkit/server/session.hpp>

namespace respkit {

class rule_book {
public:
    struct entry {
        std::uint64_t id;
        rule what;
        std::uint64_t owner = 0;  // the session whose end is the rule's, by its number; 0: none
        std::uint64_t matched = 0;
        std::uint64_t acted = 0;
    };

    std::uint64_t add(rule r, std::uint64_t owner);
    bool remove(std::uint64_t id);  // false: there is none
    void clear() { entries_.clear(); }
    // The session has gone, and its own rules with it.
    void end_of(std::uint64_t owner);

    bool empty() const { return entries_.empty(); }
    std::span<entry const> entries() const { return entries_; }

    // What is to be done with a request, and by which rule: the action stays where it is until the book is
    // changed. Counts the request.
    struct decision {
        std::uint64_t rule;
        action const* what;
    };
    std::optional<decision> decide(session const& who, std::span<std::string_view const> words,
                                   random_source& random);

    // A line for every rule that has acted less often than it must.
    std::vector<std::string> unmet() const;

private:
    std::vector<entry> entries_;
    std::uint64_t last_id_ = 0;
};

// How long this time.
std::chrono::microseconds draw(delay const& d, random_source& random);

}  // namespace respkit
