#include <utility>

#include <respkit/server/acl_log.hpp>

namespace respkit {

void acl_log::add(entry e, std::size_t most) {
    constexpr std::int64_t minute = 60000;
    int looked_at = 0;
    for (auto old = entries_.begin(); old != entries_.end() && looked_at < 10; ++old, ++looked_at) {
        auto const age = e.at - old->at;
        if (old->why != e.why || old->where != e.where || old->object != e.object || old->user != e.user ||
            age > minute || age < -minute)
            continue;
        e.count = old->count + 1;
        entries_.erase(old);
        break;
    }
    entries_.push_front(std::move(e));
    while (entries_.size() > most) entries_.pop_back();
}

}  // namespace respkit
