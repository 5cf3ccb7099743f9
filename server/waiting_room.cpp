#include <respkit/server/waiting_room.hpp>

namespace respkit {

void waiting_room::enter(session& who, waiting what, std::span<std::string_view const> keys) {
    auto& queues = queues_[static_cast<std::size_t>(what.db)];
    for (auto const key : keys) {
        auto& line = queues[std::string(key)];
        if (!line.empty() && line.back() == &who) continue;  // named twice
        what.places.push_back({std::string(key), line.insert(line.end(), &who)});
    }
    if (what.until) timeouts_.emplace(what.until, &who);
    who.waits = std::make_unique<waiting>(std::move(what));
    ++size_;
}

void waiting_room::leave(session& who) {
    if (!who.waits) return;
    auto& queues = queues_[static_cast<std::size_t>(who.waits->db)];
    for (auto const& place : who.waits->places) {
        auto const line = queues.find(place.key);
        line->second.erase(place.at);
        if (line->second.empty()) queues.erase(line);
    }
    timeouts_.erase({who.waits->until, &who});
    who.waits.reset();
    --size_;
}

void waiting_room::added(int db, std::string_view key) {
    auto const n = static_cast<std::size_t>(db);
    if (!queues_[n].contains(key) || !ready_[n].emplace(key).second) return;
    ready_keys_.push_back({db, std::string(key)});
}

void waiting_room::renewed(keyspace& db) {
    for (auto const& [key, line] : queues_[static_cast<std::size_t>(db.number())])
        if (db.peek(key)) added(db.number(), key);
}

std::vector<waiting_room::ready_key> waiting_room::take_ready() {
    for (auto& names : ready_) names.clear();
    return std::exchange(ready_keys_, {});
}

waiting::queue* waiting_room::queue(int db, std::string_view key) {
    auto& queues = queues_[static_cast<std::size_t>(db)];
    auto const at = queues.find(key);
    return at == queues.end() ? nullptr : &at->second;
}

std::optional<std::int64_t> waiting_room::next_deadline() const {
    if (timeouts_.empty()) return {};
    return timeouts_.begin()->first + 1;
}

session* waiting_room::overdue(std::int64_t now) const {
    if (timeouts_.empty() || timeouts_.begin()->first >= now) return nullptr;
    return timeouts_.begin()->second;
}

}  // namespace respkit
