#include <algorithm>
#include <bit>
#include <cstring>

#include <respkit/server/bits.hpp>

namespace respkit {
namespace {

constexpr std::string_view invalid_offset = "ERR bit offset is not an integer or out of range";

// The byte that holds bit `at`, without the bits before it.
unsigned from_bit(std::uint64_t at, char byte) {
    return static_cast<unsigned char>(byte) & (0xffu >> at % 8);
}
// Those up to bit `at`.
constexpr unsigned up_to_bit(std::uint64_t at) { return 0xffu & (0xffu << (7 - at % 8)); }

std::uint64_t word_at(std::string_view bytes, std::size_t i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    return word;
}

}  // namespace

std::uint64_t count_bits(std::string_view bytes, std::uint64_t first, std::uint64_t last) {
    auto i = static_cast<std::size_t>(first / 8);
    auto const end = static_cast<std::size_t>(last / 8);  // its byte may count in part, like the first
    auto head = from_bit(first, bytes[i]);
    if (i == end) return static_cast<std::uint64_t>(std::popcount(head & up_to_bit(last)));

    auto count = static_cast<std::uint64_t>(std::popcount(head));
    for (++i; i + 8 <= end; i += 8) count += static_cast<std::uint64_t>(std::popcount(word_at(bytes, i)));
    for (; i < end; ++i)
        count += static_cast<std::uint64_t>(std::popcount(static_cast<unsigned char>(bytes[i])));
    auto const tail = static_cast<unsigned char>(bytes[end]) & up_to_bit(last);
    return count + static_cast<std::uint64_t>(std::popcount(tail));
}

std::optional<std::uint64_t> find_bit(std::string_view bytes, bool bit, std::uint64_t first,
                                      std::uint64_t last) {
    char const flip = bit ? '\0' : '\xff';  // then look for a one
    auto const end = static_cast<std::size_t>(last / 8);
    auto i = static_cast<std::size_t>(first / 8);
    auto byte = from_bit(first, static_cast<char>(bytes[i] ^ flip));
    if (!byte && i < end) {
        std::uint64_t const nothing = bit ? 0 : ~std::uint64_t{0};
        for (++i; i + 8 <= end && word_at(bytes, i) == nothing;) i += 8;
        while (i < end && bytes[i] == flip) ++i;
        byte = static_cast<unsigned char>(bytes[i] ^ flip);
    }
    auto const found =
        std::uint64_t{i} * 8 + static_cast<unsigned>(std::countl_zero(static_cast<unsigned char>(byte)));
    if (!byte || found > last) return {};
    return found;
}

std::uint64_t read_bits(std::string_view bytes, std::uint64_t offset, unsigned width) {
    std::uint64_t value = 0;
    for (auto at = offset; at < offset + width;) {
        auto const take = std::min<std::uint64_t>(8 - at % 8, offset + width - at);
        auto const i = static_cast<std::size_t>(at / 8);
        auto const byte = i < bytes.size() ? from_bit(at, bytes[i]) : 0u;
        value = value << take | byte >> (8 - at % 8 - take);
        at += take;
    }
    return value;
}

void write_bits(char* bytes, std::uint64_t offset, unsigned width, std::uint64_t value) {
    for (auto at = offset + width; at > offset;) {
        auto const end = (at - 1) % 8 + 1;  // in the byte that holds the last bit still to be written
        auto const take = std::min<std::uint64_t>(end, at - offset);
        auto& byte = bytes[(at - 1) / 8];
        auto const mask = ((1u << take) - 1) << (8 - end);
        auto const fresh = static_cast<unsigned>(value & 0xff) << (8 - end) & mask;
        byte = static_cast<char>((static_cast<unsigned char>(byte) & ~mask) | fresh);
        value >>= take;
        at -= take;
    }
}

std::optional<std::uint64_t> bit_offset(call& c, std::size_t i, unsigned width) {
    auto text = c[i];
    bool const counts_fields = width && text.starts_with('#');
    if (counts_fields) text.remove_prefix(1);
    if (auto const n = resp::parse_integer(text)) {
        // Redis lets the product wrap around.
        auto const product = static_cast<std::uint64_t>(*n) * (counts_fields ? width : 1);
        if (product <= INT64_MAX && product / 8 < c.db.shared().max_bulk) return product;
    }
    c.reply.error(invalid_offset);
    return {};
}

bit_string string_with_bit(call& c, std::uint64_t last) {
    auto const s = c.db.edit<record>(c[1]);
    if (s.wrong_type) {
        c.reply.error(errors::wrong_type);
        return {};
    }
    auto const size = static_cast<std::size_t>(last / 8 + 1);
    auto const old = s ? s->text().size() : 0;
    if (size <= old) {
        s->form(string_form::raw);  // about to be written in part
        return {s.held, false};
    }
    auto& r = c.db.resize_string(s ? *s : c.db.set_string(c[1], ""), size);
    std::memset(r.text_bytes() + old, 0, size - old);
    return {&r, true};
}

}  // namespace respkit
