#include <respkit/resp/writer.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/instance.hpp>
#include <respkit/server/pubsub.hpp>

namespace respkit {
namespace {

void send(session& who, std::initializer_list<std::string_view> words) {
    resp::writer out(who.output(), who.protocol);
    out.push(words.size());
    for (auto const word : words) out.bulk(word);
    who.home->limit_output(who);
}

}  // namespace

bool pubsub::subscribe(session& who, topic t, std::string_view name) {
    if (!who.subscriptions(t).emplace(name).second) return false;
    topics_[static_cast<std::size_t>(t)][std::string(name)].push_back(&who);
    ++who.topics;
    return true;
}

bool pubsub::unsubscribe(session& who, topic t, std::string_view name) {
    auto& names = who.subscriptions(t);
    auto const own = names.find(name);
    if (own == names.end()) return false;
    auto& all = topics_[static_cast<std::size_t>(t)];
    auto const at = all.find(name);
    std::erase(at->second, &who);
    if (at->second.empty()) all.erase(at);
    names.erase(own);
    --who.topics;
    return true;
}

void pubsub::leave(session& who) {
    for (auto const t : {topic::channel, topic::pattern, topic::shard_channel})
        while (!who.subscriptions(t).empty()) unsubscribe(who, t, std::string(*who.subscriptions(t).begin()));
}

std::size_t pubsub::publish(std::string_view channel, std::string_view message) {
    auto receivers = deliver(topic::channel, "message", channel, message);
    for (auto const& [pattern, sessions] : of(topic::pattern)) {
        if (!glob_match(pattern, channel)) continue;
        for (auto* who : sessions) send(*who, {"pmessage", pattern, channel, message});
        receivers += sessions.size();
    }
    return receivers;
}

std::size_t pubsub::publish_to_shard(std::string_view channel, std::string_view message) {
    return deliver(topic::shard_channel, "smessage", channel, message);
}

std::size_t pubsub::deliver(topic t, std::string_view kind, std::string_view channel,
                            std::string_view message) {
    auto const at = of(t).find(channel);
    if (at == of(t).end()) return 0;
    for (auto* who : at->second) send(*who, {kind, channel, message});
    return at->second.size();
}

}  // namespace respkit
