// The command line of respkit-server: its own flags, redis-server's multi-word options and config file.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <respkit/server/mock.hpp>

namespace respkit {

struct server_options {
    mock_options mock;
    std::string port_file;
    std::string log_file;
    std::string pid_file;
    bool daemonize = false;
    bool strict = false;  // commands that were asked for and are not here are a failure
    bool quiet = false;
    bool help = false;
    bool version = false;
    bool commands = false;
    bool commands_table = false;
    std::string script;                 // a dialogue's file, followed instead of serving
    std::vector<std::string> command;   // behind "--": run it beside the server
    std::vector<std::string> warnings;  // what was asked for and will not be
};

// Reads the config file that the words name, too, and standard input if they say so. Throws
// std::invalid_argument with one line that names cause and mend.
server_options parse_server_options(std::span<char const* const> words, std::istream& standard_input);
server_options parse_server_options(std::span<char const* const> words);

std::string server_help();

// The whole file; throws std::invalid_argument that begins with who asked for it ("--rules").
std::string read_file(std::string const& path, std::string_view asked_by);

}  // namespace respkit
