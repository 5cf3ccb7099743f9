// Where a server is and how one logs in to it, as a plain value; and connecting to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>

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
    using std::runtime_error::runtime_error;
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

// The first address of the endpoint. Throws connect_error.
address resolve(endpoint const& e);

// A new non-blocking stream socket for that address, TCP_NODELAY set, not yet connected. Throws
// connect_error.
descriptor open_socket(address const& a);

// A connected, non-blocking socket. `e` is named in the connect_error.
descriptor connect_to(endpoint const& e, address const& a, std::chrono::milliseconds timeout);

}  // namespace respkit
