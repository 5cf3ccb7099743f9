#include <algorithm>
#include <cstdint>
#include <ostream>
#include <span>

#include <respkit/server/check.hpp>

namespace respkit {
namespace {

using lines = std::span<std::string const>;

// A line of the comparison: its mark and the text.
struct entry {
    char mark;
    std::string const* text;
};

void take_all(std::vector<entry>& out, char mark, lines from) {
    for (auto const& line : from) out.push_back({mark, &line});
}

// By the longest sequence of lines that both have.
void align(std::vector<entry>& out, lines a, lines b) {
    constexpr std::size_t most_pairs = std::size_t{4}
                                       << 20;  // beyond which the table is not worth its memory
    if (a.empty() || b.empty() || a.size() > most_pairs / b.size()) {
        take_all(out, '-', a);
        take_all(out, '+', b);
        return;
    }
    // common[i][j]: how many lines a from i on and b from j on have in common.
    std::size_t const width = b.size() + 1;
    std::vector<std::uint32_t> common((a.size() + 1) * width);
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            common[i * width + j] = a[i] == b[j]
                                        ? common[(i + 1) * width + j + 1] + 1
                                        : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (a[i] == b[j]) {
            out.push_back({' ', &a[i]});
            ++i, ++j;
        } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            out.push_back({'-', &a[i++]});
        } else {
            out.push_back({'+', &b[j++]});
        }
    }
    take_all(out, '-', a.subspan(i));
    take_all(out, '+', b.subspan(j));
}

std::vector<entry> differences(lines a, lines b) {
    std::vector<entry> out;
    auto const same_front =
        static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    take_all(out, ' ', a.first(same_front));
    a = a.subspan(same_front);
    b = b.subspan(same_front);
    auto const same_back = static_cast<std::size_t>(
        std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
    align(out, a.first(a.size() - same_back), b.first(b.size() - same_back));
    take_all(out, ' ', a.last(same_back));
    return out;
}

// Lines of no difference that are shown beside one that is.
constexpr std::size_t context = 3;

}  // namespace

check compare_lines(std::string headline, std::vector<std::string> const& expected,
                    std::vector<std::string> const& found) {
    if (expected == found) return {};
    auto message = std::move(headline);
    auto const all = differences(expected, found);
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i;
        while (end < all.size() && all[end].mark == ' ') ++end;
        std::size_t const before = i == 0 ? 0 : context, after = end == all.size() ? 0 : context;
        if (end - i > before + after + 1) {
            for (auto const last = i + before; i < last; ++i) message += "\n  " + *all[i].text;
            message += "\n  (" + std::to_string(end - after - i) + " more that are the same)";
            i = end - after;
        }
        for (; i < end; ++i) message += "\n  " + *all[i].text;
        for (; i < all.size() && all[i].mark != ' '; ++i)
            ((message += '\n') += all[i].mark) += ' ' + *all[i].text;
    }
    return check::failed(std::move(message));
}

std::ostream& operator<<(std::ostream& to, check const& c) {
    return to << (c ? std::string("as expected") : c.message());
}

}  // namespace respkit
