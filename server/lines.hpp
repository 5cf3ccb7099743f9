// Files of words: rules and dialogues.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace respkit {

// A line that cannot be understood: which word is wrong (counted from 0) and why.
class word_error : public std::invalid_argument {
public:
    word_error(std::size_t word, std::string const& why) : std::invalid_argument(why), at(word) {}
    std::size_t at;
};

// Calls f(line number, words) for every line. Words are quoted as in inline commands; empty lines and lines
// that begin with # are left out. Throws std::invalid_argument, "NAME:LINE:COLUMN: why", for what cannot be
// read, or what f finds wrong with a word_error.
void for_each_line(std::string_view text, std::string_view name,
                   std::function<void(std::size_t, std::span<std::string_view const>)> const& f);

}  // namespace respkit
