// One client, as the commands see it.
#pragma once

#include <cstdint>
#include <string>

#include <respkit/resp/request.hpp>
#include <respkit/server/engine.hpp>

namespace respkit {

class instance;
struct command;

class session {
public:
    session(std::uint64_t number, peer who, resp::limits l) : id(number), end(std::move(who)), reader(l) {}

    instance* home = nullptr;  // the server it belongs to, which outlives it
    std::uint64_t const id;
    peer const end;
    resp::request_reader reader;
    resp::version protocol = resp::version::v2;
    int db = 0;
    bool authenticated = true;
    std::string name;          // CLIENT SETNAME
    std::string library_name;  // CLIENT SETINFO
    std::string library_version;

    // What happens to the connection once the current command's reply is in the buffer.
    enum class ending { none, after_reply, at_once } closing = ending::none;

    // For CLIENT LIST.
    std::int64_t since = 0;  // Unix milliseconds
    std::int64_t last_active = 0;
    command const* last_command = nullptr;
    std::size_t input_bytes = 0;  // of the batch that is running
};

}  // namespace respkit
