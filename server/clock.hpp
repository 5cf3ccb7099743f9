// The one clock of a server: real time unless a test moves it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace respkit {

// Drives expiry, blocking time-outs and TIME alike. Any thread may call anything; a running server notices
// a moved clock at its next event at the latest (respkit::mock wakes it at once).
class clock {
public:
    using microseconds = std::chrono::microseconds;
    using time_point = std::chrono::sys_time<microseconds>;

    time_point now() const {
        auto const frozen = frozen_.load(std::memory_order_relaxed);
        return time_point(
            microseconds(frozen != running ? frozen : real() + offset_.load(std::memory_order_relaxed)));
    }

    // Moves time forward (or, with a negative step, back), frozen or not.
    void advance(microseconds step) {
        std::lock_guard const one_at_a_time(changing_);
        if (frozen_.load(std::memory_order_relaxed) != running)
            frozen_.store(within(frozen_.load(std::memory_order_relaxed), step.count()),
                          std::memory_order_relaxed);
        else
            offset_.store(within(offset_.load(std::memory_order_relaxed), step.count()),
                          std::memory_order_relaxed);
    }
    void set(time_point t) {
        std::lock_guard const one_at_a_time(changing_);
        auto const at = within(0, t.time_since_epoch().count());
        if (frozen_.load(std::memory_order_relaxed) != running)
            frozen_.store(at, std::memory_order_relaxed);
        else
            offset_.store(at - real(), std::memory_order_relaxed);
    }

    bool frozen() const { return frozen_.load(std::memory_order_relaxed) != running; }

    // Stops time where it is; resume() lets it run on from there.
    void freeze() {
        std::lock_guard const one_at_a_time(changing_);
        frozen_.store(now().time_since_epoch().count(), std::memory_order_relaxed);
    }
    void resume() {
        std::lock_guard const one_at_a_time(changing_);
        auto const at = frozen_.load(std::memory_order_relaxed);
        if (at == running) return;
        offset_.store(at - real(), std::memory_order_relaxed);
        frozen_.store(running, std::memory_order_relaxed);
    }

    // Real time again.
    void reset() {
        std::lock_guard const one_at_a_time(changing_);
        offset_.store(0, std::memory_order_relaxed);
        frozen_.store(running, std::memory_order_relaxed);
    }

private:
    // Time goes no further than 100,000 years either way, so that nothing overflows.
    static std::int64_t within(std::int64_t from, std::int64_t step) {
        constexpr std::int64_t furthest = 3'155'760'000'000'000'000;
        return std::clamp(from + std::clamp(step, -furthest, furthest), -furthest, furthest);
    }
    static std::int64_t real() {
        return std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    }

    std::mutex changing_;  // now() needs none: it reads one value, or two that change together harmlessly
    static constexpr std::int64_t running = INT64_MIN;
    std::atomic<std::int64_t> offset_{0};        // microseconds ahead of real time
    std::atomic<std::int64_t> frozen_{running};  // microseconds since 1970, or running
};

}  // namespace respkit
