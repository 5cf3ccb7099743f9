// Every error text that a client can be told, gathered from the server's sources: string literals that begin
// with a code word, with what is joined to them by "+".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace respkit::differential {

struct error_text {
    std::vector<std::string> pieces;  // its fixed parts; anything may stand between them
    bool open = false;                // and behind the last one
    std::string file;
    int line = 0;

    bool matches(std::string_view reply) const;  // without the leading '-'
    std::string print() const;                   // "ERR unknown command '..."
};

// One source's texts.
std::vector<error_text> error_texts_in(std::string_view source, std::string const& file);

// Those of every *.hpp and *.cpp below `folder`, each once. Throws std::runtime_error.
std::vector<error_text> error_texts(std::string const& folder);

}  // namespace respkit::differential
