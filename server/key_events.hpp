// Passes on what happens to keys: to clients that watch them, track them or wait for them, and, as
// notify-keyspace-events asks, to subscribers.
#pragma once

#include <cstdint>
#include <string_view>

#include <respkit/server/keyspace.hpp>
#include <respkit/server/pubsub.hpp>
#include <respkit/server/tracking.hpp>
#include <respkit/server/waiting_room.hpp>
#include <respkit/server/watches.hpp>

namespace respkit {

class key_events final : public key_observer {
public:
    key_events(watches& w, waiting_room& r, pubsub& p, tracking& t)
        : watches_(w), waiting_(r), channels_(p), caches_(t) {}

    // Which classes of event:: are told to subscribers, as notify-keyspace-events spells them.
    void notify(std::string_view letters);

    // Whether anybody wants to know.
    bool needed() const { return told_ || !watches_.empty() || waiting_.size() || caches_.active(); }

    void touched(keyspace& db, std::string_view key) override;
    void added(keyspace& db, record const& r) override;
    void clearing(keyspace& db) override;
    void swapped(keyspace& a, keyspace& b) override;
    void happened(keyspace& db, std::string_view key, std::uint32_t what, std::string_view name) override;

private:
    watches& watches_;
    waiting_room& waiting_;
    pubsub& channels_;
    tracking& caches_;
    std::uint32_t told_ = 0;
};

}  // namespace respkit
