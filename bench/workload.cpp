#include <algorithm>

#include <respkit/bench/workload.hpp>
#include <respkit/resp/command.hpp>

namespace respkit::bench {
namespace {

// {data} is the payload, {score} ZADD's score. `tokens` are those of -t, apart from the ones that name a
// whole family.
struct row {
    std::string_view title, label, tokens, command;
    need needs = need::nothing;
    hit counts = hit::none;
    std::size_t range = 0;
};

constexpr row rows[] = {
    {"PING_INLINE", "", "ping_inline ping", "PING"},
    {"PING_MBULK", "", "ping_mbulk ping", "PING"},
    {"SET", "", "set", "SET key:__rand_int__ {data}"},
    {"GET", "", "get", "GET key:__rand_int__", need::keys, hit::not_null},
    {"INCR", "", "incr", "INCR counter:__rand_int__"},
    {"LPUSH", "", "lpush", "LPUSH mylist {data}"},
    {"RPUSH", "", "rpush", "RPUSH mylist {data}"},
    {"LPOP", "", "lpop", "LPOP mylist", need::list, hit::not_null},
    {"RPOP", "", "rpop", "RPOP mylist", need::list, hit::not_null},
    {"SADD", "", "sadd", "SADD myset element:__rand_int__"},
    {"HSET", "", "hset", "HSET myhash element:__rand_int__ {data}"},
    {"SPOP", "", "spop", "SPOP myset", need::set, hit::not_null},
    {"ZADD", "", "zadd", "ZADD myzset {score} element:__rand_int__"},
    {"ZPOPMIN", "", "zpopmin", "ZPOPMIN myzset", need::sorted_set, hit::not_empty},
    {"LPUSH (needed to benchmark LRANGE)", "LPUSH for LRANGE",
     "lrange lrange_100 lrange_300 lrange_500 lrange_600", "LPUSH mylist {data}"},
    {"LRANGE_100 (first 100 elements)", "LRANGE_100", "lrange lrange_100", "LRANGE mylist 0 99",
     need::long_list, hit::whole_range, 100},
    {"LRANGE_300 (first 300 elements)", "LRANGE_300", "lrange lrange_300", "LRANGE mylist 0 299",
     need::long_list, hit::whole_range, 300},
    {"LRANGE_500 (first 500 elements)", "LRANGE_500", "lrange lrange_500", "LRANGE mylist 0 499",
     need::long_list, hit::whole_range, 500},
    {"LRANGE_600 (first 600 elements)", "LRANGE_600", "lrange lrange_600", "LRANGE mylist 0 599",
     need::long_list, hit::whole_range, 600},
    {"MSET (10 keys)", "", "mset", "MSET"},  // and ten times key:__rand_int__ {data}
};

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        auto const blank = std::min(text.find(' '), text.size());
        words.push_back(text.substr(0, blank));
        text.remove_prefix(std::min(blank + 1, text.size()));
    }
    return words;
}

bool answers_to(row const& r, std::string_view token) {
    auto const tokens = split(r.tokens);
    return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

}  // namespace

std::vector<workload> redis_tests(std::size_t data_size, bool random) {
    auto const data = payload(data_size);
    std::vector<workload> tests;
    for (auto const& r : rows) {
        workload w;
        w.title = r.title;
        w.label = r.label.empty() ? r.title : r.label;
        for (auto const word : split(r.command))
            w.words.emplace_back(word == "{data}"    ? std::string_view(data)
                                 : word != "{score}" ? word
                                 : random            ? request::placeholder
                                                     : std::string_view("0"));
        for (int i = 0; i < 10 && r.command == "MSET"; ++i) {
            w.words.emplace_back("key:__rand_int__");
            w.words.push_back(data);
        }
        w.is_inline = r.title == "PING_INLINE";
        w.needs = r.needs;
        w.counts = r.counts;
        w.range = r.range;
        tests.push_back(std::move(w));
    }
    return tests;
}

std::vector<workload> select(std::vector<workload> const& all, std::span<std::string const> tokens) {
    if (tokens.empty()) return all;
    std::vector<workload> chosen;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (std::any_of(tokens.begin(), tokens.end(), [&](auto const& t) { return answers_to(rows[i], t); }))
            chosen.push_back(all[i]);
    return chosen;
}

std::optional<std::string> unknown_token(std::span<std::string const> tokens) {
    for (auto const& token : tokens)
        if (std::none_of(std::begin(rows), std::end(rows),
                         [&](auto const& r) { return answers_to(r, token); }))
            return token;
    return {};
}

std::string known_tokens() {
    std::vector<std::string_view> seen;
    std::string out;
    for (auto const& r : rows)
        for (auto const token : split(r.tokens))
            if (std::find(seen.begin(), seen.end(), token) == seen.end()) {
                seen.push_back(token);
                out.append(out.empty() ? "" : " ").append(token);
            }
    return out;
}

workload custom(std::vector<std::string> words) {
    workload w;
    for (auto const& word : words) w.title.append(w.title.empty() ? "" : " ").append(word);
    w.label = w.title.size() > 16 ? w.title.substr(0, 14) + ".." : w.title;
    for (auto& c : w.label)
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
    w.words = std::move(words);
    return w;
}

std::string payload(std::size_t size) {
    std::string out(size, '\0');
    std::uint32_t state = 1234;
    for (auto& c : out) {
        state = state * 1103515245 + 12345;
        c = static_cast<char>('0' + ((state >> 16) & 63));
    }
    return out;
}

request encode(workload const& w, naming how) {
    request r;
    r.bytes = w.is_inline ? w.words[0] + "\r\n" : resp::command(std::span<std::string const>(w.words));
    std::size_t at = r.bytes.find("\r\n") + 2;
    for (auto const& word : w.words) {
        if (w.is_inline) break;
        at = r.bytes.find("\r\n", at) + 2;
        r.words.push_back({at, word.size()});
        at += word.size() + 2;
    }
    if (how == naming::none) return r;
    auto const wanted = how == naming::record ? request::record_placeholder : request::placeholder;
    for (auto hole = r.bytes.find(wanted); hole != std::string::npos;
         hole = r.bytes.find(wanted, hole + wanted.size()))
        r.holes.push_back(hole);
    return r;
}

request repeat(request const& r, std::size_t times) {
    request out;
    out.bytes.reserve(r.bytes.size() * times);
    for (std::size_t i = 0; i < times; ++i) {
        for (auto const hole : r.holes) out.holes.push_back(out.bytes.size() + hole);
        out.bytes += r.bytes;
    }
    return out;
}

}  // namespace respkit::bench
