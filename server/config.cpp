#include <algorithm>
#include <utility>

#include <respkit/resp/number.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/config.hpp>
#include <respkit/server/config_rows.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/output_limits.hpp>

namespace respkit {
namespace {

using namespace config_rows;

std::string out_of_range(std::int64_t least, std::int64_t most) {
    return "argument must be between " + std::to_string(least) + " and " + std::to_string(most) +
           " inclusive";
}

// notify-keyspace-events as Redis shows it: 'A' for all classes that it means, which then swallows 'n' (but
// the server goes by what was set).
std::optional<std::string> canonical_events(std::string_view wanted) {
    constexpr std::string_view in_all = "g$lshzxetd", order = "g$lshzxetdnKEm";
    if (wanted.find_first_not_of("Ag$lshzxeKEtmdn") != std::string_view::npos) return {};
    auto const asked = [&](char letter) { return wanted.find(letter) != std::string_view::npos; };
    bool const all = asked('A') || std::all_of(in_all.begin(), in_all.end(), asked);
    std::string text = all ? "A" : "";
    for (char const letter : order.substr(all ? in_all.size() + 1 : 0))
        if (asked(letter)) text += letter;
    return text;
}

bool is_save_line(std::string_view text) {
    std::size_t words = 0;
    while (!text.empty()) {
        auto const word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (word.empty()) continue;
        auto const n = resp::parse_integer(word);
        if (!n || *n < (words % 2 ? 0 : 1)) return false;
        ++words;
    }
    return words % 2 == 0;
}

}  // namespace

std::optional<std::uint64_t> parse_memory(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    std::uint64_t value = 0;
    if (end > 0 && std::from_chars(text.data(), text.data() + end, value).ec != std::errc{})
        value = ~std::uint64_t{0};
    constexpr struct {
        std::string_view unit;
        std::uint64_t factor;
    } units[] = {{"", 1},        {"b", 1},        {"k", 1000},       {"kb", 1024},
                 {"m", 1000000}, {"mb", 1 << 20}, {"g", 1000000000}, {"gb", 1 << 30}};
    for (auto const& u : units)
        if (is_word(text.substr(end), u.unit)) return value * u.factor;
    return {};
}

configuration::configuration() {
    auto const add = [this](std::string_view name, std::string text, type kind) -> value& {
        auto& v = values_[std::string(name)];
        v.text = v.start = std::move(text);
        v.kind = kind;
        return v;
    };
    auto const add_number = [&](number_row const& r, type kind) {
        auto& v = add(r.name, std::to_string(r.value), kind);
        v.least = r.least;
        v.most = r.most;
        v.same_as = r.same_as;
    };
    for (auto const& r : fixed_rows) add(r.name, std::string(r.text), type::fixed).same_as = r.same_as;
    for (auto const& r : text_rows) add(r.name, std::string(r.text), type::text).same_as = r.same_as;
    add("notify-keyspace-events", "", type::events);
    add("client-output-buffer-limit", "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
        type::output_limits);
    for (auto const& r : yes_no_rows) add(r.name, std::string(r.text), type::yes_no).same_as = r.same_as;
    for (auto const& r : number_rows) add_number(r, type::integer);
    for (auto const& r : memory_rows) add_number(r, type::memory);
    for (auto const& r : choice_rows) {
        auto& v = add(r.name, std::string(r.value), type::choice);
        for (auto const choice : r.choices)
            if (!choice.empty()) v.choices.emplace_back(choice);
    }
    // Synonyms know each other both ways.
    for (auto& [name, v] : values_)
        if (!v.same_as.empty()) values_.find(v.same_as)->second.same_as = name;
}

std::int64_t configuration::number(std::string_view name) const {
    return resp::parse_integer(get(name)).value_or(0);
}

void configuration::put(std::string_view name, std::string text) {
    auto& v = values_.find(name)->second;
    v.text = v.start = std::move(text);
}

void configuration::rewind() {
    for (auto& [name, v] : values_) {
        v.text = v.start;
        if (v.changed) v.changed(v.text);
    }
}

std::vector<std::pair<std::string, std::string>> configuration::matching(std::string_view pattern) const {
    std::vector<std::pair<std::string, std::string>> found;
    auto const wanted = lower_case(pattern);
    if (wanted.find_first_of("[*?") == std::string::npos) {
        // A plain name comes back as it was spelled.
        if (has(wanted)) found.emplace_back(pattern, get(wanted));
        return found;
    }
    for (auto const& [name, v] : values_)
        if (glob_match(wanted, name)) found.emplace_back(name, v.text);
    return found;
}

// What `wanted` means for the parameter, as GET will show it; or why it cannot be.
std::optional<std::string> configuration::normalize(value const& v, std::string_view wanted,
                                                    std::string& text) const {
    text = wanted;
    switch (v.kind) {
        case type::fixed:
            return "can't set immutable config";
        case type::yes_no:
            if (!is_word(wanted, "yes") && !is_word(wanted, "no")) return "argument must be 'yes' or 'no'";
            text = is_word(wanted, "yes") ? "yes" : "no";
            return {};
        case type::choice:
            for (auto const& choice : v.choices) {
                if (!is_word(wanted, choice)) continue;
                text = choice;
                return {};
            }
            text = "argument(s) must be one of the following: ";
            for (auto const& choice : v.choices) text += choice + ", ";
            return text.substr(0, text.size() - 2);
        case type::integer: {
            auto const n = resp::parse_integer(wanted);
            if (!n) return "argument couldn't be parsed into an integer";
            if (*n < v.least || *n > v.most) return out_of_range(v.least, v.most);
            text = std::to_string(*n);
            return {};
        }
        case type::memory: {
            auto const n = parse_memory(wanted);
            if (!n) return "argument must be a memory value";
            if (std::cmp_less(*n, v.least) || std::cmp_greater(*n, v.most))
                return out_of_range(v.least, v.most);
            text = std::to_string(*n);
            return {};
        }
        case type::events: {
            auto canonical = canonical_events(wanted);
            if (!canonical) return "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
            text = std::move(*canonical);
            return {};
        }
        case type::output_limits: {
            respkit::output_limits limits;
            limits.read(v.text);  // what is not named stays
            auto complaint = limits.read(wanted);
            text = limits.text();
            return complaint;
        }
        case type::text:
            break;
    }
    return {};
}

std::optional<std::string> configuration::set(std::vector<assignment> const& wanted) {
    auto const failed = [](std::string_view name, std::string_view why) {
        return "ERR CONFIG SET failed (possibly related to argument '" + std::string(name) + "') - " +
               std::string(why);
    };
    std::vector<std::pair<decltype(values_)::iterator, std::string>> plan;
    for (auto const& a : wanted) {
        auto const at = values_.find(lower_case(a.name));
        if (at == values_.end())
            return "ERR Unknown option or number of arguments for CONFIG SET - '" +
                   std::string(a.name.substr(0, a.name.find('\0'))) + "'";
        if (at->second.kind == type::fixed) return failed(a.name, "can't set immutable config");
        for (auto const& [earlier, text] : plan)
            if (earlier == at) return failed(a.name, "duplicate parameter");
        plan.emplace_back(at, "");
    }
    for (std::size_t i = 0; i < plan.size(); ++i) {
        auto& [at, text] = plan[i];
        if (auto const why = normalize(at->second, wanted[i].value, text)) {
            // Redis puts back what it has set by then from the texts it shows, which for events leave out
            // "n".
            if (at->second.kind == type::events && at->second.changed) at->second.changed(at->second.text);
            return failed(at->first, *why);
        }
        if (at->first == "save" && !is_save_line(text)) return failed(at->first, "Invalid save parameters");
    }
    for (std::size_t i = 0; i < plan.size(); ++i) {
        auto const& [at, text] = plan[i];
        at->second.text = text;
        auto* target = &at->second;
        if (!target->same_as.empty()) {
            auto& twin = values_.find(target->same_as)->second;
            twin.text = text;
            if (twin.changed) twin.changed(text);
        }
        if (target->changed)
            target->changed(target->kind == type::events ? std::string(wanted[i].value) : text);
    }
    return {};
}

void configuration::on_change(std::string_view name, std::function<void(std::string const&)> f) {
    values_.find(name)->second.changed = std::move(f);
}

}  // namespace respkit
