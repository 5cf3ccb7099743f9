#include <algorithm>

#include <respkit/server/instance.hpp>
#include <respkit/server/vigils.hpp>

namespace respkit {

bool holds(condition const& c, instance& server) {
    switch (c.kind) {
        case condition::what::calls:
            return server.calls.count(c.filter) >= c.count;
        case condition::what::blocked:
            return server.waiting.size() >= c.count;
        case condition::what::subscribed: {
            auto const& channels = server.channels.of(topic::channel);
            auto const at = channels.find(c.channel);
            return (at == channels.end() ? 0 : at->second.size()) >= c.count;
        }
        case condition::what::connected: {
            auto const& all = server.sessions;
            auto const n =
                std::count_if(all.begin(), all.end(), [](auto const& s) { return !s.second->in_house; });
            return static_cast<std::size_t>(n) >= c.count;
        }
    }
    return false;
}

std::uint64_t vigils::keep(condition c, std::int64_t until, done f) {
    all_.push_back({++last_id_, std::move(c), until, std::move(f)});
    return last_id_;
}

void vigils::forget(std::uint64_t id) {
    all_.remove_if([&](vigil const& v) { return v.id == id; });
}

void vigils::look(instance& server) {
    for (auto v = all_.begin(); v != all_.end();) {
        bool const yes = holds(v->what, server);
        if (!yes && !(v->until && server.shared.now >= v->until)) {
            ++v;
            continue;
        }
        auto const tell = std::move(v->tell);
        v = all_.erase(v);
        tell(yes);
    }
}

std::optional<std::int64_t> vigils::next_deadline() const {
    std::optional<std::int64_t> first;
    for (auto const& v : all_)
        if (v.until && (!first || v.until < *first)) first = v.until;
    return first;
}

}  // namespace respkit
