// Rows for the classes of server/values/.
#include <string>
#include <string_view>
#include <vector>

#include <respkit/bench/micro/suite.hpp>
#include <respkit/server/values/hash.hpp>
#include <respkit/server/values/list.hpp>
#include <respkit/server/values/set.hpp>
#include <respkit/server/values/sorted_set.hpp>
#include <respkit/server/values/stream.hpp>

namespace respkit::micro {
namespace {

constexpr hash_seed seed{1, 2};

// What every row pays for saying which element it means.
struct nothing {
    using container = int;
    static constexpr auto title = "overhead";
    static constexpr char first = 'm';
    static std::unique_ptr<int> make(std::size_t) { return {}; }
};

struct list {
    using container = list_value;
    static constexpr auto title = "list";
    static constexpr char first = 'm';
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>(seed);
        for (std::size_t i = 0; i < n; ++i) made->push_back(name(first, i));
        return made;
    }
};

template <char First>
struct set {
    using container = set_value;
    static constexpr auto title = First == '1' ? "set of integers" : "set of words";
    static constexpr char first = First;
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>(seed);
        for (std::size_t i = 0; i < n; ++i) made->add(name(first, i));
        return made;
    }
};

// Where no entry is too many, and where one is.
template <std::size_t MostPacked>
struct hash {
    using container = hash_value;
    static constexpr auto title = MostPacked ? "hash" : "hash, never packed";
    static constexpr char first = 'm';
    static bool put(container& h, name field, name value) { return h.set(field, value, MostPacked); }
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>(seed);
        for (std::size_t i = 0; i < n; ++i) put(*made, {first, i}, {'v', i});
        return made;
    }
};

struct ranking {
    using container = sorted_set;
    static constexpr auto title = "sorted set";
    static constexpr char first = 'm';
    static constexpr std::uint64_t scores = std::uint64_t{1} << 32;
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>(seed);
        random_source any(2);
        for (std::size_t i = 0; i < n; ++i) made->insert(name(first, i), score(any));
        return made;
    }
    static double score(random_source& any) { return static_cast<double>(any.below(scores)); }
};

struct stream {
    using container = stream_value;
    static constexpr auto title = "stream";
    static constexpr char first = 'm';
    static void append(container& s, name value) {
        std::string_view const words[] = {"field", value};
        s.append({s.last_id().ms + 1, 0}, words);
    }
    static std::unique_ptr<container> make(std::size_t n) {
        auto made = std::make_unique<container>(seed);
        for (std::size_t i = 0; i < n; ++i) append(*made, {first, i});
        return made;
    }
};

template <class Kind>
std::size_t pop_and_add(subject<Kind>& s) {
    std::string member;
    s->pop(s.any, [&](std::string_view m) { member = m; });
    return s->add(member);
}

template <class Kind>
void add_set(suite& s) {
    using sets = subject<Kind>;
    s.measure<Kind>({
        {"contains", [](sets& v) -> std::size_t { return v->contains(v.present()); }},
        {"add + remove",
         [](sets& v) -> std::size_t {
             auto const member = v.absent();
             return v->add(member) + v->remove(member);
         }},
        {"pop a random one + add", pop_and_add<Kind>},
        {"pick a random one",
         [](sets& v) {
             std::size_t sum = 0;
             v->pick(v.any, [&](std::string_view m) { sum = touch(m); });
             return sum;
         }},
        {"sample 10",
         [](sets& v) {
             std::size_t sum = 0;
             v->sample(v.any, 10, [&](std::string_view m) { sum += touch(m); });
             return sum;
         }},
        {"all, per element",
         [](sets& v) {
             std::size_t sum = 0;
             v->for_each([&](std::string_view m) { sum += touch(m); });
             return sum;
         },
         true},
    });
    s.weigh<Kind>();
}

template <class Kind>
void add_hash(suite& s) {
    using hashes = subject<Kind>;
    s.measure<Kind>({
        {"get", [](hashes& v) { return touch(*v->get(v.present())); }},
        {"set",
         [](hashes& v) -> std::size_t {
             return Kind::put(*v.made, v.present(), {'v', v.random()});
         }},
        {"set a new one + erase",
         [](hashes& v) -> std::size_t {
             auto const field = v.absent();
             return Kind::put(*v.made, field, {'v', 0}) + v->erase(field);
         }},
        {"random", [](hashes& v) { return touch(v->random(v.any).field); }},
    });
    s.weigh<Kind>();
}

}  // namespace

void add_overhead(suite& s) {
    s.measure<nothing>({{"a random name", [](auto& v) { return touch(v.present()); }}});
}

void add_lists(suite& s) {
    using lists = subject<list>;
    s.measure<list>({
        {"push back + pop front",
         [](lists& v) {
             v->push_back(v.present());
             v->pop_front();
             return v->size();
         }},
        {"push front + pop back",
         [](lists& v) {
             v->push_front(v.present());
             v->pop_back();
             return v->size();
         }},
        {"push front + pop front",
         [](lists& v) {
             v->push_front(v.present());
             v->pop_front();
             return v->size();
         }},
        {"index in the middle", [](lists& v) { return touch(*v->at(v.central())); }},
        {"index near an end", [](lists& v) { return touch(*v->at(v.size - 1 - v.below(10))); }},
    });
    s.weigh<list>();
}

void add_sets(suite& s) {
    add_set<set<'1'>>(s);
    add_set<set<'m'>>(s);
}

void add_hashes(suite& s) {
    add_hash<hash<512>>(s);
    add_hash<hash<0>>(s);
}

void add_sorted_sets(suite& s) {
    using rankings = subject<ranking>;
    s.measure<ranking>({
        {"score of", [](rankings& v) { return static_cast<std::size_t>(v->find(v.present()).score()); }},
        {"insert + erase",
         [](rankings& v) {
             auto const member = v.absent();
             v->insert(member, ranking::score(v.any));
             v->erase(v->find(member));
             return v->size();
         }},
        {"change a score",
         [](rankings& v) {
             v->score(v->find(v.present()), ranking::score(v.any));
             return v->size();
         }},
        {"rank of", [](rankings& v) { return v->rank(v->find(v.present())); }},
        {"at a rank", [](rankings& v) { return touch(v->at(v.random()).member()); }},
        {"100 from a score on",
         [](rankings& v) {
             std::size_t sum = 0;
             auto e = v->at(v->below(ranking::score(v.any)));
             for (int left = 100; left && e; --left, e = e.next()) sum += touch(e.member());
             return sum;
         }},
        {"pop the least + insert",
         [](rankings& v) {
             auto const least = v->first();
             std::string const member(least.member());
             v->erase(least);
             v->insert(member, ranking::score(v.any));
             return v->size();
         }},
    });
    s.weigh<ranking>();
}

void add_streams(suite& s) {
    using streams = subject<stream>;
    s.measure<stream>({
        {"append + trim",
         [](streams& v) {
             stream::append(*v.made, v.present());
             return v->trim({.by = stream_trim::length, .most_entries = v.size});
         }},
        {"100 from an id on",
         [](streams& v) {
             std::size_t sum = 0;
             for (auto const& e : v->range({v->last_id().ms - v.random(), 0}, stream_id::greatest(), 100))
                 e.for_each([&](std::string_view, std::string_view value) { sum += touch(value); });
             return sum;
         }},
    });
    s.weigh<stream>();
}

}  // namespace respkit::micro
