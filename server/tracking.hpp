// Client-side caching: tells clients that keep what they have read (CLIENT TRACKING) which keys are no longer
// what they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/session.hpp>

namespace respkit {

class tracking {
public:
    explicit tracking(instance& home) : home_(home) {}

    std::size_t clients() const { return clients_; }
    // Whether changes matter: keys that have been read are known beyond TRACKING OFF, until they change.
    bool active() const { return clients_ || !readers_.empty(); }
    std::size_t keys() const { return readers_.size(); }
    std::size_t items() const;  // pairs of key and reader
    std::size_t prefixes() const { return prefixes_.size(); }

    // The session is told from now on; if it is already, by these options and by these prefixes as well.
    void start(session& who, tracker options, std::span<std::string_view const> prefixes);
    void stop(session& who);

    // A command that reads these keys has been run.
    void remember(session& who, std::span<std::string_view const> keys);

    // A key is not what it was, whatever its database: Redis keeps one table for all. / All keys have gone.
    // To a session that is being answered this is told behind the reply, by tell_pending().
    void touched(std::string_view key);
    void flushed();
    bool pending() const { return !pending_.empty(); }
    void tell_pending();
    // What clients in BCAST mode are told once a batch.
    void tell_broadcasts();

private:
    using key_or_all = std::optional<std::string>;  // all keys: nothing
    struct prefix {
        std::set<session*> clients;
        std::map<std::string, std::uint64_t, std::less<>> changed;  // since the last batch, and by whom first
    };

    void invalidate(std::string_view key, std::set<std::uint64_t> const& readers);
    void tell(session& who, key_or_all const& what);
    void send(session& who, std::span<std::string_view const> keys);  // none: all
    session* find(std::uint64_t id) const;

    instance& home_;
    std::size_t clients_ = 0;
    std::map<std::string, std::set<std::uint64_t>, std::less<>> readers_;  // of each key, by their numbers
    std::map<std::string, prefix, std::less<>> prefixes_;
    std::vector<std::pair<std::uint64_t, key_or_all>> pending_;
};

}  // namespace respkit
