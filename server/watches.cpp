#include <respkit/server/keyspace.hpp>
#include <respkit/server/watches.hpp>

namespace respkit {

void watches::watch(session& who, int db, std::string_view key) {
    if (!keys_[static_cast<std::size_t>(db)][std::string(key)].insert(&who).second) return;
    who.watching.emplace_back(db, key);
    ++pairs_;
}

void watches::unwatch(session& who) {
    for (auto const& [db, key] : who.watching) {
        auto& keys = keys_[static_cast<std::size_t>(db)];
        auto const at = keys.find(key);
        at->second.erase(&who);
        if (at->second.empty()) keys.erase(at);
    }
    pairs_ -= who.watching.size();
    who.watching.clear();
    who.overtaken = false;
}

void watches::touched(int db, std::string_view key) {
    auto const& keys = keys_[static_cast<std::size_t>(db)];
    if (auto const at = keys.find(key); at != keys.end()) overtake(at->second);
}

void watches::clearing(keyspace& db) {
    for (auto const& [key, sessions] : keys_[static_cast<std::size_t>(db.number())])
        if (db.peek(key)) overtake(sessions);
}

void watches::swapped(keyspace& a, keyspace& b) {
    for (auto const* db : {&a, &b})
        for (auto const& [key, sessions] : keys_[static_cast<std::size_t>(db->number())])
            if (a.peek(key) || b.peek(key)) overtake(sessions);
}

void watches::overtake(watchers const& all) {
    for (auto* who : all) who->overtaken = true;
}

}  // namespace respkit
