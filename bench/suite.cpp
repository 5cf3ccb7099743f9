#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <respkit/bench/environment.hpp>
#include <respkit/bench/format.hpp>
#include <respkit/bench/suite.hpp>

namespace respkit::bench {
namespace {

std::string gigabytes(std::uint64_t bytes) {
    return fmt::format("{:.1f} GB", std::max(0.1, static_cast<double>(bytes) / 1e9));
}

std::string table_row(std::vector<std::string> const& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

// Text that Markdown shall leave as it is.
std::string verbatim(std::string const& text) {
    return text.empty() ? text : "```\n" + text + (text.back() == '\n' ? "" : "\n") + "```\n\n";
}

}  // namespace

double suite::seconds() const {
    double all = 0;
    for (auto const& s : sections)
        for (auto const& l : s.lines) all += l.seconds;
    return all;
}

std::uint64_t suite::bytes() const {
    std::uint64_t most = 0;
    for (auto const& s : sections)
        for (auto const& l : s.lines) most = std::max(most, l.records);
    return most * bytes_per_record + (std::uint64_t{50} << 20);
}

suite make_suite(plan const& p) {
    if (p.suite.name == "redis") return redis_suite(p);
    if (p.suite.name == "jedis") return jedis_suite(p);
    return servicestack_suite(p);
}

std::uint64_t scaled(std::uint64_t count, double scale) {
    auto const wanted = static_cast<std::uint64_t>(std::ceil(static_cast<double>(count) * scale - 1e-9));
    return std::max(wanted, std::min<std::uint64_t>(count, 1000));
}

std::string minutes(double seconds) {
    if (seconds < 1.5) return "about a second";
    if (seconds < 90) return fmt::format("about {:.0f} seconds", seconds);
    return fmt::format("about {:.0f} minutes", seconds / 60);
}

std::string suite_head(suite const& s, plan const& p, report const& r) {
    auto out = fmt::format("suite {} · {}\n", s.name, s.about);
    if (p.suite.scale != 1)
        out += fmt::format("scaled   by {:g}: this is not the published table\n", p.suite.scale);
    out += fmt::format("needs    {}", gigabytes(s.bytes()));
    if (auto const free = free_memory()) out += fmt::format(" ({} are free)", gigabytes(*free));
    out += ", " + minutes(s.seconds());
    if (p.suite.scale == 1 && s.seconds() > 300) out += "; --scale 0.01 for a look";
    auto const& t = r.target;
    out += "\nserver   ";
    if (t.kind == "embedded")
        out += "respkit's own, inside this process, " + t.address;
    else if (t.kind == "child")
        out += "respkit-server in a process of its own, so that its RAM can be told apart";
    else
        out += (t.server.empty() ? "" : t.server + ", ") + t.address;
    auto const& e = r.environment;
    out += fmt::format("\nmachine  {} × {} · {}", e.cores, e.cpu_model.empty() ? "?" : e.cpu_model, e.kernel);
    if (e.load) out += fmt::format(" · load {:.1f}", *e.load);
    return out + "\n" + s.notes;
}

std::string suite_markdown(suite const& s, plan const& p, report const& r, std::span<finished const> all) {
    auto out = fmt::format("# respkit-bench suite {}\n\n", s.name) + verbatim(suite_head(s, p, r));
    if (r.interrupted) out += "**Partial:** the run ended before the table did.\n\n";
    for (auto const& section : s.sections) {
        std::vector<std::string> dashes(section.columns.size(), "---");
        out += "## " + section.title + "\n\n" + table_row(section.columns) + table_row(dashes);
        std::size_t first = all.size(), count = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const* line = all[i].line;
            if (line < section.lines.data() || line >= section.lines.data() + section.lines.size()) continue;
            first = std::min(first, i);
            ++count;
            out += table_row(section.cells(all[i]));
        }
        out += '\n';
        if (section.foot && count) out += verbatim(section.foot(all.subspan(first, count)));
    }
    if (s.foot && !all.empty()) out += verbatim(s.foot(all));
    return out;
}

}  // namespace respkit::bench
