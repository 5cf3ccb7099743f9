// One client's socket: read, run, write.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/descriptor.hpp>
#include <respkit/server/engine.hpp>
#include <respkit/server/poller.hpp>

namespace respkit {

// What the connections of one loop share: one thread, so one buffer each way serves them all.
struct loop_buffers {
    std::vector<char> in = std::vector<char>(std::size_t{64} << 10);
    std::string out;
};

// Reading goes on while a write is pending: clients may send a whole pipeline before they read the first
// reply, and a server that waited for its own write would wait for ever. What the socket does not take at
// once belongs to the connection and goes out when it can; the output limit ends a client that never reads.
class connection final : private poller::client {
public:
    // Runs when the connection is over, as its last act: may destroy it.
    using gone_handler = std::function<void()>;

    // Takes over the descriptor: a connected, non-blocking stream socket. The rest outlives the connection.
    connection(int descriptor, peer who, engine& core, poller& watch, loop_buffers& shared);
    ~connection();

    void start(gone_handler gone);

private:
    void on_ready(std::uint32_t events) override;
    void read();
    void woken();
    void run_rest();
    std::size_t run(std::string_view in);
    void send();
    void keep_unsent(std::string_view rest);
    void send_unsent();
    void watch_for();
    void drain();
    void reset();

    descriptor socket_;
    engine& core_;
    engine::session_handle session_;
    poller& poller_;
    loop_buffers& shared_;
    gone_handler gone_;
    std::string partial_;             // the beginning of a request that is not here whole
    std::deque<std::string> unsent_;  // replies the socket did not take
    std::size_t unsent_offset_ = 0;   // how much of the first of them is sent
    std::size_t unsent_bytes_ = 0;
    std::uint32_t watched_ = 0;  // what the poller looks for
    bool draining_ = false;      // reads no more, ends once everything is sent
    bool over_ = false;
};

}  // namespace respkit
