// The load driver's connections: many of them on one thread.
//
// Asio owns the thread's timers; the sockets stand in an epoll set of our own, which the thread waits in
// between them (asio_group::wait). Measured with Boost 1.81, 50 connections, pipeline 16: one Asio operation
// per connection costs a system call more per wake-up (a recv() that finds nothing for async_read_some(), an
// epoll_ctl() for async_wait()), about 8 % of all the client's time; and handing the whole set to Asio as one
// descriptor charges every arriving packet, hence the server, with a second wake-up. Bytes go by one recv()
// and one send() per batch; the set is edge-triggered, so that nothing is polled twice.
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

class asio_client;

// All connections of one thread.
class asio_group {
public:
    asio_group();
    asio_group(asio_group const&) = delete;
    asio_group& operator=(asio_group const&) = delete;

    // Waits until a connection is ready or the time is over; then lets every ready connection do its work.
    void wait(std::chrono::milliseconds at_most);

private:
    friend class asio_client;

    void watch(int fd, asio_client* who);

    descriptor epoll_;
    std::unique_ptr<char[]> buffer_;  // what a connection receives into while it holds nothing
};

class asio_client {
public:
    // Who is told what happens; called from asio_group::wait().
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
    asio_client(asio_group& group, events& owner) : group_(group), owner_(owner) {}
    asio_client(asio_client const&) = delete;
    asio_client& operator=(asio_client const&) = delete;

    // Takes over a connected, non-blocking socket and begins to read.
    void open(descriptor connected);
    // Opens a connection of its own; on_connected() or on_closed() follows, the latter perhaps at once.
    void connect(address const& to);
    // Sends all of it, now or as soon as the socket takes it. `bytes` are copied only if they have to wait.
    void send(std::string_view bytes);
    // Ends the connection without a word to the owner. `reset`: without TCP's time-wait on our side.
    void close(bool reset = false);

    bool is_open() const { return bool(fd_); }

private:
    friend class asio_group;

    void ready(std::uint32_t what);
    bool receive();
    void keep(std::string_view rest);
    void flush();
    void fail(int error);

    asio_group& group_;
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
