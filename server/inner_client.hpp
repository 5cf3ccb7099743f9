// The embedding program as a client of its own server: without a socket, trusted, RESP3.
#pragma once

#include <string>
#include <string_view>

#include <respkit/resp/value.hpp>
#include <respkit/server/engine.hpp>

namespace respkit {

// Its session begins with the first request and anew behind its end (QUIT, CLIENT KILL); SELECT lasts until
// then.
class inner_client {
public:
    explicit inner_client(engine& core) : core_(core) {}

    // Throws std::logic_error if the request is to wait, is not whole, or has no reply.
    resp::value run(std::string_view request);
    void leave() { session_.reset(); }

private:
    engine& core_;
    engine::session_handle session_;
    std::string replies_;
};

}  // namespace respkit
