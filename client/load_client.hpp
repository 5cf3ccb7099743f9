// The load driver's connections: many of them on one thread.
//
// They stand in an epoll set of their own, edge-triggered, so that nothing is polled twice; bytes go by one
// recv() and one send() per batch. Why not Asio, measured with Boost 1.81, 50 connections, pipeline 16: one
// Asio operation per connection costs a system call more per wake-up (a recv() that finds nothing for
// async_read_some(), an epoll_ctl() for async_wait()), about 8 % of all the client's time; and handing the
// whole set to Asio as one descriptor charges every arriving packet, hence the server, with a second wake-up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <respkit/client/descriptor.hpp>
#include <respkit/client/endpoint.hpp>

namespace respkit {

class load_client;

// All connections of one thread.
class load_group {
public:
    load_group();
    load_group(load_group const&) = delete;
    load_group& operator=(load_group const&) = delete;

    // Waits until a connection is ready or the time is over; then lets every ready connection do its work.
    void wait(std::chrono::milliseconds at_most);

private:
    friend class load_client;

    // Returns 0 or an error.
    int watch(int fd, load_client* who);

    descriptor epoll_;
    std::unique_ptr<char[]> buffer_;  // what a connection receives into while it holds nothing
};

class load_client {
public:
    // Who is told what happens; called from load_group::wait().
    class events {
    public:
        // All bytes received and not yet used, the newest at the end. Returns how many are used up; the
        // rest comes again with more behind it.
        virtual std::size_t on_bytes(std::string_view in) = 0;
        // The connection is at an end: closed by the peer (error 0) or broken. It may be opened again.
        virtual void on_closed(int error) = 0;
        // After connect(): bytes may be sent.
        virtual void on_connected() {}

    protected:
        ~events() = default;
    };

    // Group and owner must outlive the client.
    load_client(load_group& group, events& owner) : group_(group), owner_(owner) {}
    load_client(load_client const&) = delete;
    load_client& operator=(load_client const&) = delete;

    // Takes over a connected, non-blocking socket and begins to read.
    void open(descriptor connected);
    // Opens a connection of its own; on_connected() or on_closed() follows, the latter perhaps at once.
    void connect(address const& to);
    // The server's backlog was full, and the socket (a unix one) cannot be waited for: connect() again soon.
    bool put_off() const { return connecting_ && !fd_; }
    bool is_connected() const { return fd_ && !connecting_; }
    // Sends all of it, now or as soon as the socket takes it. `bytes` are copied only if they have to wait.
    // Not while connecting.
    void send(std::string_view bytes);
    // Ends the connection without a word to the owner. `reset`: without TCP's time-wait on our side.
    void close(bool reset = false);

private:
    friend class load_group;

    void ready(std::uint32_t what);
    bool receive();
    void keep(std::string_view rest);
    void flush();
    void fail(int error);

    load_group& group_;
    events& owner_;
    descriptor fd_;
    bool connecting_ = false;
    std::unique_ptr<char[]> held_;  // received and not used
    std::size_t room_ = 0;          // size of held_
    std::size_t have_ = 0;          // bytes in held_
    std::string unsent_;            // what the socket would not take at once
    std::size_t sent_ = 0;          // bytes of unsent_ that it has taken since
};

}  // namespace respkit
