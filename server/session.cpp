#include <utility>

#include <respkit/server/instance.hpp>
#include <respkit/server/stalls.hpp>

namespace respkit {

session::session(std::uint64_t number, peer who, resp::limits l, std::function<void()> wake_up)
    : id(number), end(std::move(who)), reader(l), wake(std::move(wake_up)) {}
session::~session() = default;

std::string& session::output() {
    if (replies) return *replies;
    home->wake(*this);
    return outbox;
}

void session::request_done() {
    if (rests()) return;
    silences = static_cast<std::uint8_t>((silences & off) | (silences & skip_next ? skip : 0));
    bool const about_client = last_command && last_command->container == "client";
    if (tracks && !multi && !about_client) tracks->caching = false;
}

void instance::wake(session& who) {
    if (std::exchange(who.awake, true)) return;
    awake.push_back(&who);
}

void instance::wake_all() {
    for (auto* who : std::exchange(awake, {})) {
        who->awake = false;
        if (who->wake) who->wake();
    }
}

void instance::limit_output(session& who) {
    if (!leaves_too_much(who, who.outbox.size())) return;
    std::string().swap(who.outbox);
    who.closing = session::ending::at_once;
}

bool instance::leaves_too_much(session& who, std::size_t bytes) {
    auto const& limit = who.subscriber() ? limits.pubsub : limits.normal;
    if (limit.hard && bytes > limit.hard) return true;
    if (bytes > options.output_limit) return true;
    if (!limit.soft || bytes <= limit.soft) {
        who.above_soft_limit_since.reset();
        return false;
    }
    if (!who.above_soft_limit_since) who.above_soft_limit_since = shared.now;
    return shared.now - *who.above_soft_limit_since > limit.seconds * 1000;
}

void instance::release(session& who) {
    waiting.leave(who);
    watched.unwatch(who);
    channels.leave(who);
    caches.stop(who);
    monitors.leave(who);
    paused.leave(who);
    held_up.leave(who);
    expected.forget(who.vigil);
    rules.end_of(who.id);
    observe_keys();
    observe_commands();
    observe_requests();
}

void instance::end(session& who) {
    release(who);
    sessions.erase(who.id);
    who.closing = session::ending::at_once;
    wake(who);
}

}  // namespace respkit
