#include <string>
#include <vector>

#include <respkit/server/help.hpp>
#include <respkit/server/instance.hpp>

namespace respkit {
namespace {

std::string upper(std::string_view name) {
    std::string out(name);
    for (auto& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

}  // namespace

void container_help(call& c) {
    auto const* container = c.server.commands.find(c.row.container);
    std::vector<std::string> lines{upper(container->name) +
                                   " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"};
    for (auto const& row : container->subcommands) {
        if (row.since_7_2 && c.server.options.emulate != emulation::redis_7_2) continue;
        lines.push_back(upper(row.name));
        lines.push_back("    " + std::string(row.summary) + ".");
    }
    c.reply.array(lines.size());
    for (auto const& line : lines) c.reply.simple(line);
}

}  // namespace respkit
