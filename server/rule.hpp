// What a test wants a server to do otherwise: faults, delays and replies of its own, by request.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/lines.hpp>

namespace respkit {

// How long something takes: exactly `least`, anything up to `most`, or exponentially distributed about
// `least`.
struct delay {
    std::chrono::microseconds least{0};
    std::chrono::microseconds most{0};  // least, unless the delay is drawn
    bool exponential = false;

    bool none() const { return most.count() == 0; }
};

// What happens to a request that a rule applies to, in this order: it is delayed; it is run (proceed) or
// answered with something else; its reply is held back, cut, and sent at once or in pieces; the connection
// ends. Meanwhile the client's later requests rest; other clients notice nothing.
struct action {
    delay before = {};
    enum class outcome { proceed, error, simple, bulk, integer, nil, raw, no_reply } what = outcome::proceed;
    std::string text = {};  // of the reply, for those outcomes that have one; digits of an integer
    std::string push = {};  // bytes that go out ahead of the reply: a RESP3 frame that nobody asked for
    delay after = {};

    static constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();
    std::size_t prefix = whole;        // bytes of the reply that are sent
    std::size_t piece = whole;         // bytes that are sent at a time
    std::chrono::microseconds gap{0};  // between two pieces

    enum class ending { none, close, reset } then = ending::none;
};

// One rule. Rules are asked in the order in which they were set; the first that matches and still may acts,
// and the others do not hear of the request.
struct rule {
    // Which requests: all that are named must match. Patterns as in KEYS. Inside MULTI a request is met
    // where it arrives, before it would be queued.
    std::string command = "*";  // "get", "client|kill", "h*", in whatever case
    struct argument {
        std::size_t position;  // 1: the first word behind the command's name
        std::string pattern;
    };
    std::vector<argument> arguments = {};
    std::string client = "*";                      // CLIENT SETNAME's name
    std::optional<std::uint64_t> connection = {};  // CLIENT ID
    std::optional<int> db = {};

    // Which of those: only the nth; each with this chance; no more than so many.
    static constexpr std::uint64_t always = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t nth = 0;  // 0: any
    double chance = 1;
    std::uint64_t times = always;
    std::uint64_t expected = 0;  // it must act at least so often; who says otherwise is told of it

    bool mine = false;  // ends with the connection that has set it

    // Taken in turn; behind the last of several the rule is spent. Never empty.
    std::vector<action> actions = {action{}};
};

// A rule as people write it, in a rules file or behind RESPKIT RULE ADD; docs/rules.md has the grammar:
//
//     ON GET KEY user:* TIMES 1 ERROR "LOADING Redis is loading the dataset in memory"
//     ON * CLIENT worker* CHANCE 10% DELAY 5ms..20ms
//     ON LRANGE PREFIX 7 RESET
//
// Throws word_error.
rule parse_rule(std::span<std::string_view const> words);

// The inverse: parse_rule() of its words gives the same rule.
std::string print_rule(rule const& r);

// "250us", "50ms", "1.5s", "2m"; a number alone means milliseconds. Nothing if it is none of these.
std::optional<std::chrono::microseconds> parse_duration(std::string_view text);

// A file of rules: one a line, words quoted as in inline commands, empty lines and lines that begin with #
// left out. Throws std::invalid_argument, "NAME:LINE:COLUMN: why".
std::vector<rule> parse_rules(std::string_view text, std::string_view name);

}  // namespace respkit
