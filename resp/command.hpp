// Requests, encoded: an array of bulk strings, the form that every command may take.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <respkit/resp/number.hpp>

namespace respkit::resp {

inline void append_bulk(std::string& out, std::string_view word) {
    out += '$';
    append_integer(out, static_cast<std::int64_t>(word.size()));
    out += "\r\n";
    out += word;
    out += "\r\n";
}

template <class Word>
void append_command(std::string& out, std::span<Word const> words) {
    out += '*';
    append_integer(out, static_cast<std::int64_t>(words.size()));
    out += "\r\n";
    for (auto const& word : words) append_bulk(out, word);
}

inline std::string command(std::initializer_list<std::string_view> words) {
    std::string out;
    append_command(out, std::span(words.begin(), words.size()));
    return out;
}

template <class Word>
std::string command(std::span<Word const> words) {
    std::string out;
    append_command(out, words);
    return out;
}

}  // namespace respkit::resp
