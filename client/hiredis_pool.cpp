#include <algorithm>

#include <respkit/client/client.hpp>
#include <respkit/client/hiredis_pool.hpp>

namespace respkit {

hiredis_pool::hiredis_pool(endpoint e, pool_options o) : endpoint_(std::move(e)), options_(o) {
    if (!o.size) throw std::invalid_argument("a pool needs room for one connection at least");
    if (!o.eager) return;
    for (std::size_t i = 0; i < o.size; ++i) idle_.push_back(open());
    stats_.open = stats_.opened = o.size;
}

std::unique_ptr<hiredis_client> hiredis_pool::open() const {
    return std::make_unique<hiredis_client>(endpoint_, options_.timeout);
}

bool hiredis_pool::answers(hiredis_client& c) const {
    try {
        return !c.call({"PING"}).is_error();
    } catch (connection_lost const&) {
        return false;
    }
}

hiredis_pool::lease hiredis_pool::borrow() {
    std::unique_ptr<hiredis_client> found;
    {
        std::unique_lock lock(mutex_);
        auto const mine = [&](waiter const* me) {
            bool const available = !idle_.empty() || stats_.open < options_.size;
            return available && (options_.wake_all || line_.empty() || line_.front() == me);
        };
        if (!mine(nullptr)) {
            auto const since = std::chrono::steady_clock::now();
            waiter me;
            line_.push_back(&me);
            bool const came = me.wait_for(lock, options_.patience, [&] { return mine(&me); });
            line_.remove(&me);
            stats_.waiting += std::chrono::steady_clock::now() - since;
            ++stats_.waited;
            if (!came) {
                ++stats_.exhausted;
                call_next();
                throw pool_exhausted("the pool is dry: its " + std::to_string(options_.size) +
                                     " connections to " + endpoint_.name() + " were lent for " +
                                     std::to_string(options_.patience.count()) +
                                     " ms; make it larger, or give them back sooner");
            }
        }
        if (idle_.empty()) {
            ++stats_.open;
        } else {
            found = std::move(idle_.back());
            idle_.pop_back();
        }
        ++stats_.borrowed;
        stats_.most_lent = std::max(stats_.most_lent, ++stats_.lent);
        call_next();  // there may be one more
    }
    // Connecting and testing take their time: others borrow and return meanwhile.
    try {
        bool const dead = found && options_.test_on_borrow && !answers(*found);
        if (!found || dead) {
            if (found) found.reset();
            found = open();
            std::lock_guard const lock(mutex_);
            ++stats_.opened;
            stats_.dropped += dead;
        }
    } catch (...) {
        take_back(nullptr);
        std::lock_guard const lock(mutex_);
        --stats_.borrowed;
        throw;
    }
    return {*this, std::move(found)};
}

void hiredis_pool::take_back(std::unique_ptr<hiredis_client> c) {
    std::lock_guard const lock(mutex_);
    --stats_.lent;
    if (c && c->ended() == hiredis_client::end::none) {
        idle_.push_back(std::move(c));
    } else {
        --stats_.open;
        ++stats_.dropped;
    }
    call_next();
}

void hiredis_pool::call_next() {
    for (auto* w : line_) {
        w->notify_one();
        if (!options_.wake_all) return;
    }
}

hiredis_pool::statistics hiredis_pool::stats() const {
    std::lock_guard const lock(mutex_);
    return stats_;
}

}  // namespace respkit
