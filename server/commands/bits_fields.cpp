// BITFIELD: integers of any width at any bit of a string.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <respkit/server/bits.hpp>
#include <respkit/server/command.hpp>

namespace respkit {
namespace {

constexpr std::string_view invalid_type =
    "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.";
constexpr std::string_view invalid_overflow = "ERR Invalid OVERFLOW type specified";
constexpr std::string_view only_get = "ERR BITFIELD_RO only supports the GET subcommand";

__extension__ using wide = __int128;  // holds every sum of two fields

// "i8", "u63": what a field holds.
struct field_type {
    bool is_signed = false;
    unsigned width = 0;

    wide least() const { return is_signed ? -(wide{1} << (width - 1)) : 0; }
    wide most() const { return (wide{1} << (is_signed ? width - 1 : width)) - 1; }
    // The low bits of any number, read as such a field.
    std::int64_t read(std::uint64_t bits) const {
        auto const unused = 64 - width;
        bits <<= unused;
        return is_signed ? static_cast<std::int64_t>(bits) >> unused
                         : static_cast<std::int64_t>(bits >> unused);
    }
};

enum class overflow { wrap, saturate, fail };

struct operation {
    enum { get, set, increment } verb = get;
    field_type type = {};
    std::uint64_t offset = 0;
    std::int64_t value = 0;
    overflow when_too_large = overflow::wrap;

    std::uint64_t last_bit() const { return offset + type.width - 1; }
};

std::optional<field_type> parse_type(call& c, std::size_t i) {
    auto const text = c[i].substr(0, c[i].find('\0'));  // a C string to Redis
    if (!text.empty() && (text[0] == 'i' || text[0] == 'u')) {
        bool const is_signed = text[0] == 'i';
        auto const width = resp::parse_integer(text.substr(1));
        if (width && *width >= 1 && *width <= (is_signed ? 64 : 63))
            return field_type{is_signed, static_cast<unsigned>(*width)};
    }
    c.reply.error(invalid_type);
    return {};
}

std::optional<overflow> parse_overflow(call& c, std::size_t i) {
    if (is_word(c[i], "wrap")) return overflow::wrap;
    if (is_word(c[i], "sat")) return overflow::saturate;
    if (is_word(c[i], "fail")) return overflow::fail;
    c.reply.error(invalid_overflow);
    return {};
}

// All subcommands, or nothing after the first mistake, which goes to the client.
std::optional<std::vector<operation>> parse_operations(call& c) {
    std::vector<operation> all;
    operation next;
    for (std::size_t i = 2; i < c.size();) {
        auto const left = c.size() - i;
        if (left > 1 && is_word(c[i], "overflow")) {
            auto const wanted = parse_overflow(c, i + 1);
            if (!wanted) return {};
            next.when_too_large = *wanted;
            i += 2;
            continue;
        }
        if (left > 2 && is_word(c[i], "get")) {
            next.verb = operation::get;
        } else if (left > 3 && is_word(c[i], "set")) {
            next.verb = operation::set;
        } else if (left > 3 && is_word(c[i], "incrby")) {
            next.verb = operation::increment;
        } else {
            c.reply.error(errors::syntax);
            return {};
        }
        auto const type = parse_type(c, i + 1);
        if (!type) return {};
        next.type = *type;
        auto const offset = bit_offset(c, i + 2, type->width);
        if (!offset) return {};
        next.offset = *offset;
        i += 3;
        if (next.verb != operation::get) {
            auto const value = c.integer(i++);
            if (!value) return {};
            next.value = *value;
        }
        all.push_back(next);
    }
    return all;
}

std::int64_t get_field(operation const& o, std::string_view bytes) {
    return o.type.read(read_bits(bytes, o.offset, o.type.width));
}

// What the field holds after a SET or INCRBY, or nothing if that overflows and must fail.
std::optional<std::int64_t> new_value(operation const& o, std::int64_t old) {
    wide exact = o.value;
    if (o.verb == operation::increment)
        exact += old;
    else if (!o.type.is_signed)
        exact = static_cast<std::uint64_t>(o.value);
    if (exact >= o.type.least() && exact <= o.type.most()) return static_cast<std::int64_t>(exact);
    if (o.when_too_large == overflow::fail) return {};
    if (o.when_too_large == overflow::wrap) return o.type.read(static_cast<std::uint64_t>(exact));
    // Redis tells by a difference of 64 bits which end is near, so the farthest values land at the wrong one.
    bool const far_below =
        o.verb == operation::set && exact < o.type.most() - std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(exact < o.type.least() && !far_below ? o.type.least() : o.type.most());
}

void reply_fields(call& c, std::vector<operation> const& operations) {
    auto const s = c.db.read<record>(c[1]);
    if (s.wrong_type) return c.reply.error(errors::wrong_type);
    c.reply.array(operations.size());
    for (auto const& o : operations) c.reply.integer(s ? get_field(o, s->text()) : 0);
}

void run_operations(call& c, std::vector<operation> const& operations) {
    std::uint64_t last_written = 0;
    for (auto const& o : operations)
        if (o.verb != operation::get) last_written = std::max(last_written, o.last_bit());
    auto const string = string_with_bit(c, last_written);
    if (!string.held) return;

    c.reply.array(operations.size());
    std::uint64_t changes = 0;
    for (auto const& o : operations) {
        auto const old = get_field(o, string.held->text());
        if (o.verb == operation::get) {
            c.reply.integer(old);
        } else if (auto const fresh = new_value(o, old)) {
            write_bits(string.held->text_bytes(), o.offset, o.type.width, static_cast<std::uint64_t>(*fresh));
            changes += string.grown || *fresh != old;
            c.reply.integer(o.verb == operation::set ? old : *fresh);
        } else {
            c.reply.null();
        }
    }
    if (changes) c.changed(c[1], event::string, "setbit", changes);
}

bool only_reads(std::vector<operation> const& operations) {
    return std::all_of(operations.begin(), operations.end(),
                       [](operation const& o) { return o.verb == operation::get; });
}

// BITFIELD key [GET type offset | [OVERFLOW WRAP | SAT | FAIL] SET | INCRBY type offset value] ...
void bitfield(call& c) {
    auto const operations = parse_operations(c);
    if (!operations) return;
    only_reads(*operations) ? reply_fields(c, *operations) : run_operations(c, *operations);
}

// BITFIELD_RO key [GET type offset ...]
void bitfield_ro(call& c) {
    auto const operations = parse_operations(c);
    if (!operations) return;
    only_reads(*operations) ? reply_fields(c, *operations) : c.reply.error(only_get);
}

using namespace flag;

constexpr key_spec bitfield_key{
    .flags = key_flag::rw | key_flag::access | key_flag::update | key_flag::variable_flags,
    .note = "This command allows both access and modification of the key"};

constexpr command make(std::string_view name, std::uint32_t flags, key_spec key, void (*run)(call&),
                       std::string_view since, std::string_view summary) {
    return {.name = name,
            .arity = -2,
            .flags = flags,
            .categories = category::bitmap,
            .keys = {key},
            .run = run,
            .since = since,
            .group = "bitmap",
            .summary = summary};
}

constexpr command rows[] = {
    make("bitfield", write | denyoom, bitfield_key, bitfield, "3.2.0",
         "Reads, sets and adds to integers of any width within a string"),
    make("bitfield_ro", readonly | fast, key::reads, bitfield_ro, "6.0.0",
         "Reads integers of any width within a string"),
};

}  // namespace

std::span<command const> bitfield_commands() { return rows; }

}  // namespace respkit
