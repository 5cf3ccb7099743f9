// Running a command beside a server.
#pragma once

#include <signal.h>
#include <string>
#include <vector>

#include <respkit/server/mock.hpp>

namespace respkit {

// What run_beside() waits for and forwards (SIGCHLD apart). The caller blocks them before any thread starts.
inline constexpr int watched_signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};

// Starts the command with REDIS_URL set, REDIS_HOST, REDIS_PORT, RESPKIT_HOST and RESPKIT_PORT too if the
// server listens on TCP, and {port} replaced in its words, forwards watched_signals, and returns its exit
// code as a shell would: 128 + n after signal n; 127 if there is no such command and 126 if it cannot be run,
// with a line on stderr. Once one of INT, TERM, QUIT and HUP has come, what the command leaves behind ends
// with it; without, it stays: somebody wanted it.
int run_beside(mock const& server, std::vector<std::string> words);

}  // namespace respkit
