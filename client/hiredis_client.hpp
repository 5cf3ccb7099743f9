// hiredis' blocking connection behind our own types: the reference client of tests, and what the bench's
// driver and pool `hiredis` are made of. hiredis 0.14 knows RESP2 only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <respkit/client/endpoint.hpp>
#include <respkit/resp/value.hpp>

struct redisContext;

namespace respkit {

class hiredis_client {
public:
    // Connects and, where the endpoint asks for it, sends AUTH and SELECT. Throws connect_error.
    explicit hiredis_client(endpoint const& e, std::chrono::milliseconds timeout = std::chrono::seconds(5));
    // A connected, blocking socket that hiredis will own, such as mock::connect_fd() gives.
    explicit hiredis_client(descriptor connected);

    // One command, one reply; error replies are values. Throws connection_lost when hiredis gives up on the
    // connection, after which the client is of no use.
    resp::value call(std::span<std::string_view const> words);
    resp::value call(std::initializer_list<std::string_view> words) {
        return call(std::span(words.begin(), words.size()));
    }

    // Pipelining: append any number of commands, then take one reply for each, in order.
    void append(std::span<std::string_view const> words);
    resp::value receive();

    // For load: bytes of whole commands as they are; all that has been appended is sent now, not by the next
    // receive(); and a reply that is looked at instead of copied.
    void append_encoded(std::string_view commands);
    void flush();
    struct glance {
        resp::type type = resp::type::null;
        bool null = false;
        std::string_view text;  // of a simple string, bulk or error; lives until the next reply
        std::size_t items = 0;  // of an array
        bool read = false;      // bytes had to come from the socket first: the time is another one
    };
    glance look();

    // What has ended the connection, if anything has.
    enum class end { none, timeout, protocol, disconnect };
    end ended() const { return ended_; }
    // The end of this connection will leave no time-wait behind on our side.
    void reset_at_end();

private:
    [[noreturn]] void fail();

    struct free_context {
        void operator()(redisContext* c) const;
    };
    struct free_reply {
        void operator()(void* r) const;
    };
    std::string name_;
    std::unique_ptr<redisContext, free_context> link_;
    std::unique_ptr<void, free_reply> reply_;  // the one that was looked at
    std::chrono::milliseconds timeout_{0};     // 0: as long as it takes
    end ended_ = end::none;
};

}  // namespace respkit
