// Rules as words: the one grammar behind rules files and RESPKIT RULE ADD.
#include <charconv>
#include <cmath>
#include <utility>

#include <respkit/resp/number.hpp>
#include <respkit/resp/text.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/rule.hpp>

namespace respkit {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using outcome = action::outcome;

constexpr struct {
    std::string_view name;
    outcome what;
    bool has_text;
} outcomes[] = {
    {"proceed", outcome::proceed, false}, {"error", outcome::error, true},
    {"simple", outcome::simple, true},    {"bulk", outcome::bulk, true},
    {"integer", outcome::integer, true},  {"nil", outcome::nil, false},
    {"raw", outcome::raw, true},          {"noreply", outcome::no_reply, false},
};

constexpr struct {
    std::string_view unit;
    double us;
} units[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 6e7}, {"", 1e3}};

// Reads words from left to right; every complaint names the word it is about.
class rule_parser {
public:
    explicit rule_parser(std::span<std::string_view const> words) : words_(words) {}

    rule parse() {
        if (words_.empty() || !is_word(words_[0], "on")) fail(0, "a rule begins with ON and a command");
        at_ = 1;
        rule_.command = lower_case(text("ON", "a command's name or pattern"));
        while (at_ < words_.size()) {
            std::size_t const begin = at_;
            std::string const name = lower_case(words_[at_++]);
            if (!matcher(name) && !choice(name) && !what(name) && !wire(name))
                fail(begin, "unknown word '" + std::string(words_[begin]) +
                                "': expected a matcher (KEY, ARG, CLIENT, CONNECTION, DB), NTH, TIMES, "
                                "CHANCE, EXPECT, MINE, or an action (DELAY, ERROR, BULK, RAW, CLOSE, …)");
        }
        if (rule_.actions.size() > 1 && rule_.times == rule::always) rule_.times = rule_.actions.size();
        return std::move(rule_);
    }

private:
    [[noreturn]] void fail(std::size_t word, std::string const& why) const { throw word_error(word, why); }

    std::string_view text(std::string_view clause, std::string_view wanted) {
        if (at_ == words_.size()) fail(at_, std::string(clause) + " wants " + std::string(wanted));
        return words_[at_++];
    }
    std::uint64_t number(std::string_view clause, std::uint64_t least) {
        auto const word = text(clause, "a number");
        auto const n = resp::parse_integer(word);
        if (!n || *n < 0 || static_cast<std::uint64_t>(*n) < least)
            fail(at_ - 1, std::string(clause) + " wants a number of " + std::to_string(least) +
                              " or more, not '" + std::string(word) + "'");
        return static_cast<std::uint64_t>(*n);
    }
    microseconds duration(std::string_view clause, std::string_view word) const {
        auto const d = parse_duration(word);
        if (!d)
            fail(at_ - 1, std::string(clause) + " wants a time like 50ms, not '" + std::string(word) + "'");
        return *d;
    }
    // 50ms, 5ms..20ms or EXP 10ms
    delay waiting(std::string_view clause) {
        auto word = text(clause, "a time like 50ms, 5ms..20ms or EXP 10ms");
        if (is_word(word, "exp")) {
            auto const mean = duration(clause, text(clause, "a time behind EXP"));
            return {mean, mean, true};
        }
        auto const dots = word.find("..");
        auto const least = duration(clause, word.substr(0, dots));
        auto const most = dots == word.npos ? least : duration(clause, word.substr(dots + 2));
        if (most < least) fail(at_ - 1, std::string(clause) + " wants the shorter time first");
        return {least, most, false};
    }
    action& last() { return rule_.actions.back(); }

    bool matcher(std::string const& name) {
        if (name == "key")
            rule_.arguments.push_back({1, std::string(text("KEY", "a pattern"))});
        else if (name == "arg") {
            auto const position = number("ARG", 1);
            rule_.arguments.push_back({position, std::string(text("ARG", "a position and a pattern"))});
        } else if (name == "client")
            rule_.client = text("CLIENT", "a pattern of client names");
        else if (name == "connection")
            rule_.connection = number("CONNECTION", 1);
        else if (name == "db")
            rule_.db = static_cast<int>(std::min<std::uint64_t>(number("DB", 0), INT32_MAX));
        else
            return false;
        return true;
    }
    bool choice(std::string const& name) {
        if (name == "nth")
            rule_.nth = number("NTH", 1);
        else if (name == "times")
            rule_.times = number("TIMES", 1);
        else if (name == "expect")
            rule_.expected = number("EXPECT", 1);
        else if (name == "mine")
            rule_.mine = true;
        else if (name == "chance")
            rule_.chance = chance();
        else
            return false;
        return true;
    }
    double chance() {
        auto word = text("CHANCE", "a percentage like 10%");
        bool const percent = word.ends_with('%');
        if (percent) word.remove_suffix(1);
        double value = -1;
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (percent) value /= 100;
        if (error != std::errc{} || end != word.data() + word.size() || !(value >= 0 && value <= 1))
            fail(at_ - 1, "CHANCE wants a share like 10% or 0.1, not '" + std::string(words_[at_ - 1]) + "'");
        return value;
    }
    bool what(std::string const& name) {
        if (name == "then") {
            if (at_ == words_.size()) fail(at_, "THEN wants an action behind it");
            rule_.actions.emplace_back();
            said_ = {};
            return true;
        }
        for (auto const& o : outcomes) {
            if (name != o.name) continue;
            if (std::exchange(said_, true))
                fail(at_ - 1,
                     "one answer to a request: this is the second; THEN separates what happens in turn");
            last().what = o.what;
            if (!o.has_text) return true;
            last().text = text(words_[at_ - 1], "the text of the reply");
            check_text(last());
            return true;
        }
        return false;
    }
    void check_text(action const& a) const {
        bool const line = a.what == outcome::error || a.what == outcome::simple;
        if (line && a.text.find_first_of("\r\n") != std::string::npos)
            fail(at_ - 1, "a line end in a reply of one line: RAW sends any bytes");
        if (a.what == outcome::integer && !resp::parse_integer(a.text))
            fail(at_ - 1, "INTEGER wants a whole number, not '" + a.text + "'");
    }
    bool wire(std::string const& name) {
        if (name == "delay")
            last().before = waiting("DELAY");
        else if (name == "hold")
            last().after = waiting("HOLD");
        else if (name == "push")
            last().push = text("PUSH", "the bytes of a RESP3 frame");
        else if (name == "prefix")
            last().prefix = number("PREFIX", 0);
        else if (name == "split")
            last().piece = number("SPLIT", 1);
        else if (name == "gap")
            last().gap = duration("GAP", text("GAP", "a time like 1ms"));
        else if (name == "bandwidth")
            bandwidth(number("BANDWIDTH", 1));
        else if (name == "close")
            last().then = action::ending::close;
        else if (name == "reset")
            last().then = action::ending::reset;
        else
            return false;
        return true;
    }
    // Bytes a second, in a hundred pieces a second where there are so many.
    void bandwidth(std::uint64_t rate) {
        last().piece = std::max<std::uint64_t>(rate / 100, 1);
        last().gap = microseconds(
            static_cast<std::int64_t>(static_cast<double>(last().piece) * 1e6 / static_cast<double>(rate)));
    }

    std::span<std::string_view const> words_;
    std::size_t at_ = 0;
    rule rule_;
    bool said_ = false;  // the outcome of the last action
};

std::string print_duration(microseconds d) {
    if (d.count() % 1'000'000 == 0) return std::to_string(d.count() / 1'000'000) + "s";
    if (d.count() % 1'000 == 0) return std::to_string(d.count() / 1'000) + "ms";
    return std::to_string(d.count()) + "us";
}

std::string print_delay(delay const& d) {
    if (d.exponential) return "EXP " + print_duration(d.least);
    if (d.most == d.least) return print_duration(d.least);
    return print_duration(d.least) + ".." + print_duration(d.most);
}

// As one word that reads back as itself.
std::string word(std::string_view text) {
    bool plain = !text.empty() && text[0] != '#';
    for (char const c : text) plain &= c > ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\';
    return plain ? std::string(text) : resp::quote(text);
}

void print_action(std::string& out, action const& a) {
    if (!a.before.none()) out += " DELAY " + print_delay(a.before);
    if (!a.push.empty()) out += " PUSH " + word(a.push);
    for (auto const& o : outcomes) {
        if (o.what != a.what) continue;
        out += ' ';
        for (char const c : o.name) out += static_cast<char>(c - 'a' + 'A');
        if (o.has_text) out += ' ' + word(a.text);
    }
    if (!a.after.none()) out += " HOLD " + print_delay(a.after);
    if (a.prefix != action::whole) out += " PREFIX " + std::to_string(a.prefix);
    if (a.piece != action::whole) out += " SPLIT " + std::to_string(a.piece);
    if (a.gap.count()) out += " GAP " + print_duration(a.gap);
    if (a.then == action::ending::close) out += " CLOSE";
    if (a.then == action::ending::reset) out += " RESET";
}

}  // namespace

rule parse_rule(std::span<std::string_view const> words) { return rule_parser(words).parse(); }

std::string print_rule(rule const& r) {
    std::string out = "ON " + word(r.command);
    for (auto const& a : r.arguments)
        out += (a.position == 1 ? " KEY " : " ARG " + std::to_string(a.position) + ' ') + word(a.pattern);
    if (r.client != "*") out += " CLIENT " + word(r.client);
    if (r.connection) out += " CONNECTION " + std::to_string(*r.connection);
    if (r.db) out += " DB " + std::to_string(*r.db);
    if (r.nth) out += " NTH " + std::to_string(r.nth);
    if (r.chance < 1) {
        char digits[32];
        out += " CHANCE ";
        out.append(digits, std::to_chars(digits, digits + sizeof digits, r.chance).ptr);
    }
    if (r.times != rule::always) out += " TIMES " + std::to_string(r.times);
    if (r.expected) out += " EXPECT " + std::to_string(r.expected);
    if (r.mine) out += " MINE";
    for (std::size_t i = 0; i < r.actions.size(); ++i) {
        if (i) out += " THEN";
        print_action(out, r.actions[i]);
    }
    return out;
}

std::optional<microseconds> parse_duration(std::string_view text) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !(value >= 0)) return {};
    std::string_view const unit = text.substr(static_cast<std::size_t>(end - text.data()));
    constexpr double longest = 1e15;  // thirty years
    for (auto const& u : units)
        if (unit == u.unit) {
            double const us = std::round(value * u.us);
            if (us > longest) return {};
            return microseconds(static_cast<std::int64_t>(us));
        }
    return {};
}

std::vector<rule> parse_rules(std::string_view text, std::string_view name) {
    std::vector<rule> rules;
    for_each_line(text, name, [&](std::size_t, auto words) { rules.push_back(parse_rule(words)); });
    return rules;
}

}  // namespace respkit
