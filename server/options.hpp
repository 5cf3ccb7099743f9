// The command line of respkit-server: its own flags, and redis-server's multi-word options.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/mock.hpp>

namespace respkit {

struct server_options {
    mock_options mock;
    std::string port_file;
    bool quiet = false;
    bool help = false;
    bool version = false;
    bool commands = false;
    bool commands_table = false;
    std::string script;                 // a dialogue's file, followed instead of serving
    std::vector<std::string> command;   // behind "--": run it beside the server
    std::vector<std::string> warnings;  // options of redis-server that mean nothing here
};

// Throws std::invalid_argument with one line that names cause and mend.
server_options parse_server_options(std::span<char const* const> words);

std::string server_help();

// The whole file; throws std::invalid_argument that begins with who asked for it ("--rules").
std::string read_file(std::string const& path, std::string_view asked_by);

}  // namespace respkit
