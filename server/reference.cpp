#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <respkit/server/command_table.hpp>
#include <respkit/server/reference.hpp>

namespace respkit {
namespace {

std::string upper(std::string text) {
    for (auto& c : text)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
        else if (c == '|')
            c = ' ';
    return text;
}

void add_row(std::string& page, command const& row) {
    page += "| " + upper(full_name(row)) + " | " + std::string(row.since) + " | " + std::string(row.summary);
    page += row.since_7_2 ? " (`--emulate 7.2`) |\n" : " |\n";
}

}  // namespace

std::string commands_page() {
    command_table const table(emulation::redis_7_2);
    std::map<std::string_view, std::vector<command const*>> groups;
    for (auto const* row : table.all()) groups[row->group].push_back(row);

    std::string page =
        "# Commands\n\nEvery command of this page answers byte for byte as Redis 7.0.15 does, in RESP2 and "
        "RESP3, "
        "errors\nincluded. What people read (HELP, the summaries of COMMAND DOCS, parts of INFO) is in our "
        "own words; what is "
        "random\nin Redis is random here. Anything else is answered as Redis answers a command that it does "
        "not know.\n\n"
        "<!-- written by: respkit-server --commands -->\n";
    for (auto& [group, rows] : groups) {
        std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->name < b->name; });
        page += "\n## " + std::string(group) + "\n\n| command | since | |\n| --- | --- | --- |\n";
        for (auto const* row : rows) {
            if (row->run) add_row(page, *row);
            for (auto const& sub : row->subcommands) add_row(page, sub);
        }
    }
    return page;
}

}  // namespace respkit
