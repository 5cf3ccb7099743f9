// A small blocking client for set-up work: filling keys, asking INFO, logging in. The load itself is driven
// by load_client.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <respkit/client/endpoint.hpp>
#include <respkit/resp/reply.hpp>
#include <respkit/resp/value.hpp>

namespace respkit {

// The connection is of no use any more: closed, silent for too long, or not speaking RESP. One line.
class connection_lost : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class client {
public:
    static constexpr std::chrono::milliseconds default_timeout{10000};

    // Connects, logs in (AUTH), switches protocol (HELLO 3) and database (SELECT), and waits for the answer
    // to a PING. Throws connect_error if any of it is refused.
    explicit client(endpoint const& e, resp::version v = resp::version::v2,
                    std::chrono::milliseconds timeout = default_timeout);
    // The same with addresses looked up before.
    client(endpoint const& e, std::span<address const> at, resp::version v,
           std::chrono::milliseconds timeout);

    // Without a socket: what is sent goes to that function, which returns what comes back.
    explicit client(std::function<std::string(std::string_view)> exchange)
        : name_("the engine"), exchange_(std::move(exchange)) {}

    // The one of the endpoint's addresses that answered.
    address const& where() const { return link_.where; }
    void set_timeout(std::chrono::milliseconds t) { timeout_ = t; }

    // One command, one reply; error replies are values, too.
    resp::value call(std::initializer_list<std::string_view> words);
    resp::value call(std::span<std::string const> words);

    // Pipelining by hand: what is sent here, replies for which are received later, must fit the sockets'
    // buffers. Both throw connection_lost.
    void send(std::string_view bytes);
    resp::value receive();

    // Gives the connected, non-blocking socket away. No reply may be outstanding.
    descriptor release() { return std::move(link_.socket); }

private:
    void log_in(endpoint const& e, resp::version v);
    void wait(short events);

    std::string name_;
    std::chrono::milliseconds timeout_ = default_timeout;
    std::function<std::string(std::string_view)> exchange_;
    connection link_;
    resp::reply_reader reader_;
    std::string in_;
    std::size_t used_ = 0;  // bytes of in_ already read
};

// What has to be sent on a new connection before anything else, and how many replies that will bring.
struct greeting {
    std::string bytes;
    std::size_t replies = 0;
};
greeting greet(endpoint const& e, resp::version v);

}  // namespace respkit
