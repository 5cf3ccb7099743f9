// Running a command beside a server.
#pragma once

#include <signal.h>
#include <string>
#include <vector>

#include <respkit/server/mock.hpp>

namespace respkit {

// What run_beside() waits for and forwards (SIGCHLD apart). The caller blocks them before any thread starts.
inline constexpr int watched_signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};

// Starts the command with REDIS_URL, REDIS_HOST, REDIS_PORT, RESPKIT_HOST and RESPKIT_PORT set and {port}
// replaced in its words, forwards watched_signals, and returns its exit code, 128 + n after signal n. Throws
// std::system_error if it cannot be started.
int run_beside(mock const& server, std::vector<std::string> words);

}  // namespace respkit
