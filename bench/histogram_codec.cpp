// HdrHistogram's V2 interchange format: a header, then the counts as ZigZag LEB128, where a negative number
// stands for a run of empty cells; that deflated, with a second header; that in base64. All integers are
// big-endian.
#include <array>
#include <bit>
#include <stdexcept>
#include <zlib.h>

#include <respkit/bench/histogram.hpp>

namespace respkit::bench {
namespace {

constexpr std::uint32_t plain_cookie = 0x1c849303 | 0x10;
constexpr std::uint32_t deflated_cookie = 0x1c849304 | 0x10;
constexpr std::size_t header_size = 40;
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

[[noreturn]] void refuse(char const* why) {
    throw std::invalid_argument(std::string("not a histogram: ") + why);
}

template <class Number>
void put(std::string& out, Number n) {
    for (std::size_t shift = sizeof n * 8; shift > 0; shift -= 8) out += static_cast<char>(n >> (shift - 8));
}

template <class Number>
Number get(std::string_view in, std::size_t at) {
    if (in.size() < at + sizeof(Number)) refuse("it is cut short");
    Number n = 0;
    for (std::size_t i = 0; i < sizeof n; ++i)
        n = static_cast<Number>((n << 8) | static_cast<unsigned char>(in[at + i]));
    return n;
}

// The ninth byte, if it comes to that, carries eight bits.
void put_signed(std::string& out, std::int64_t value) {
    auto v = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    for (int i = 0; i < 8; ++i, v >>= 7) {
        if (v < 0x80) {
            out += static_cast<char>(v);
            return;
        }
        out += static_cast<char>((v & 0x7f) | 0x80);
    }
    out += static_cast<char>(v);
}

std::int64_t get_signed(std::string_view in, std::size_t& at) {
    std::uint64_t v = 0;
    for (unsigned i = 0; i < 9; ++i) {
        auto const byte = get<std::uint8_t>(in, at++);
        v |= std::uint64_t{i < 8 ? byte & 0x7fU : byte} << (7 * i);
        if (i == 8 || !(byte & 0x80)) break;
    }
    return static_cast<std::int64_t>((v >> 1) ^ (~(v & 1) + 1));
}

std::string to_base64(std::string_view in) {
    std::string out;
    for (std::size_t i = 0; i < in.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = (group << 8) | (i + k < in.size() ? static_cast<unsigned char>(in[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k > in.size() ? '=' : alphabet[(group >> (18 - 6 * k)) & 63];
    }
    return out;
}

std::string from_base64(std::string_view in) {
    while (in.ends_with('=')) in.remove_suffix(1);
    std::string out;
    std::uint32_t group = 0;
    unsigned bits = 0;
    for (char const c : in) {
        auto const digit = alphabet.find(c);
        if (digit == std::string_view::npos) refuse("it is not base64");
        group = (group << 6) | static_cast<std::uint32_t>(digit);
        if ((bits += 6) >= 8) out += static_cast<char>(group >> (bits -= 8));
    }
    return out;
}

}  // namespace

std::string histogram::encode() const {
    std::string counts;
    std::size_t const end = empty() ? 0 : index_of(std::min(max_, highest)) + 1;
    for (std::size_t i = 0; i < end;) {
        std::size_t run = 0;
        while (i + run < end && counts_[i + run] == 0) ++run;
        put_signed(counts, run ? -static_cast<std::int64_t>(run) : static_cast<std::int64_t>(counts_[i]));
        i += run ? run : 1;
    }
    std::string plain;
    put(plain, plain_cookie);
    put(plain, static_cast<std::uint32_t>(counts.size()));
    put(plain, std::uint32_t{0});  // normalizing index offset
    put(plain, std::uint32_t{3});  // significant digits
    put(plain, std::uint64_t{1});  // lowest discernible value
    put(plain, highest);
    put(plain, std::bit_cast<std::uint64_t>(1.0));  // integer to double conversion
    plain += counts;

    std::string deflated(::compressBound(plain.size()), '\0');
    auto size = static_cast<uLongf>(deflated.size());
    ::compress(reinterpret_cast<Bytef*>(deflated.data()), &size, reinterpret_cast<Bytef const*>(plain.data()),
               plain.size());
    deflated.resize(size);
    std::string out;
    put(out, deflated_cookie);
    put(out, static_cast<std::uint32_t>(deflated.size()));
    return to_base64(out + deflated);
}

histogram histogram::decode(std::string_view base64) {
    auto const bytes = from_base64(base64);
    if (get<std::uint32_t>(bytes, 0) != deflated_cookie) refuse("its cookie is another");
    if (get<std::uint32_t>(bytes, 4) != bytes.size() - 8) refuse("its length is wrong");
    std::string plain(header_size + 9 * cells, '\0');
    auto size = static_cast<uLongf>(plain.size());
    if (::uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                     reinterpret_cast<Bytef const*>(bytes.data() + 8), bytes.size() - 8) != Z_OK)
        refuse("it does not inflate");
    plain.resize(size);
    if (get<std::uint32_t>(plain, 0) != plain_cookie) refuse("its inner cookie is another");
    if (get<std::uint32_t>(plain, 12) != 3 || get<std::uint64_t>(plain, 16) != 1 ||
        get<std::uint64_t>(plain, 24) != highest)
        refuse("its cells are laid out otherwise");
    histogram h;
    std::size_t index = 0;
    for (std::size_t at = header_size; at < plain.size();) {
        auto const n = get_signed(plain, at);
        if (n < -static_cast<std::int64_t>(cells)) refuse("it has too many cells");
        std::size_t const step = n < 0 ? static_cast<std::size_t>(-n) : 1;
        if (step > cells - index) refuse("it has too many cells");
        if (n > 0) h.add_cell(index, static_cast<std::uint64_t>(n));
        index += step;
    }
    return h;
}

}  // namespace respkit::bench
