// The supported commands as a page of documentation.
#pragma once

#include <string>

namespace respkit {

// Markdown, drawn from the command rows: docs/commands.md is this text, and a test compares them.
std::string commands_page();

}  // namespace respkit
