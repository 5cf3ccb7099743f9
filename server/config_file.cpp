#include <cerrno>
#include <cstring>
#include <fstream>
#include <glob.h>
#include <istream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <respkit/resp/request.hpp>
#include <respkit/server/command.hpp>
#include <respkit/server/config_file.hpp>

namespace respkit {
namespace {

constexpr int deepest = 16;  // files that include files

[[noreturn]] void refuse(std::string const& where, std::string const& text) {
    throw std::invalid_argument(where.empty() ? text : where + ": " + text);
}

void read_file(std::vector<directive>& into, std::string const& path, std::string const& where, int depth);

void add(std::vector<directive>& into, directive d, int depth) {
    if (d.name != "include") return into.push_back(std::move(d));
    if (d.values.size() != 1)
        refuse(d.where, "include takes one path, got " + std::to_string(d.values.size()));
    auto const& path = d.values[0];
    if (path.find_first_of("*?[") == std::string::npos) return read_file(into, path, d.where, depth + 1);
    glob_t found{};
    if (::glob(path.c_str(), 0, nullptr, &found) == 0)
        for (std::size_t i = 0; i < found.gl_pathc; ++i)
            read_file(into, found.gl_pathv[i], d.where, depth + 1);
    ::globfree(&found);
}

void read_lines(std::vector<directive>& into, std::istream& text, std::string const& name, int depth) {
    std::size_t number = 0;
    for (std::string line; std::getline(text, line);) {
        auto d = read_directive(line, name + ':' + std::to_string(++number));
        if (!d.name.empty()) add(into, std::move(d), depth);
    }
}

void read_file(std::vector<directive>& into, std::string const& path, std::string const& where, int depth) {
    if (depth > deepest) refuse(where, "'" + path + "' includes itself, or is included too deep");
    std::ifstream file(path);
    bool const readable = file && (file.peek(), !file.bad());  // a folder opens, and cannot be read
    if (!readable) refuse(where, "cannot read config file '" + path + "': " + std::strerror(errno));
    file.clear();
    read_lines(into, file, path, depth);
}

}  // namespace

directive read_directive(std::string_view line, std::string const& where) {
    constexpr std::string_view blank = " \t\r\n";
    auto const first = line.find_first_not_of(blank);
    if (first == std::string_view::npos || line[first] == '#') return {};
    line = line.substr(first, line.find_last_not_of(blank) + 1 - first);
    // The blank in front makes an inline command of whatever it is.
    std::string const request = ' ' + std::string(line) + '\n';
    resp::request_reader reader({.line = request.size()});
    auto const read = reader.next(request);
    if (read.what != resp::request_reader::status::ready)
        refuse(where, "unbalanced quotes in '" + std::string(line) +
                          "': close them, and leave a blank behind a closing quote");
    auto const words = reader.words();
    return {lower_case(words[0]), {words.begin() + 1, words.end()}, where};
}

void add(std::vector<directive>& into, directive d) { add(into, std::move(d), 0); }

std::vector<directive> read_config(std::istream& text, std::string const& name) {
    std::vector<directive> found;
    read_lines(found, text, name, 0);
    return found;
}

std::vector<directive> read_config_file(std::string const& path) {
    std::vector<directive> found;
    read_file(found, path, "", 0);
    return found;
}

}  // namespace respkit
