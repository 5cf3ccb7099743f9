#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <respkit/resp/number.hpp>
#include <respkit/server/number.hpp>

namespace respkit {

namespace {

template <class Number>
std::optional<Number> parse(std::string_view text, Number (*read)(char const*, char**)) {
    if (text.empty() || std::isspace(static_cast<unsigned char>(text[0]))) return {};
    std::string const terminated(text);
    char* end = nullptr;
    errno = 0;
    Number const value = read(terminated.c_str(), &end);
    if (end != terminated.c_str() + terminated.size() || std::isnan(value)) return {};
    // A number that is merely subnormal sets ERANGE too, and is taken.
    if (errno == ERANGE && (std::isinf(value) || value == 0)) return {};
    return value;
}

// 7.2's spelling of `count` significant digits, the decimal point standing `exponent` places behind them.
std::string lay_out(std::string digits, int exponent) {
    auto const count = static_cast<int>(digits.size());
    int const magnitude = count + exponent - 1;  // of the first digit
    int const distance = std::abs(magnitude);
    if (exponent >= 0 && distance < count + 7) return digits.append(static_cast<std::size_t>(exponent), '0');
    if (exponent < 0 && (exponent > -7 || distance < 4)) {
        int const point = count + exponent;
        if (point > 0) return digits.insert(static_cast<std::size_t>(point), 1, '.');
        return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    }
    if (count > 1) digits.insert(1, 1, '.');
    digits += magnitude < 0 ? "e-" : "e+";
    return digits + std::to_string(distance);
}

std::string shortest(double value) {
    char text[32];
    auto const end =
        std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific).ptr;
    std::string_view const number(text, static_cast<std::size_t>(end - text));
    auto const e = number.find('e');
    std::string digits(number.substr(0, 1));
    if (e > 2) digits += number.substr(2, e - 2);
    int exponent = 0;
    auto const* const sign = number.data() + e + 1;
    std::from_chars(sign + (*sign == '+'), end, exponent);
    exponent -= static_cast<int>(digits.size()) - 1;
    return (value < 0 ? "-" : "") + lay_out(std::move(digits), exponent);
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
    // Plain decimals take the fast way, which reads them to the same bit; strtod has the last word on the
    // rest.
    std::size_t const first = !text.empty() && text[0] == '-';
    if (first < text.size() && text[first] >= '0' && text[first] <= '9') {
        double value = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc{} && end == text.data() + text.size()) return value;
    }
    return parse<double>(text, [](char const* from, char** end) { return std::strtod(from, end); });
}

std::optional<long double> parse_long_double(std::string_view text) {
    if (text.size() >= std::size_t{5} * 1024) return {};  // Redis' buffer
    return parse<long double>(text, [](char const* from, char** end) { return std::strtold(from, end); });
}

std::string format_double(double value, emulation emulate) {
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    if (value == 0) return std::signbit(value) ? "-0" : "0";
    // Where that version spells an integer plainly; this costs a tenth of the ways below.
    bool const plain = emulate == emulation::redis_7_2 ? std::abs(value) <= 0x1p62 : std::abs(value) < 1e17;
    if (plain) {
        auto const whole = static_cast<std::int64_t>(value);
        if (static_cast<double>(whole) == value) {
            char digits[resp::integer_digits];
            return {digits, resp::write_integer(digits, whole)};
        }
    }
    if (emulate == emulation::redis_7_2) return shortest(value);
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 17).ptr};
}

std::string format_long_double(long double value) {
    // The largest long double has 4933 digits before the point.
    char text[5 * 1024];
    auto const* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 17).ptr;
    std::string_view number(text, static_cast<std::size_t>(end - text));
    number = number.substr(0, number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.remove_suffix(1);
    return std::string(number == "-0" ? "0" : number);
}

}  // namespace respkit
