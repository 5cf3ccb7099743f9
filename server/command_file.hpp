// Data from a file of commands: one a line, in words and quotes as redis-cli takes them; empty lines and
// lines that begin with # are passed over.
#pragma once

#include <string>

#include <respkit/server/engine.hpp>

namespace respkit {

// Runs them as one client of its own, from database 0 on, before anybody else's. Ends at the first line that
// is answered with an error: throws std::runtime_error that names the file, the line and the reply; what
// stood before it has been run. Throws std::system_error if the file cannot be read.
void run_commands(engine& core, std::string const& path);

}  // namespace respkit
