// Running a command beside a server.
#pragma once

#include <string>
#include <vector>

#include <respkit/server/mock.hpp>

namespace respkit {

// Starts the command with REDIS_URL, REDIS_HOST, REDIS_PORT, RESPKIT_HOST and RESPKIT_PORT set and {port}
// replaced in its words, forwards SIGINT, SIGTERM and SIGHUP (which the caller has blocked, with SIGCHLD),
// and returns its exit code, 128 + n after signal n. Throws std::system_error if it cannot be started.
int run_beside(mock const& server, std::vector<std::string> words);

}  // namespace respkit
