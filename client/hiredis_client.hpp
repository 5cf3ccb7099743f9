// hiredis' blocking connection behind our own types: the reference client of tests and, later, suites.
// hiredis 0.14 knows RESP2 only.
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

    // One command, one reply; error replies are values. Throws std::runtime_error when hiredis gives up on
    // the connection, after which the client is of no use.
    resp::value call(std::span<std::string_view const> words);
    resp::value call(std::initializer_list<std::string_view> words) {
        return call(std::span(words.begin(), words.size()));
    }

    // Pipelining: append any number of commands, then take one reply for each, in order.
    void append(std::span<std::string_view const> words);
    resp::value receive();

private:
    struct free_context {
        void operator()(redisContext* c) const;
    };
    std::unique_ptr<redisContext, free_context> link_;
};

}  // namespace respkit
