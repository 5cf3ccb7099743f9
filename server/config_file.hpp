// redis.conf: one directive a line, its words quoted as in an inline command.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace respkit {

struct directive {
    std::string name;  // in lower case
    std::vector<std::string> values;
    std::string where;  // "redis.conf:12"; empty: on the command line
};

// The directives in their order, those of included files in the place of the include. `name` is what
// mistakes call the text. Throws std::invalid_argument, with one line that names file, line and mend.
std::vector<directive> read_config(std::istream& text, std::string const& name);
std::vector<directive> read_config_file(std::string const& path);

// Appends it; in the place of an include, what is in the file.
void add(std::vector<directive>& into, directive d);

// One line; the name is empty where the line is, or only a comment.
directive read_directive(std::string_view line, std::string const& where);

}  // namespace respkit
