// Who has subscribed to what, and the delivery of what is published.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/session.hpp>

namespace respkit {

class pubsub {
public:
    // False if nothing has changed: subscribed already / not subscribed.
    bool subscribe(session& who, topic t, std::string_view name);
    bool unsubscribe(session& who, topic t, std::string_view name);
    void leave(session& who);  // everything

    // Sends the message to the channel's subscribers, in the order in which they came, then to those of each
    // pattern that matches; returns how many times.
    std::size_t publish(std::string_view channel, std::string_view message);
    // To those of a shard channel; patterns do not see it.
    std::size_t publish_to_shard(std::string_view channel, std::string_view message);

    // By name; names have at least one subscriber.
    using subscribers = std::map<std::string, std::vector<session*>, std::less<>>;
    subscribers const& of(topic t) const { return topics_[static_cast<std::size_t>(t)]; }

private:
    std::size_t deliver(topic t, std::string_view kind, std::string_view channel, std::string_view message);

    std::array<subscribers, 3> topics_;
};

}  // namespace respkit
