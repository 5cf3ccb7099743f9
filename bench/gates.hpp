// Where the threads of a run meet.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace respkit::bench {

// Opened by the main thread, one gate after the other, once all workers wait in front of it.
class gates {
public:
    explicit gates(std::size_t workers) : workers_(workers) {}

    // A worker arrives and waits; false: it shall go home.
    bool pass() {
        std::unique_lock lock(mutex_);
        auto const mine = opened_;
        ++waiting_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return opened_ != mine || closed_; });
        return !closed_;
    }
    // For the main thread: have all arrived? Waits a moment for it.
    bool all_here() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return waiting_ == workers_; });
    }
    void open() {
        std::lock_guard const lock(mutex_);
        waiting_ = 0;
        ++opened_;
        changed_.notify_all();
    }
    void close() {
        std::lock_guard const lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t const workers_;
    std::size_t waiting_ = 0;
    unsigned opened_ = 0;
    bool closed_ = false;
};

}  // namespace respkit::bench
