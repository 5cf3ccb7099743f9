#include "table.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "pools.hpp"
#include <respkit/server/command.hpp>

namespace respkit::differential {
namespace {

constexpr int many = 4;  // what "+" and "*" usually come to

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }

std::string upper_case(std::string_view text) {
    std::string out(text);
    for (auto& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}
// Recursive descent over one line's words.
class pattern_parser {
public:
    pattern_parser(std::string_view text, std::set<std::string>& options) : rest_(text), options_(options) {}

    pattern whole() {
        auto out = choice();
        if (!rest_.empty()) fail("what closes here was never opened: '" + std::string(rest_) + "'");
        return out;
    }

private:
    [[noreturn]] static void fail(std::string const& what) { throw std::runtime_error(what); }

    void blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
    bool at(char c) {
        blanks();
        return !rest_.empty() && rest_.front() == c;
    }
    bool eat(char c) {
        if (!at(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    pattern choice() {
        pattern out{.what = pattern::kind::choice};
        do out.parts.push_back(sequence());
        while (eat('|'));
        return out.parts.size() == 1 ? std::move(out.parts.front()) : out;
    }

    pattern sequence() {
        pattern out;
        for (blanks();
             !rest_.empty() && std::string_view("|)]").find(rest_.front()) == std::string_view::npos;
             blanks())
            out.parts.push_back(item());
        return out;
    }

    pattern item() {
        auto out = eat('[') ? group(']', 0) : eat('(') ? group(')', 1) : word();
        if (!rest_.empty() && (rest_.front() == '+' || rest_.front() == '*')) {
            out.least = rest_.front() == '+';
            out.most = many;
            rest_.remove_prefix(1);
        }
        return out;
    }

    pattern group(char end, int least) {
        pattern out;
        out.parts.push_back(choice());
        out.least = least;
        if (!eat(end)) fail(std::string("no '") + end + "'");
        return out;
    }

    pattern word() {
        pattern out{.what = pattern::kind::word};
        out.counted = eat('#');
        if (eat('"')) {
            auto const end = rest_.find('"');
            if (end == rest_.npos) fail("a quote is not closed");
            out.text = rest_.substr(0, end);
            rest_.remove_prefix(end + 1);
            return out;
        }
        out.text = rest_.substr(0, rest_.find_first_of(" |()[]+*"));
        rest_.remove_prefix(out.text.size());
        if (out.text.empty()) fail("a word is missing before '" + std::string(rest_) + "'");
        if (is_capital(out.text.front())) options_.insert(out.text);
        if (!is_small(out.text.front())) return out;
        out.what = pattern::kind::pool;
        if (!is_pool(out.text)) fail("there is no pool '" + out.text + "'");
        return out;
    }

    std::string_view rest_;
    std::set<std::string>& options_;
};

// The words behind " : ".
void read_flags(std::string_view text, line& out) {
    static constexpr std::pair<std::string_view, rule> rules[] = {
        {"unordered", rule::unordered},   {"pairs", rule::pairs}, {"near", rule::near},
        {"shape", rule::shape},           {"type", rule::type},   {"scan", rule::scan},
        {"scan-pairs", rule::scan_pairs}, {"sort", rule::sort},
    };
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
        auto const* const found =
            std::find_if(std::begin(rules), std::end(rules), [&](auto const& r) { return r.first == word; });
        if (found != std::end(rules)) {
            out.compare = found->second;
            if (out.compare == rule::near && !(words >> out.tolerance))
                throw std::runtime_error("'near' wants a number");
        } else if (word == "often") {
            out.weight = 12;
        } else if (word == "rare") {
            out.weight = 1;
        } else if (word == "whole") {
            out.whole = true;
        } else if (word == "refused") {
            out.refused = true;
        } else if (word == "waits") {
            out.waits = true;
        } else if (word == "apart") {
            out.waits = out.apart = true;
        } else if (word == "then") {
            if (!(words >> out.then)) throw std::runtime_error("'then' wants a command");
        } else {
            throw std::runtime_error("unknown flag '" + word + "'");
        }
    }
}

line read_line(std::string_view text, std::string const& family) {
    line out;
    auto const colon = text.find(" : ");
    if (colon != text.npos) read_flags(text.substr(colon + 3), out);
    text = text.substr(0, colon);
    auto const name = text.substr(0, text.find(' '));
    out.row = lower_case(name);
    out.family = family;
    out.arguments = pattern_parser(text.substr(name.size()), out.options).whole();
    return out;
}

exception read_exception(std::string_view text) {
    auto const colon = text.find(" : ");
    if (colon == text.npos) throw std::runtime_error("an exception wants its reason behind ' : '");
    auto what = text.substr(0, colon);
    if (what.size() > 2 && what.front() == '"' && what.back() == '"') what = what.substr(1, what.size() - 2);
    return {std::string(what), std::string(text.substr(colon + 3))};
}

}  // namespace

table parse_table(std::string_view text, std::string const& file) {
    table out;
    std::string family;
    std::istringstream in{std::string(text)};
    int number = 0;
    for (std::string each; std::getline(in, each);) {
        ++number;
        if (each.empty() || each.front() == '#') continue;
        try {
            if (each.front() == '[' && each.back() == ']') {
                family = each.substr(1, each.size() - 2);
            } else if (each.starts_with("never ")) {
                out.never.push_back(read_exception(each.substr(6)));
                out.never.back().what = lower_case(out.never.back().what);
            } else if (each.starts_with("unseen ")) {
                out.unseen.push_back(read_exception(each.substr(7)));
            } else if (each.starts_with("uncased ")) {
                out.uncased.push_back(read_exception(each.substr(8)));
            } else {
                out.lines.push_back(read_line(each, family));
                out.lines.back().number = number;
            }
        } catch (std::runtime_error const& error) {
            throw std::runtime_error(file + ":" + std::to_string(number) + ": " + error.what());
        }
    }
    return out;
}

table load_table(std::string const& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw std::runtime_error(file + ": cannot be read");
    return parse_table(text.str(), file);
}

std::vector<std::string> name_words(std::string_view row) {
    auto const name = upper_case(row);
    auto const bar = name.find('|');
    if (bar == name.npos) return {name};
    return {name.substr(0, bar), name.substr(bar + 1)};
}

}  // namespace respkit::differential
