#include <algorithm>
#include <cmath>

#include <respkit/server/command.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/rule_book.hpp>

namespace respkit {
namespace {

// [0, 1)
double share(random_source& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// A container's subcommands are met under both names: "client" and "client|kill".
bool names(std::string const& pattern, std::span<std::string_view const> words) {
    std::string name = lower_case(words[0]);
    if (glob_match(pattern, name)) return true;
    if (words.size() < 2 || pattern.find('|') == std::string::npos) return false;
    return glob_match(pattern, name + '|' + lower_case(words[1]));
}

bool matches(rule const& r, session const& who, std::span<std::string_view const> words) {
    if (r.connection && *r.connection != who.id) return false;
    if (r.db && *r.db != who.db) return false;
    if (r.command != "*" && !names(r.command, words)) return false;
    if (r.client != "*" && !glob_match(r.client, who.name)) return false;
    return std::all_of(r.arguments.begin(), r.arguments.end(), [&](auto const& a) {
        return a.position < words.size() && glob_match(a.pattern, words[a.position]);
    });
}

}  // namespace

std::uint64_t rule_book::add(rule r, std::uint64_t owner) {
    entries_.push_back({.id = ++last_id_, .what = std::move(r), .owner = owner});
    return last_id_;
}

bool rule_book::remove(std::uint64_t id) {
    return std::erase_if(entries_, [&](entry const& e) { return e.id == id; }) != 0;
}

void rule_book::end_of(std::uint64_t owner) {
    std::erase_if(entries_, [&](entry const& e) { return e.owner == owner; });
}

std::optional<rule_book::decision> rule_book::decide(session const& who,
                                                     std::span<std::string_view const> words,
                                                     random_source& random) {
    for (auto& e : entries_) {
        if (e.acted >= e.what.times || !matches(e.what, who, words)) continue;
        ++e.matched;
        if (e.what.nth && e.matched != e.what.nth) continue;
        if (e.what.chance < 1 && share(random) >= e.what.chance) continue;
        return decision{e.id, &e.what.actions[e.acted++ % e.what.actions.size()]};
    }
    return {};
}

std::vector<std::string> rule_book::unmet() const {
    std::vector<std::string> lines;
    for (auto const& e : entries_)
        if (e.acted < e.what.expected)
            lines.push_back("expected " + std::to_string(e.what.expected) + " times, happened " +
                            std::to_string(e.acted) + ": " + print_rule(e.what));
    return lines;
}

std::chrono::microseconds draw(delay const& d, random_source& random) {
    if (d.exponential) {
        double const us = -std::log1p(-share(random)) * static_cast<double>(d.least.count());
        return std::chrono::microseconds(static_cast<std::int64_t>(us));
    }
    auto const span = (d.most - d.least).count();
    if (span <= 0) return d.least;
    return d.least + std::chrono::microseconds(random.below(static_cast<std::uint64_t>(span) + 1));
}

}  // namespace respkit
