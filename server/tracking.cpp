#include <utility>

#include <respkit/resp/writer.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/tracking.hpp>

namespace respkit {

std::size_t tracking::items() const {
    std::size_t n = 0;
    for (auto const& [key, readers] : readers_) n += readers.size();
    return n;
}

void tracking::start(session& who, tracker options, std::span<std::string_view const> prefixes) {
    if (who.tracks) {
        options.caching = who.tracks->caching;
        options.prefixes = std::move(who.tracks->prefixes);
    } else {
        ++clients_;
    }
    for (auto const name : prefixes) {
        options.prefixes.emplace(name);
        prefixes_[std::string(name)].clients.insert(&who);
    }
    who.tracks = std::make_unique<tracker>(std::move(options));
}

void tracking::stop(session& who) {
    if (!who.tracks) return;
    for (auto const& name : who.tracks->prefixes) {
        auto const at = prefixes_.find(name);
        at->second.clients.erase(&who);
        if (at->second.clients.empty()) prefixes_.erase(at);
    }
    who.tracks.reset();
    --clients_;
}

void tracking::remember(session& who, std::span<std::string_view const> keys) {
    auto const& t = *who.tracks;
    if (t.broadcast || (t.opt_in && !t.caching) || (t.opt_out && t.caching)) return;
    for (auto const key : keys) readers_[std::string(key)].insert(who.id);
    // Whoever is forgotten must be told: its copy would stay for ever.
    auto const most = static_cast<std::size_t>(home_.config.number("tracking-table-max-keys"));
    while (most && readers_.size() > most) {
        auto const gone = readers_.extract(readers_.begin());
        invalidate(gone.key(), gone.mapped());
    }
}

void tracking::touched(std::string_view key) {
    for (auto& [name, p] : prefixes_)
        if (key.starts_with(name))
            p.changed.try_emplace(std::string(key), home_.running ? home_.running->id : 0);
    auto const at = readers_.find(key);
    if (at == readers_.end()) return;
    auto const gone = readers_.extract(at);
    invalidate(gone.key(), gone.mapped());
}

void tracking::invalidate(std::string_view key, std::set<std::uint64_t> const& readers) {
    for (auto const id : readers) {
        auto* who = find(id);
        if (!who || !who->tracks || who->tracks->broadcast) continue;
        if (who->tracks->noloop && who == home_.running) continue;
        tell(*who, std::string(key));
    }
}

void tracking::flushed() {
    for (auto const& [id, who] : home_.sessions)
        if (who->tracks) tell(*who, {});
    readers_.clear();
}

void tracking::tell(session& who, key_or_all const& what) {
    if (&who == home_.running) {
        pending_.emplace_back(who.id, what);
    } else if (what) {
        std::string_view const key = *what;
        send(who, {&key, 1});
    } else {
        send(who, {});
    }
}

void tracking::tell_pending() {
    for (auto const& [id, what] : std::exchange(pending_, {})) {
        auto* who = find(id);
        if (!who || !who->tracks) continue;
        std::string_view const key = what ? std::string_view(*what) : std::string_view();
        send(*who, {&key, what ? 1u : 0u});
    }
}

void tracking::tell_broadcasts() {
    for (auto& [name, p] : prefixes_) {
        if (p.changed.empty()) continue;
        for (auto* who : p.clients) {
            std::vector<std::string_view> keys;
            for (auto const& [key, by] : p.changed)
                if (!who->tracks->noloop || by != who->id) keys.push_back(key);
            if (!keys.empty()) send(*who, keys);
        }
        p.changed.clear();
    }
}

void tracking::send(session& who, std::span<std::string_view const> keys) {
    auto& t = *who.tracks;
    session* const to = t.redirect ? find(t.redirect) : &who;
    if (!to) {
        t.broken = true;
        if (who.protocol != resp::version::v3) return;
        resp::writer out(who.output(), who.protocol);
        out.push(2);
        out.bulk("tracking-redir-broken");
        out.integer(static_cast<std::int64_t>(t.redirect));
        return home_.limit_output(who);
    }
    bool const v3 = to->protocol == resp::version::v3;
    // RESP2 has no pushes: only a subscriber can be told there, in a message.
    if (!v3 && (!t.redirect || !to->subscriber())) return;
    resp::writer out(to->output(), to->protocol);
    out.push(v3 ? 2 : 3);
    if (!v3) out.bulk("message");
    out.bulk(v3 ? "invalidate" : "__redis__:invalidate");
    if (keys.empty()) {
        out.speak(who.protocol);  // as Redis: the null of the one who tracks
        out.null();
    } else {
        out.array(keys.size());
        for (auto const key : keys) out.bulk(key);
    }
    home_.limit_output(*to);
}

session* tracking::find(std::uint64_t id) const {
    auto const at = home_.sessions.find(id);
    return at == home_.sessions.end() ? nullptr : at->second;
}

}  // namespace respkit
