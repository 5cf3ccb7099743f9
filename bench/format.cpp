#include <cstdlib>

#include <fmt/format.h>

#include <respkit/bench/format.hpp>

namespace respkit::bench {
namespace {

std::string group(std::string digits, std::size_t end) {
    while (end > 3) digits.insert(end -= 3, ",");
    return digits;
}

}  // namespace

std::string grouped(std::uint64_t n) {
    auto digits = std::to_string(n);
    auto const end = digits.size();
    return group(std::move(digits), end);
}

std::string grouped(double n, int decimals) {
    auto digits = fmt::format("{:.{}f}", n, decimals);
    auto const end = std::min(digits.find('.'), digits.size());
    return group(std::move(digits), end);
}

std::string milliseconds(double ns, int decimals) { return fmt::format("{:.{}f}", ns / 1e6, decimals); }

bool locale_is_utf8() {
    for (char const* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        char const* const value = std::getenv(name);
        if (!value || !*value) continue;
        std::string_view const locale = value;
        for (std::string_view const spelling : {"UTF-8", "utf-8", "UTF8", "utf8"})
            if (locale.find(spelling) != std::string_view::npos) return true;
        return false;
    }
    return false;
}

std::string to_ascii(std::string_view text) {
    struct pair {
        std::string_view sign, ascii;
    };
    static constexpr pair pairs[] = {{" · ", ", "}, {"×", "x"}, {"÷", "/"}, {"µ", "u"}, {"…", "..."}};
    std::string out(text);
    for (auto const& p : pairs)
        for (auto at = out.find(p.sign); at != std::string::npos; at = out.find(p.sign, at + p.ascii.size()))
            out.replace(at, p.sign.size(), p.ascii);
    return out;
}

}  // namespace respkit::bench
