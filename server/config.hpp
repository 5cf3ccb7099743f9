// CONFIG: the parameters that clients and tools ask for, kept as Redis keeps them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace respkit {

// "1gb", "512k": a number and a unit, as redis.conf has them (util.c: memtoull). Without digits it is 0; too
// many of them are the largest number there is.
std::optional<std::uint64_t> parse_memory(std::string_view text);

// Values are text, as CONFIG GET shows them. A parameter that means something here is honoured by whoever
// subscribes with on_change; the others are kept and shown, so that a client which sets and reads them back
// works.
class configuration {
public:
    configuration();

    bool has(std::string_view name) const { return values_.contains(name); }
    std::string const& get(std::string_view name) const { return values_.find(name)->second.text; }
    std::int64_t number(std::string_view name) const;

    // For the server itself: no checks, no hooks.
    void put(std::string_view name, std::string value);

    // Everything as it was before the first set().
    void rewind();

    // Names that match a pattern of CONFIG GET, with their values.
    std::vector<std::pair<std::string, std::string>> matching(std::string_view pattern) const;

    // Sets all or none, as CONFIG SET does. Returns the error text, or nothing.
    struct assignment {
        std::string_view name;
        std::string_view value;
    };
    std::optional<std::string> set(std::vector<assignment> const& wanted);

    // f(value) runs after every successful set of `name`; for notify-keyspace-events with the letters as they
    // were set, which say more than those that GET shows.
    void on_change(std::string_view name, std::function<void(std::string const&)> f);

private:
    enum class type : unsigned char { text, yes_no, integer, memory, choice, events, output_limits, fixed };
    struct value {
        std::string text;
        std::string start;  // what rewind() goes back to
        type kind = type::text;
        std::int64_t least = 0;
        std::int64_t most = 0;
        std::vector<std::string> choices;
        std::string same_as;  // the other name of the same parameter
        std::function<void(std::string const&)> changed;
    };
    std::optional<std::string> normalize(value const& v, std::string_view wanted, std::string& text) const;

    std::map<std::string, value, std::less<>> values_;
};

}  // namespace respkit
