#include <respkit/resp/number.hpp>
#include <respkit/resp/text.hpp>

namespace respkit::resp {
namespace {

constexpr char hex[] = "0123456789abcdef";

void list(std::string& out, value const& v, char const* open, char close) {
    out += open;
    for (std::size_t i = 0; i < v.items.size(); ++i) {
        if (i) out += v.type == type::map && i % 2 ? ": " : ", ";
        out += print(v.items[i]);
    }
    out += close;
}

// Text for people that must stay on one line.
std::string one_line(std::string_view text) {
    std::string out;
    for (char const c : text) {
        auto const u = static_cast<unsigned char>(c);
        if (u >= 0x20 && u != 0x7f) {
            out += c;
        } else {
            auto const escaped = quote({&c, 1});
            out.append(escaped, 1, escaped.size() - 2);
        }
    }
    return out;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string quote(std::string_view bytes) {
    std::string out = "\"";
    for (char const c : bytes) {
        auto const u = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\r') {
            out += "\\r";
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (u >= 0x20 && u < 0x7f) {
            out += c;
        } else {
            out += "\\x";
            out += hex[u >> 4];
            out += hex[u & 15];
        }
    }
    return out += '"';
}

std::optional<std::string> unquote(std::string_view text, std::size_t& at) {
    if (at >= text.size() || text[at] != '"') return {};
    std::string out;
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        char c = text[i];
        if (c == '"') {
            at = i + 1;
            return out;
        }
        if (c == '\\') {
            if (++i == text.size()) return {};
            c = text[i];
            if (c == 'r') {
                c = '\r';
            } else if (c == 'n') {
                c = '\n';
            } else if (c == 't') {
                c = '\t';
            } else if (c == 'x') {
                int const high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
                int const low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
                if (high < 0 || low < 0) return {};
                c = static_cast<char>(high * 16 + low);
                i += 2;
            } else if (c != '"' && c != '\\') {
                return {};
            }
        }
        out += c;
    }
    return {};
}

std::string print(value const& v) {
    if (v.null) return "(nil)";
    std::string out;
    switch (v.type) {
        case type::simple:
            return one_line(v.text);
        case type::error:
        case type::bulk_error:
            return "(error) " + one_line(v.text);
        case type::integer:
            out = "(integer) ";
            append_integer(out, v.integer);
            return out;
        case type::boolean:
            return v.integer ? "(true)" : "(false)";
        case type::real:
            return "(double) " + v.text;
        case type::big_number:
            return "(big) " + v.text;
        case type::verbatim:
            return "(verbatim " + v.text.substr(0, 3) + ") " + quote(std::string_view(v.text).substr(4));
        case type::array:
            list(out, v, "[", ']');
            return out;
        case type::set:
            list(out, v, "~[", ']');
            return out;
        case type::push:
            list(out, v, ">[", ']');
            return out;
        case type::map:
        case type::attribute:
            list(out, v, "{", '}');
            return out;
        default:
            return quote(v.text);
    }
}

}  // namespace respkit::resp
