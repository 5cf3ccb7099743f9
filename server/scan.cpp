#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <string>

#include <respkit/server/glob.hpp>
#include <respkit/server/scan.hpp>

namespace respkit {

bool scan_options::matches(std::string_view name) const { return !pattern || glob_match(*pattern, name); }

// Redis asks strtoul: a sign is fine, nothing at all is 0, and what follows a NUL is not looked at.
std::optional<std::uint64_t> scan_cursor(call& c, std::size_t i) {
    std::string const text(c[i]);
    char* end = nullptr;
    errno = 0;
    auto const cursor = std::strtoul(text.c_str(), &end, 10);
    if (std::isspace(static_cast<unsigned char>(text.c_str()[0])) || *end != '\0' || errno == ERANGE) {
        c.reply.error(errors::invalid_cursor);
        return {};
    }
    return cursor;
}

std::optional<scan_options> parse_scan_options(call& c, std::size_t i, bool typed) {
    scan_options found;
    for (; i < c.size(); i += 2) {
        bool const has_value = i + 1 < c.size();
        if (has_value && is_word(c[i], "count")) {
            auto const n = c.integer(i + 1);
            if (!n) return {};
            if (*n < 1) {
                c.reply.error(errors::syntax);
                return {};
            }
            found.count = static_cast<std::size_t>(*n);
        } else if (has_value && is_word(c[i], "match")) {
            if (c[i + 1] == "*")
                found.pattern.reset();
            else
                found.pattern = c[i + 1];
        } else if (has_value && typed && is_word(c[i], "type")) {
            found.type = c[i + 1];
        } else {
            c.reply.error(errors::syntax);
            return {};
        }
    }
    return found;
}

}  // namespace respkit
