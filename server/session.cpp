#include <utility>

#include <respkit/server/instance.hpp>

namespace respkit {

session::session(std::uint64_t number, peer who, resp::limits l, std::function<void()> wake_up)
    : id(number), end(std::move(who)), reader(l), wake(std::move(wake_up)) {}
session::~session() = default;

std::string& session::output() {
    if (replies) return *replies;
    home->wake(*this);
    return outbox;
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
    if (who.outbox.size() <= options.subscriber_output_limit) return;
    std::string().swap(who.outbox);
    who.closing = session::ending::at_once;
}

void instance::release(session& who) {
    waiting.leave(who);
    watched.unwatch(who);
    channels.leave(who);
    observe_keys();
}

}  // namespace respkit
