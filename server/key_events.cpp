#include <string>

#include <respkit/server/key_events.hpp>

namespace respkit {

void key_events::notify(std::string_view letters) {
    constexpr struct {
        char letter;
        std::uint32_t what;
    } classes[] = {
        {'K', event::keyspace},
        {'E', event::keyevent},
        {'g', event::generic},
        {'$', event::string},
        {'l', event::list},
        {'s', event::set},
        {'h', event::hash},
        {'z', event::sorted_set},
        {'x', event::expired},
        {'e', event::evicted},
        {'t', event::stream},
        {'m', event::key_miss},
        {'d', event::module},
        {'n', event::fresh},
        {'A', event::generic | event::string | event::list | event::set | event::hash | event::sorted_set |
                  event::expired | event::evicted | event::stream | event::module},
    };
    told_ = 0;
    for (char const l : letters)
        for (auto const& c : classes)
            if (c.letter == l) told_ |= c.what;
}

void key_events::touched(keyspace& db, std::string_view key) {
    watches_.touched(db.number(), key);
    if (caches_.active()) caches_.touched(key);
}

void key_events::added(keyspace& db, record const& r) {
    if (r.type() == kind::list || r.type() == kind::sorted_set) waiting_.added(db.number(), r.key());
    happened(db, r.key(), event::fresh, "new");
}

void key_events::clearing(keyspace& db) { watches_.clearing(db); }

void key_events::swapped(keyspace& a, keyspace& b) {
    watches_.swapped(a, b);
    waiting_.renewed(a);
    waiting_.renewed(b);
}

void key_events::happened(keyspace& db, std::string_view key, std::uint32_t what, std::string_view name) {
    if (!(told_ & what)) return;
    std::string const at = '@' + std::to_string(db.number()) + "__:";
    if (told_ & event::keyspace) channels_.publish("__keyspace" + at + std::string(key), name);
    if (told_ & event::keyevent) channels_.publish("__keyevent" + at + std::string(name), key);
}

}  // namespace respkit
