#include <respkit/server/session.hpp>
#include <respkit/server/stalls.hpp>

namespace respkit {

void stalls::enter(session& who, stall s) {
    who.stalled = std::make_unique<stall>(std::move(s));
    by_time_.emplace(who.stalled->until_us, &who);
}

void stalls::again(session& who, std::int64_t until_us) {
    by_time_.erase({who.stalled->until_us, &who});
    who.stalled->until_us = until_us;
    by_time_.emplace(until_us, &who);
}

void stalls::leave(session& who) {
    if (!who.stalled) return;
    by_time_.erase({who.stalled->until_us, &who});
    who.stalled.reset();
}

session* stalls::take_due(std::int64_t now_us) {
    if (by_time_.empty() || by_time_.begin()->first > now_us) return nullptr;
    auto* who = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    return who;
}

}  // namespace respkit
