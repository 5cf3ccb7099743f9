// CLIENT's subcommands that have a file of their own.
#pragma once

#include <respkit/server/command.hpp>

namespace respkit {

void client_tracking(call& c);
void client_trackinginfo(call& c);
void client_caching(call& c);
void client_getredir(call& c);

}  // namespace respkit
