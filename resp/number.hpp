// Decimal numbers as RESP and Redis write and read them.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace respkit::resp {

// The one spelling that Redis accepts for an integer (util.c: string2ll): an optional '-', then digits
// without a leading zero; no '+', no blanks, no "-0", nothing outside int64.
inline std::optional<std::int64_t> parse_integer(std::string_view text) {
    if (text.size() == 1 && text[0] >= '0' && text[0] <= '9') return text[0] - '0';
    if (text.empty() || text.size() > 20) return {};
    char const lead = text[0] == '-' && text.size() > 1 ? text[1] : text[0];
    if (lead < '1' || lead > '9') return {};
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

// The usual spelling of a length: one to nine digits from `digits` on, not zero, then CR and one more byte,
// complete in the buffer; read without a search. `length` is 0 for everything else, which then takes the
// caller's long way.
struct short_length {
    std::size_t length = 0;
    std::size_t next = 0;  // behind the CR and the byte after it
};

inline short_length read_short_length(std::string_view in, std::size_t digits) {
    std::size_t value = 0;
    std::size_t const stop = in.size() < digits + 10 ? in.size() : digits + 10;
    for (std::size_t i = digits; i < stop; ++i) {
        unsigned const digit = static_cast<unsigned char>(in[i]) - unsigned{'0'};
        if (digit > 9) {
            if (in[i] != '\r' || i + 1 >= in.size()) return {};
            return {value, i + 2};
        }
        value = value * 10 + digit;
        if (value == 0) return {};
    }
    return {};
}

// Enough room for any int64 and its sign.
inline constexpr std::size_t integer_digits = 20;

// Writes `value` at `to`, which has integer_digits bytes; returns one past the last digit.
inline char* write_integer(char* to, std::int64_t value) {
    return std::to_chars(to, to + integer_digits, value).ptr;
}

inline void append_integer(std::string& out, std::int64_t value) {
    char digits[integer_digits];
    out.append(digits, write_integer(digits, value));
}

}  // namespace respkit::resp
