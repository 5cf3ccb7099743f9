#include <respkit/resp/request.hpp>
#include <respkit/server/lines.hpp>

namespace respkit {
namespace {

constexpr std::size_t longest_line = 60000;  // below what a request may have

// Where in a line its nth word begins; at the line's end if it has not so many.
std::size_t column_of(std::string_view line, std::size_t n) {
    std::size_t i = 0;
    for (;; --n) {
        while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
        if (n == 0 || i == line.size()) return i;
        char quote = 0;
        for (; i < line.size() && (quote || (line[i] != ' ' && line[i] != '\t')); ++i) {
            if (quote && line[i] == '\\')
                ++i;
            else if (quote == line[i])
                quote = 0;
            else if (!quote && (line[i] == '"' || line[i] == '\''))
                quote = line[i];
        }
    }
}

}  // namespace

void for_each_line(std::string_view text, std::string_view name,
                   std::function<void(std::size_t, std::span<std::string_view const>)> const& f) {
    std::size_t number = 0;
    while (!text.empty()) {
        auto const end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        auto const fail = [&](std::size_t column, std::string const& why) {
            throw std::invalid_argument(std::string(name) + ':' + std::to_string(number) + ':' +
                                        std::to_string(column + 1) + ": " + why);
        };
        std::size_t const begin = line.find_first_not_of(" \t");
        if (begin == line.npos || line[begin] == '#') continue;
        if (auto const nul = line.find('\0'); nul != line.npos) fail(nul, "a NUL byte: write \"\\x00\"");
        // A blank in front keeps a line that begins with * from being an array's header.
        if (line.size() > longest_line) fail(longest_line, "the line is too long");
        std::string const request = ' ' + std::string(line) + '\n';
        resp::request_reader reader;
        if (reader.next(request).what != resp::request_reader::status::ready)
            fail(line.size(), "a quote is not closed, or text follows a closing quote");
        try {
            f(number, reader.words());
        } catch (word_error const& bad) {
            fail(column_of(line, bad.at), bad.what());
        }
    }
}

}  // namespace respkit
