#include <algorithm>

#include <respkit/server/acl.hpp>
#include <respkit/server/command_words.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/key_specs.hpp>

namespace respkit {
namespace {

constexpr std::string_view bad_syntax = "Syntax error";
constexpr std::string_view unknown = "Unknown command or category name in ACL";

std::string join(std::vector<std::string> const& words) {
    std::string out;
    for (auto const& word : words) (out += out.empty() ? "" : " ") += word;
    return out;
}

}  // namespace

bool has_blanks(std::string_view text) {
    return text.find_first_of(std::string_view(" \t\n\v\f\r\0", 7)) != text.npos;
}

template <class F>
void rights::each_row(F f) const {
    for (auto const* row : table_->all()) {
        f(*row);
        for (auto const& sub : row->subcommands) f(sub);
    }
}

// "get" or "config|get".
command const* rights::find(std::string_view name) const {
    auto const bar = name.find('|');
    auto const* row = table_->find(name.substr(0, bar));
    if (!row || bar == name.npos) return row;
    for (auto const& sub : row->subcommands)
        if (is_word(name.substr(bar + 1), sub.name)) return &sub;
    return nullptr;
}

void rights::set_all(bool allow) {
    allowed_.assign(allowed_.size(), allow);
    all_commands_ = allow;
    first_words_.clear();
}

void rights::set_bit(std::uint32_t number, bool allow) {
    allowed_[number] = allow;
    if (!allow) all_commands_ = false;
}

void rights::set(command const& row, bool allow) {
    set_bit(row.number, allow);
    first_words_.erase(row.number);
    for (auto const& sub : row.subcommands) set_bit(sub.number, allow);
}

void rights::set_category(std::uint32_t category, bool allow) {
    each_row([&](command const& row) {
        if (categories_of(row) & category) set(row, allow);
    });
}

std::optional<std::string_view> rights::set_command(std::string_view rule) {
    bool const allow = rule[0] == '+';
    auto const name = rule.substr(1);
    if (name.starts_with('@')) {
        for (std::size_t i = 0; i < std::size(category_names); ++i) {
            if (!is_word(name.substr(1), category_names[i])) continue;
            set_category(1u << i, allow);
            return {};
        }
        return unknown;
    }
    auto const bar = name.rfind('|');
    auto const* row = find(allow ? name.substr(0, bar) : name);
    if (!row) return unknown;
    if (allow && bar != name.npos) {
        if (!row->container.empty()) return "Allowing first-arg of a subcommand is not supported";
        auto const word = name.substr(bar + 1);
        if (word.empty()) return bad_syntax;
        if (row->subcommands.empty()) {
            auto& words = first_words_[row->number];
            if (std::none_of(words.begin(), words.end(),
                             [&](auto& w) { return is_word(word, lower_case(w)); }))
                words.emplace_back(word);
            return {};
        }
        row = find(name);
        if (!row) return unknown;
    }
    set(*row, allow);
    return {};
}

std::optional<std::string_view> rights::add_keys(std::string_view rule) {
    if (all_keys_)
        return "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have "
               "any "
               "effect. Try 'resetkeys' to start with an empty list of patterns";
    std::uint8_t how = 0;
    std::size_t begin = 1;
    if (rule[0] == '~') how = read | write;
    for (; rule[0] == '%' && begin < rule.size(); ++begin) {
        char const c = rule[begin];
        auto const wanted = c == 'r' || c == 'R' ? read : c == 'w' || c == 'W' ? write : 0;
        if (c == '~') {
            ++begin;
            break;
        }
        if (!wanted || how & wanted) return bad_syntax;
        how = static_cast<std::uint8_t>(how | wanted);
    }
    auto const pattern = rule.substr(std::min(begin, rule.size()));
    if (!how || has_blanks(pattern)) return bad_syntax;
    auto const at = std::find_if(keys_.begin(), keys_.end(), [&](auto& k) { return k.pattern == pattern; });
    if (at == keys_.end())
        keys_.push_back({std::string(pattern), how});
    else
        at->access = static_cast<std::uint8_t>(at->access | how);
    return {};
}

std::optional<std::string_view> rights::add_channels(std::string_view pattern) {
    if (all_channels_)
        return "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not "
               "have "
               "any effect. Try 'resetchannels' to start with an empty list of channels";
    if (has_blanks(pattern)) return bad_syntax;
    if (std::find(channels_.begin(), channels_.end(), pattern) == channels_.end())
        channels_.emplace_back(pattern);
    return {};
}

std::optional<std::string_view> rights::apply(std::string_view rule) {
    auto const is = [&](auto... names) { return (is_word(rule, names) || ...); };
    if (is("allkeys", "~*", "resetkeys")) {
        all_keys_ = !is("resetkeys");
        keys_.clear();
    } else if (is("allchannels", "&*", "resetchannels")) {
        all_channels_ = !is("resetchannels");
        channels_.clear();
    } else if (is("allcommands", "+@all", "nocommands", "-@all")) {
        set_all(is("allcommands", "+@all"));
    } else if (rule.starts_with('~') || rule.starts_with('%')) {
        return add_keys(rule);
    } else if (rule.starts_with('&')) {
        return add_channels(rule.substr(1));
    } else if (rule.starts_with('+') || rule.starts_with('-')) {
        return set_command(rule);
    } else {
        return bad_syntax;
    }
    return {};
}

bool rights::may_run(command const& row, std::span<std::string_view const> words) const {
    if (all_commands_ || row.flags & flag::no_auth || allowed_[row.number]) return true;
    auto const at = first_words_.find(row.number);
    return at != first_words_.end() && words.size() > 1 &&
           std::any_of(at->second.begin(), at->second.end(),
                       [&](auto& word) { return is_word(words[1], lower_case(word)); });
}

bool rights::may_touch(std::string_view key, std::uint16_t flags) const {
    std::uint8_t wanted = 0;
    if (flags & key_flag::access) wanted |= read;
    if (flags & (key_flag::insert | key_flag::remove | key_flag::update)) wanted |= write;
    return std::any_of(keys_.begin(), keys_.end(), [&](auto const& k) {
        return (k.access & wanted) == wanted && glob_match(k.pattern, key);
    });
}

bool rights::reads_every_key() const {
    return all_keys_ || std::any_of(keys_.begin(), keys_.end(),
                                    [](auto const& k) { return k.pattern == "*" && k.access & read; });
}

denial rights::check(command const& row, std::span<std::string_view const> words) const {
    if (!may_run(row, words)) return {denial::command};
    if (!all_keys_ && has_keys(row))
        for (auto const& k : keys_of(row, words).value_or(std::vector<found_key>()))
            if (!may_touch(words[k.at], k.flags)) return {denial::key, k.at};
    bool const publishes = row.name == "publish" || row.name == "spublish";
    bool const by_pattern = row.name == "psubscribe";
    if (all_channels_ || !(publishes || by_pattern || row.name == "subscribe" || row.name == "ssubscribe"))
        return {};
    for (std::size_t i = 1; i < (publishes ? 2 : words.size()); ++i)
        if (std::none_of(channels_.begin(), channels_.end(), [&](auto const& allowed) {
                return by_pattern ? allowed == words[i] : glob_match(allowed, words[i]);
            }))
            return {denial::channel, i};
    return {};
}

std::string rights::print(key_pattern const& p) {
    return (p.access == read ? "%R~" : p.access == write ? "%W~" : "~") + p.pattern;
}

std::string rights::keys() const {
    std::vector<std::string> words;
    for (auto const& k : keys_) words.push_back(print(k));
    return all_keys_ ? "~*" : join(words);
}

std::string rights::channels() const {
    std::vector<std::string> words;
    for (auto const& c : channels_) words.push_back('&' + c);
    return all_channels_ ? "&*" : join(words);
}

std::string rights::text() const {
    std::vector<std::string> words;
    if (auto k = keys(); !k.empty()) words.push_back(std::move(k));
    if (!all_channels_) words.emplace_back("resetchannels");
    if (auto c = channels(); !c.empty()) words.push_back(std::move(c));
    words.push_back(commands());
    return join(words);
}

// Rules that bring about the same rights, found as Redis finds them: from all or nothing, category by
// category, each time the one of which the fewest commands are otherwise, then the commands that remain.
std::string rights::commands() const {
    bool const additive = !allowed_.back();
    std::vector<std::string> words{additive ? "-@all" : "+@all"};
    rights left = *this, shown(*table_);
    shown.set_all(!additive);
    std::uint32_t applied = 0;
    for (;;) {
        std::size_t best = std::size(category_names), least = ~std::size_t{0}, most = 0;
        for (std::size_t i = 0; i < std::size(category_names); ++i) {
            if (applied >> i & 1) continue;
            std::size_t same = 0, other = 0;
            each_row([&](command const& row) {
                if (categories_of(row) >> i & 1) ++(left.allowed_[row.number] == additive ? same : other);
            });
            if (same > other && (other < least || (other == least && same > most))) {
                best = i;
                least = other;
                most = same;
            }
        }
        if (best == std::size(category_names)) break;
        shown.set_category(1u << best, additive);
        left.set_category(1u << best, !additive);
        words.push_back((additive ? "+@" : "-@") + std::string(category_names[best]));
        applied |= 1u << best;
    }
    each_row([&](command const& row) {
        bool const allow = allowed_[row.number];
        if (allow != shown.allowed_[row.number]) {
            words.push_back((allow ? '+' : '-') + full_name(row));
            shown.set(row, allow);
        }
        if (auto const at = first_words_.find(row.number); !allow && at != first_words_.end())
            for (auto const& word : at->second) words.push_back('+' + full_name(row) + '|' + word);
    });
    return join(words);
}

}  // namespace respkit
