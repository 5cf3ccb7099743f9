// Where a server is and how one logs in to it, as a plain value; and connecting to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

#include <respkit/client/descriptor.hpp>

namespace respkit {

struct endpoint {
    std::string host = "127.0.0.1";
    std::uint16_t port = 6379;
    std::string unix_path;  // not empty: this socket instead of host and port
    std::string user;       // empty: AUTH names no user
    std::string password;   // empty: no AUTH
    std::uint32_t db = 0;

    // "127.0.0.1:6379", "[::1]:6379" or "unix:/path"; never the password.
    std::string name() const;
};

// Cannot reach the server, or it will not have us. what() is one line that names cause and mend.
class connect_error : public std::runtime_error {
public:
    explicit connect_error(std::string const& what, int code = 0) : std::runtime_error(what), code_(code) {}

    // The system's error; 0 if it was none of the system's.
    int code() const { return code_; }

private:
    int code_;
};

// redis://[[user]:password@]host[:port][/db] or unix://[[user]:password@]/path[?db=n]; percent escapes are
// undone. Throws std::invalid_argument with one readable line.
endpoint parse_uri(std::string_view uri);

// An endpoint whose name has been looked up.
struct address {
    sockaddr_storage bytes{};
    socklen_t size = 0;
    sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&bytes); }
};

// The endpoint's addresses, at least one, the best first. Throws connect_error.
std::vector<address> resolve(endpoint const& e);

// A new non-blocking stream socket for that address, TCP_NODELAY set, not yet connected. Throws
// connect_error.
descriptor open_socket(address const& a);

// A connected, non-blocking socket at the first of these addresses that takes us: a server on 127.0.0.1 is
// not at localhost's other address, ::1. `e` is named in the connect_error, which tells of the last address.
struct connection {
    descriptor socket;
    address where;
};
connection connect_to(endpoint const& e, std::span<address const> at, std::chrono::milliseconds timeout);

}  // namespace respkit
