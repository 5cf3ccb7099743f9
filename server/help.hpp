// HELP, the subcommand that every container has.
#pragma once

#include <respkit/server/command.hpp>

namespace respkit {

// Lists the subcommands of the container that c.row belongs to, with their summaries.
void container_help(call& c);

}  // namespace respkit
