#include "generator.hpp"

#include <algorithm>
#include <cctype>

namespace respkit::differential {
namespace {

line const hello{.row = "hello", .compare = rule::shape};
line const plain{.row = "config|set"};
line const listen{.row = "psubscribe", .waits = true, .apart = true};

void add(random_source& random, pattern const& p, std::vector<std::string>& out);

// Options come in any order, so neighbours of that kind are exchanged now and then.
void add_parts(random_source& random, std::vector<pattern> const& parts, std::vector<std::string>& out) {
    std::vector<pattern const*> order;
    for (auto const& part : parts) order.push_back(&part);
    if (chance(random, 30))
        for (std::size_t i = 1; i < order.size(); ++i)
            if (order[i]->is_optional() && order[i - 1]->is_optional() && chance(random, 50))
                std::swap(order[i], order[i - 1]);
    for (auto const* part : order) add(random, *part, out);
}

void add_once(random_source& random, pattern const& p, std::vector<std::string>& out) {
    switch (p.what) {
        case pattern::kind::word:
            out.push_back(p.text);
            return;
        case pattern::kind::pool:
            out.push_back(pick(random, p.text));
            return;
        case pattern::kind::sequence:
            return add_parts(random, p.parts, out);
        case pattern::kind::choice:
            return add(random, any_of(random, p.parts), out);
    }
}

void add(random_source& random, pattern const& p, std::vector<std::string>& out) {
    if (p.counted) {
        auto const times = 1 + random.below(3);
        out.push_back(std::to_string(times));
        for (std::uint64_t i = 0; i < times; ++i) out.push_back(pick(random, p.text));
        return;
    }
    if (p.least == 0 && p.most == 1 && !chance(random, 30)) return;
    int times = p.most == 1 ? 1 : p.least;
    while (times < p.most && chance(random, 45)) ++times;
    for (int i = 0; i < times; ++i) add_once(random, p, out);
}

std::string other_case(random_source& random, std::string word) {
    for (auto& c : word)
        if (chance(random, 50))
            c = static_cast<char>(std::islower(static_cast<unsigned char>(c)) ? std::toupper(c)
                                                                              : std::tolower(c));
    return word;
}

bool is_option(std::string const& word) {
    return word.size() > 1 &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// One thing wrong with it.
void spoil(random_source& random, std::size_t name, std::vector<std::string>& words) {
    auto const argument = [&] { return name + random.below(words.size() - name); };
    auto const at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
    bool const bare = words.size() == name;
    switch (random.below(7)) {
        case 0:
            if (!bare) words.erase(at(argument()));
            return;
        case 1:
            words.pop_back();
            if (words.empty()) words.emplace_back("NOSUCH");
            return;
        case 2:
            words.push_back(junk(random));
            return;
        case 3: {
            if (bare) return;
            auto copy = words[argument()];
            words.insert(at(argument()), std::move(copy));
            return;
        }
        case 4:  // one option again, or one after the other's place
            for (std::size_t i = words.size(); i-- > name;)
                if (is_option(words[i])) {
                    auto again = words[i];
                    words.push_back(std::move(again));
                    return;
                }
            return;
        case 5:
            if (!bare) words[argument()] = junk(random);
            return;
        default:
            for (auto& word : words)
                if (is_option(word) || &word < &words[name]) word = other_case(random, word);
            return;
    }
}

}  // namespace

std::vector<limit> const& encoding_limits() {
    static std::vector<limit> const all = {
        {"list-max-listpack-size", "-2", "listsize"}, {"set-max-intset-entries", "512", "size"},
        {"hash-max-listpack-entries", "512", "size"}, {"hash-max-listpack-value", "64", "size"},
        {"zset-max-listpack-entries", "128", "size"}, {"zset-max-listpack-value", "64", "size"},
    };
    return all;
}

request generator::call(random_source& random, line const& from) {
    request out{name_words(from.row), &from};
    auto const name = out.words.size();
    add(random, from.arguments, out.words);
    if (!from.whole && chance(random, 8)) spoil(random, name, out.words);
    return out;
}

generator::generator(ground const& g) : ground_(g) {
    for (auto const* each : g.lines)
        if (std::find(families_.begin(), families_.end(), each->family) == families_.end())
            families_.push_back(each->family);
}

// A round is about a few families, so that its calls have to do with each other. A line of weight n stands n
// times.
std::vector<line const*> generator::choose_lines(random_source& random) const {
    std::vector<std::string> chosen;
    for (auto left = 1 + random.below(3); left > 0; --left) chosen.push_back(any_of(random, families_));
    if (chance(random, 60)) chosen.emplace_back("keys");
    if (ground_.multi && chance(random, 25)) chosen.emplace_back("transactions");
    if (chance(random, 10)) chosen = families_;
    std::vector<line const*> out;
    for (auto const* each : ground_.lines)
        if (std::find(chosen.begin(), chosen.end(), each->family) != chosen.end())
            out.insert(out.end(), static_cast<std::size_t>(each->weight), each);
    return out;
}

script generator::make(std::uint64_t seed) const {
    random_source random(seed);
    script out;
    out.seed = seed;
    auto const lines = choose_lines(random);
    bool const waits = std::any_of(lines.begin(), lines.end(), [](auto const* l) { return l->waits; });
    bool const crowd = chance(random, waits ? 90 : 15);
    bool const listener = ground_.subscribe && chance(random, crowd ? 50 : 20);
    out.speakers = crowd ? 4 : 1;
    out.connections = out.speakers + (listener ? 1 : 0);
    auto const send = [&](std::size_t connection, std::vector<std::string> words, line const& from) {
        out.steps.push_back({connection, {{std::move(words), &from}}});
    };

    for (std::size_t i = 0; i < out.connections; ++i)
        if (chance(random, 50)) send(i, {"HELLO", "3"}, hello);
    if (chance(random, 40))
        for (auto const& each : encoding_limits())
            if (chance(random, 50) &&
                std::find(ground_.limits.begin(), ground_.limits.end(), each.name) != ground_.limits.end())
                send(0, {"CONFIG", "SET", std::string(each.name), pick(random, each.pool)}, plain);
    if (listener) {
        // SORT looks for its keys in a set's own order, which misses would tell.
        bool const sorts =
            std::any_of(lines.begin(), lines.end(), [](auto const* l) { return l->compare == rule::sort; });
        auto const* const events = chance(random, 60) ? "KEA" : sorts ? "KEAn" : "KEAmn";
        send(0, {"CONFIG", "SET", "notify-keyspace-events", events}, plain);
        send(out.speakers, {"PSUBSCRIBE", "__key*__:*"}, listen);
    }

    std::size_t speaker = 0;
    for (auto left = crowd ? 200 : 800; left > 0; --left) {
        if (crowd && chance(random, 30)) speaker = random.below(out.speakers);
        auto made = call(random, *any_of(random, lines));
        step next{speaker, {made}};
        if (auto const& then = made.from->then; !then.empty() && made.words.size() > 1)
            next.requests.push_back({{then, made.words[1]}, &plain});
        out.steps.push_back(std::move(next));
    }
    return out;
}

}  // namespace respkit::differential
