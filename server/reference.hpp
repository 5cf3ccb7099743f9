// The supported commands as a page of documentation.
#pragma once

#include <string>

namespace respkit {

// Markdown, drawn from the command rows: docs/commands.md is this text, and a test compares them.
std::string commands_page();

// The same in short, with what Redis 7.0.15 has and this server does not: a part of README.md, likewise.
std::string commands_table();

}  // namespace respkit
