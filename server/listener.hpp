// A listening socket and what comes of it.
#pragma once

#include <functional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <respkit/server/engine.hpp>

namespace respkit {

class listener {
public:
    // A new client: a connected non-blocking socket, now the receiver's.
    using accepted_handler = std::function<void(int descriptor, peer who)>;

    // Both listen once constructed, or throw std::system_error that names the address; accepting begins with
    // start(). Port 0 is any free one. A socket file that nobody listens on is replaced; the listener's own
    // is removed when it ends.
    listener(boost::asio::io_context& loop, std::string const& address, std::uint16_t port,
             accepted_handler f);
    listener(boost::asio::io_context& loop, std::string const& path, accepted_handler f);
    ~listener();
    listener(listener const&) = delete;

    void start() { wait(); }
    // Refuses who comes, and who has come and was not accepted yet, until resume(), which throws as the
    // constructors do. The port stays this listener's; so does the socket file, which nobody answers then.
    void stop();
    void resume();

    std::string const& address() const { return address_; }  // "127.0.0.1" or the path
    int port() const { return port_; }                       // 0 for a unix socket

private:
    void wait();
    void accept_all();
    int listen_on_path();

    boost::asio::posix::stream_descriptor socket_;
    boost::asio::steady_timer pause_;  // for want of descriptors
    bool stopped_ = false;
    accepted_handler accepted_;
    std::string address_;
    int port_ = 0;
    bool is_unix_ = false;
    std::uint64_t inode_ = 0;  // of the socket file
};

}  // namespace respkit
