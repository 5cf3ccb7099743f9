// respkit-server in a process of its own, for runs that tell the server's memory.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace respkit::bench {

// Listens on a port of its own when the constructor returns; the destructor ends it, and so does the end of
// this process, whatever its cause.
class child_server {
public:
    // Runs the respkit-server that stands beside this program. Throws std::runtime_error with one line if
    // there is none, or if it does not start.
    explicit child_server(std::uint64_t seed);
    ~child_server();
    child_server(child_server const&) = delete;
    child_server& operator=(child_server const&) = delete;

    std::uint16_t port() const { return port_; }
    pid_t process() const { return process_; }

private:
    void end();

    pid_t process_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace respkit::bench
