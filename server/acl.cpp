#include <algorithm>
#include <stdexcept>
#include <utility>

#include <respkit/server/acl.hpp>
#include <respkit/server/digest.hpp>

namespace respkit {
namespace {

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr std::string_view blanks = " \t\r\n";
    for (std::size_t at = 0; (at = line.find_first_not_of(blanks, at)) != line.npos;) {
        auto const end = std::min(line.find_first_of(blanks, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

bool is_digest(std::string_view text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

constexpr std::string_view everything[] = {"on", "nopass", "allkeys", "allchannels", "allcommands"};

std::optional<std::string_view> user::apply(std::string_view rule) {
    if (rule.empty()) return {};
    auto const is = [&](std::string_view spelled) { return is_word(rule, spelled); };
    char const sign = rule[0];
    if (is("on") || is("off")) {
        on = is("on");
    } else if (is("nopass") || is("resetpass")) {
        no_password = is("nopass");
        passwords.clear();
    } else if (is("skip-sanitize-payload")) {
        payloads = sanitizing::skip;
    } else if (is("sanitize-payload")) {
        payloads = sanitizing::yes;
    } else if (sign == '>' || sign == '<' || sign == '#' || sign == '!') {
        bool const plain = sign == '>' || sign == '<', adds = sign == '>' || sign == '#';
        auto const word = rule.substr(1);
        if (!plain && !is_digest(word))
            return "The password hash must be exactly 64 characters and contain only lowercase hexadecimal "
                   "characters";
        auto digest = plain ? sha256(word) : std::string(word);
        auto const at = std::find(passwords.begin(), passwords.end(), digest);
        if (!adds && at == passwords.end())
            return "The password you are trying to remove from the user does not exist";
        if (!adds)
            passwords.erase(at);
        else if (at == passwords.end())
            passwords.push_back(std::move(digest));
        if (adds) no_password = false;
    } else if (sign == '(' && rule.ends_with(')')) {
        rights selector(*table_);
        for (auto const word : split(rule.substr(1, rule.size() - 2)))
            if (auto const complaint = selector.apply(word)) return complaint;
        sets.push_back(std::move(selector));
    } else if (is("clearselectors")) {
        sets.erase(sets.begin() + 1, sets.end());
    } else if (is("reset")) {
        *this = user(name, *table_);
        payloads = sanitizing::yes;
    } else {
        return sets.front().apply(rule);
    }
    return {};
}

std::optional<std::string> user::apply_all(std::span<std::string_view const> rules) {
    // A selector may come in several words.
    std::vector<std::string> whole;
    bool open = false;
    for (auto const rule : rules) {
        if (open)
            (whole.back() += ' ') += rule;
        else
            whole.emplace_back(rule);
        if (open || rule.starts_with('(')) open = !rule.ends_with(')');
    }
    if (open) {
        auto const first = whole.back().substr(0, whole.back().find(' '));
        return "ERR Unmatched parenthesis in acl selector starting at '" + first + "'.";
    }
    user changed = *this;
    for (auto const& rule : whole)
        if (auto const complaint = changed.apply(rule))
            return "ERR Error in ACL SETUSER modifier '" + rule.substr(0, rule.find('\0')) +
                   "': " + std::string(*complaint);
    *this = std::move(changed);
    return {};
}

bool user::accepts(std::string_view password) const {
    if (!on) return false;
    return no_password || std::find(passwords.begin(), passwords.end(), sha256(password)) != passwords.end();
}

// Of several sets the one that comes furthest says why.
denial user::check(command const& row, std::span<std::string_view const> words) const {
    denial worst{denial::command};
    for (auto const& set : sets) {
        auto const d = set.check(row, words);
        if (!d) return d;
        if (d.why > worst.why || (d.why == worst.why && d.word > worst.word)) worst = d;
    }
    return worst;
}

std::string user::text() const {
    std::string out = on ? "on " : "off ";
    if (no_password) out += "nopass ";
    if (payloads == sanitizing::skip) out += "skip-sanitize-payload ";
    if (payloads == sanitizing::yes) out += "sanitize-payload ";
    for (auto const& digest : passwords) out += '#' + digest + ' ';
    out += sets.front().text();
    for (std::size_t i = 1; i < sets.size(); ++i) out += " (" + sets[i].text() + ')';
    return out;
}

access_list::access_list(command_table const& table) : table_(table), owner_("default", table) {
    owner_.apply_all(everything);
    add("default").apply_all(everything);
}

access_list::by_name access_list::begin_again(std::string_view password, std::span<std::string const> lines) {
    auto old = std::exchange(users_, {});
    loaded_.clear();
    add("default").apply_all(everything);
    require(password);
    for (auto const& line : lines) load(line);
    return old;
}

user* access_list::find(std::string_view name) {
    auto const at = users_.find(name);
    return at == users_.end() ? nullptr : at->second.get();
}

user& access_list::add(std::string_view name) {
    auto& place = users_[std::string(name)];
    place = std::make_unique<user>(std::string(name), table_);
    return *place;
}

std::unique_ptr<user> access_list::remove(std::string_view name) {
    auto const at = users_.find(name);
    if (at == users_.end()) return {};
    auto gone = std::move(at->second);
    users_.erase(at);
    return gone;
}

void access_list::require(std::string_view password) {
    auto& u = default_user();
    u.apply("resetpass");
    u.apply(password.empty() ? "nopass" : '>' + std::string(password));
}

bool access_list::asks_for_password() {
    auto const& u = default_user();
    return !u.no_password || !u.on;
}

void access_list::load(std::string_view line) {
    auto const words = split(line);
    if (words.empty())
        throw std::invalid_argument("user: a name is missing, then rules, as \"alice on >secret +@all\"");
    std::string const name(words[0]);
    if (std::find(loaded_.begin(), loaded_.end(), name) != loaded_.end())
        throw std::invalid_argument("user " + name + ": defined twice, a user can be defined only once");
    loaded_.push_back(name);
    auto* u = find(name);
    if (u)
        u->apply("reset");
    else
        u = &add(name);
    auto const complaint = u->apply_all(std::span(words).subspan(1));
    if (complaint) throw std::invalid_argument("user " + name + ": " + complaint->substr(4));
}

}  // namespace respkit
