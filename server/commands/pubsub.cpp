// Publishing and subscribing.
#include <string>
#include <vector>

#include <respkit/server/command.hpp>
#include <respkit/server/glob.hpp>
#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

// Acknowledges one name: what has been done, to what, and how many subscriptions there are now.
void acknowledge(call& c, std::string_view what, std::string_view const* name, topic t) {
    resp::writer out(c.who.output(), c.who.protocol);  // CLIENT REPLY OFF does not silence it
    out.push(3);
    out.bulk(what);
    name ? out.bulk(*name) : out.null();
    auto const count = t == topic::shard_channel ? c.who.subscriptions(t).size() : c.who.subscriptions();
    out.integer(static_cast<std::int64_t>(count));
}

void subscribe_all(call& c, topic t) {
    for (auto const name : c.words.subspan(1)) {
        c.server.channels.subscribe(c.who, t, name);
        acknowledge(c, c.row.name, &name, t);
    }
}

// The names given, or, without any, all there are.
void unsubscribe_all(call& c, topic t) {
    auto const& own = c.who.subscriptions(t);
    std::vector<std::string> names(c.words.begin() + 1, c.words.end());
    if (names.empty()) names.assign(own.begin(), own.end());
    if (names.empty()) acknowledge(c, c.row.name, nullptr, t);
    for (std::string_view const name : names) {
        c.server.channels.unsubscribe(c.who, t, name);
        acknowledge(c, c.row.name, &name, t);
    }
}

// SUBSCRIBE channel [channel ...], and its kin
void subscribe(call& c) { subscribe_all(c, topic::channel); }
void psubscribe(call& c) { subscribe_all(c, topic::pattern); }
void ssubscribe(call& c) { subscribe_all(c, topic::shard_channel); }
// UNSUBSCRIBE [channel ...], and its kin
void unsubscribe(call& c) { unsubscribe_all(c, topic::channel); }
void punsubscribe(call& c) { unsubscribe_all(c, topic::pattern); }
void sunsubscribe(call& c) { unsubscribe_all(c, topic::shard_channel); }

// PUBLISH channel message
void publish(call& c) { c.reply.integer(static_cast<std::int64_t>(c.server.channels.publish(c[1], c[2]))); }

// SPUBLISH shardchannel message
void spublish(call& c) {
    c.reply.integer(static_cast<std::int64_t>(c.server.channels.publish_to_shard(c[1], c[2])));
}

void reply_names(call& c, topic t) {
    if (c.size() > 3) return c.reply.error(errors::wrong_subcommand("PUBSUB", c[1]));
    std::vector<std::string_view> names;
    for (auto const& [name, sessions] : c.server.channels.of(t))
        if (c.size() == 2 || glob_match(c[2], name)) names.push_back(name);
    c.reply.array(names.size());
    for (auto const name : names) c.reply.bulk(name);
}

void reply_counts(call& c, topic t) {
    auto const& all = c.server.channels.of(t);
    c.reply.array(2 * (c.size() - 2));
    for (auto const name : c.words.subspan(2)) {
        auto const at = all.find(name);
        c.reply.bulk(name);
        c.reply.integer(at == all.end() ? 0 : static_cast<std::int64_t>(at->second.size()));
    }
}

// PUBSUB CHANNELS [pattern]
void pubsub_channels(call& c) { reply_names(c, topic::channel); }
// PUBSUB SHARDCHANNELS [pattern]
void pubsub_shardchannels(call& c) { reply_names(c, topic::shard_channel); }
// PUBSUB NUMSUB [channel ...]
void pubsub_numsub(call& c) { reply_counts(c, topic::channel); }
// PUBSUB SHARDNUMSUB [shardchannel ...]
void pubsub_shardnumsub(call& c) { reply_counts(c, topic::shard_channel); }
// PUBSUB NUMPAT
void pubsub_numpat(call& c) {
    c.reply.integer(static_cast<std::int64_t>(c.server.channels.of(topic::pattern).size()));
}

using namespace flag;

constexpr command make(std::string_view name, int arity, std::uint32_t flags, void (*run)(call&),
                       std::string_view since, std::string_view summary) {
    return command{.name = name,
                   .arity = arity,
                   .flags = flags | flag::pubsub | loading | stale,
                   .run = run,
                   .since = since,
                   .group = "pubsub",
                   .summary = summary};
}
constexpr command on_shards(command row, std::int8_t last) {
    row.keys[0] = {.flags = key_flag::not_key, .last = last};
    return row;
}
constexpr command sub(command row) {
    row.container = "pubsub";
    return row;
}

constexpr command subcommands[] = {
    sub(make("channels", -2, 0, pubsub_channels, "2.8.0", "Lists the channels that have subscribers")),
    sub(make("numpat", 2, 0, pubsub_numpat, "2.8.0", "Counts the patterns subscribed to")),
    sub(make("numsub", -2, 0, pubsub_numsub, "2.8.0", "Counts the subscribers of channels")),
    sub(make("shardchannels", -2, 0, pubsub_shardchannels, "7.0.0",
             "Lists the shard channels that have subscribers")),
    sub(make("shardnumsub", -2, 0, pubsub_shardnumsub, "7.0.0", "Counts the subscribers of shard channels")),
    {.name = "help",
     .arity = 2,
     .flags = loading | stale,
     .run = container_help,
     .since = "6.2.0",
     .group = "pubsub",
     .summary = "Lists the subcommands",
     .container = "pubsub"},
};

constexpr std::uint32_t subscribing = noscript | for_subscribers;

constexpr command rows[] = {
    make("subscribe", -2, subscribing, subscribe, "2.0.0", "Listens to channels"),
    make("unsubscribe", -1, subscribing, unsubscribe, "2.0.0", "Stops listening to channels"),
    make("psubscribe", -2, subscribing, psubscribe, "2.0.0", "Listens to all channels that match a pattern"),
    make("punsubscribe", -1, subscribing, punsubscribe, "2.0.0", "Stops listening to patterns"),
    on_shards(make("ssubscribe", -2, subscribing, ssubscribe, "7.0.0", "Listens to shard channels"), -1),
    on_shards(
        make("sunsubscribe", -1, subscribing, sunsubscribe, "7.0.0", "Stops listening to shard channels"),
        -1),
    make("publish", 3, fast | like_write, publish, "2.0.0", "Sends a message to a channel"),
    on_shards(make("spublish", 3, fast | like_write, spublish, "7.0.0", "Sends a message to a shard channel"),
              0),
    {.name = "pubsub",
     .arity = -2,
     .subcommands = subcommands,
     .since = "2.8.0",
     .group = "pubsub",
     .summary = "Tells who listens to what"},
};

}  // namespace

std::span<command const> pubsub_commands() { return rows; }

}  // namespace respkit
