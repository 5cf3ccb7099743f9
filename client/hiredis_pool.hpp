// A pool of hiredis connections to one server, for threads that borrow one, use it, and give it back.
//
// It never has more than `size` connections. Who asks when all are lent waits, for `patience` at most. The
// one given back last is lent first, so that a pool which is larger than its use keeps the rest idle. A
// connection that has come to an end while it was lent is not taken back: its place is free for a new one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include <respkit/client/hiredis_client.hpp>

namespace respkit {

struct pool_options {
    std::size_t size = 8;
    bool eager = false;           // all are opened by the constructor; otherwise each when it is first needed
    bool test_on_borrow = false;  // a PING before it is lent; who does not answer is replaced
    bool wake_all = false;        // a return wakes all who wait, not one of them
    std::chrono::milliseconds patience{2000};  // of who waits for a connection
    std::chrono::milliseconds timeout{10000};  // of connecting, and of each reply
};

// All connections are lent, and none came back in time. what() is one line that names the mend.
class pool_exhausted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Any thread may call any member.
class hiredis_pool {
public:
    // Throws connect_error if it is eager and cannot connect.
    hiredis_pool(endpoint e, pool_options o);
    // All leases must have ended.
    ~hiredis_pool() = default;
    hiredis_pool(hiredis_pool const&) = delete;
    hiredis_pool& operator=(hiredis_pool const&) = delete;

    // A connection that is one's own until the lease ends. Must not outlive the pool.
    class lease {
    public:
        lease(lease&& other) noexcept
            : pool_(std::exchange(other.pool_, nullptr)), client_(std::move(other.client_)) {}
        ~lease() {
            if (pool_) pool_->take_back(std::move(client_));
        }
        hiredis_client& operator*() const { return *client_; }
        hiredis_client* operator->() const { return client_.get(); }
        // It will be closed instead of lent again: replies are outstanding, say.
        void discard() { client_.reset(); }

    private:
        friend class hiredis_pool;
        lease(hiredis_pool& pool, std::unique_ptr<hiredis_client> c) : pool_(&pool), client_(std::move(c)) {}

        hiredis_pool* pool_;
        std::unique_ptr<hiredis_client> client_;
    };

    // Throws pool_exhausted, or connect_error if a new connection is needed and cannot be had.
    lease borrow();

    struct statistics {
        std::size_t open = 0;                 // connections there are now
        std::size_t lent = 0;                 // of them, at this moment
        std::size_t most_lent = 0;            // at any moment
        std::uint64_t opened = 0;             // since the start
        std::uint64_t borrowed = 0;           // times one was lent
        std::uint64_t waited = 0;             // times somebody had to wait for one
        std::uint64_t exhausted = 0;          // times that was in vain
        std::uint64_t dropped = 0;            // connections not taken back, or that failed the test
        std::chrono::nanoseconds waiting{0};  // all waits together
    };
    statistics stats() const;

private:
    std::unique_ptr<hiredis_client> open() const;
    bool answers(hiredis_client& c) const;
    using waiter = std::condition_variable;
    void call_next();  // under the lock
    void take_back(std::unique_ptr<hiredis_client> c);

    endpoint const endpoint_;
    pool_options const options_;
    mutable std::mutex mutex_;
    std::list<waiter*> line_;  // first come, first served, unless all are woken
    std::vector<std::unique_ptr<hiredis_client>> idle_;
    statistics stats_;  // open counts those, too, that are being opened
};

}  // namespace respkit
