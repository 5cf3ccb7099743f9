#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <respkit/resp/command.hpp>
#include <respkit/resp/request.hpp>
#include <respkit/resp/text.hpp>
#include <respkit/server/command_file.hpp>
#include <respkit/server/inner_client.hpp>

namespace respkit {
namespace {

std::string contents_of(std::string const& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad() || errno)
        throw std::system_error(errno ? errno : EIO, std::generic_category(), "cannot read " + path);
    return text;
}

// The first error in a reply: EXEC's stand among its elements.
resp::value const* error_in(resp::value const& reply) {
    if (reply.is_error()) return &reply;
    for (auto const& item : reply.items)
        if (auto const* found = error_in(item)) return found;
    return nullptr;
}

// Runs one line; returns what is wrong with it, or "".
std::string run_line(inner_client& client, std::string_view line) {
    resp::request_reader reader;
    auto const ended = std::string(line) + "\n";
    switch (reader.next(ended).what) {
        case resp::request_reader::status::need_more:
            return "not a command in words, as redis-cli takes them";
        case resp::request_reader::status::invalid:
            return reader.complaint();
        case resp::request_reader::status::ready:
            break;
    }
    try {
        auto const reply = client.run(resp::command(reader.words()));
        auto const* error = error_in(reply);
        return error ? resp::print(*error) : "";
    } catch (std::logic_error const&) {
        return "a command that waits, or has no reply, cannot be loaded";
    }
}

}  // namespace

void run_commands(engine& core, std::string const& path) {
    auto const text = contents_of(path);
    inner_client client(core);
    std::string_view rest = text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\r")));
        if (line.empty() || line[0] == '#') continue;
        if (line.back() == '\r') line.remove_suffix(1);
        if (auto const complaint = run_line(client, line); !complaint.empty())
            throw std::runtime_error(path + ':' + std::to_string(number) + ": " +
                                     std::string(line.substr(0, 60)) + (line.size() > 60 ? "…" : "") + ": " +
                                     complaint);
    }
}

}  // namespace respkit
