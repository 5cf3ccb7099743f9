// One of the two servers: its connections, what they send, what has come back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <respkit/client/client.hpp>
#include <respkit/resp/reply.hpp>

namespace respkit::differential {

// A connection whose replies are kept apart from each other.
class link {
public:
    explicit link(descriptor socket) : socket_(std::move(socket)) {}

    struct message {
        std::string_view bytes;
        bool push = false;
    };

    void send(std::string_view bytes);
    // Waits until so many replies, pushes not counted, have come since forget(). False: they do not come.
    bool receive(std::size_t replies);
    // Takes what has arrived.
    void drain();
    // Waits a moment, should the other have had more messages.
    void catch_up(link const& other);

    // Valid until the next receive(), drain() or forget().
    std::vector<message> messages() const;
    bool quiet() const { return ends_.empty() && in_.empty(); }
    void forget();

    bool closed = false;
    bool broken = false;  // what came is not RESP; all the rest is one message

private:
    bool wait(short events, int milliseconds);
    void read();

    struct end {
        std::size_t at;
        bool push;
    };
    descriptor socket_;
    resp::reply_reader reader_;
    std::string in_;
    std::vector<end> ends_;    // of the messages in in_
    std::size_t parsed_ = 0;   // bytes of in_ the reader has seen
    std::size_t replies_ = 0;  // messages that are no pushes
    bool push_ = false;        // the message under way is one
    bool inside_ = false;      // a message is under way
};

class peer {
public:
    // "HOST:PORT". Throws connect_error.
    explicit peer(std::string const& address);

    client& control() { return control_; }

    // Fresh connections to an empty server. `defaults` is sent first of all: CONFIG SET and its words, or
    // none.
    void begin(std::size_t connections, std::vector<std::string> const& defaults);
    link& operator[](std::size_t i) { return links_[i]; }
    std::size_t size() const { return links_.size(); }

    // A round trip beside the connections. Afterwards everything that was sent before has been run; after a
    // second one the replies of all connections, written between two turns of the server's loop, have left
    // it.
    void ask();
    void hear();

    // Words as they go on the wire: "{id-b}" is the number that this server gave the second connection.
    void encode(std::vector<std::string> const& words, std::string& out) const;

private:
    endpoint where_;
    client control_;
    std::vector<link> links_;
    std::vector<std::string> ids_;
};

}  // namespace respkit::differential
