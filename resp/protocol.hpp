// The vocabulary of the wire: types, protocol versions, limits and faults. Shared by every reader and writer.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

namespace respkit::resp {

enum class version : unsigned char { v2 = 2, v3 = 3 };

// What a reply element is. The enumerator is its first byte on the wire.
enum class type : char {
    simple = '+',
    error = '-',
    integer = ':',
    bulk = '$',
    array = '*',
    null = '_',
    boolean = '#',
    real = ',',
    big_number = '(',
    bulk_error = '!',
    verbatim = '=',
    map = '%',
    set = '~',
    push = '>',
    attribute = '|',
    chunk = ';',  // a part of a streamed string
    end = '.',    // closes a streamed aggregate
};

// How many elements one unit of an aggregate's count stands for: 0 scalar, 1 a list, 2 pairs.
constexpr std::size_t width(type t) {
    switch (t) {
        case type::array:
        case type::set:
        case type::push:
            return 1;
        case type::map:
        case type::attribute:
            return 2;
        default:
            return 0;
    }
}

constexpr bool is_aggregate(type t) { return width(t) != 0; }
constexpr bool is_error(type t) { return t == type::error || t == type::bulk_error; }

// Every bound a reader checks, at the place where the number is read. The defaults are those of Redis 7.0
// (networking.c: PROTO_INLINE_MAX_SIZE, INT_MAX elements, proto-max-bulk-len); nothing is ever reserved
// from a count that a peer sent. `line` should be 16 or more: short lengths are read before it is looked at.
struct limits {
    std::size_t line = std::size_t{64} << 10;             // bytes of an inline request or of a header line
    std::size_t items = std::numeric_limits<int>::max();  // elements of one aggregate
    std::size_t bulk = std::size_t{512} << 20;            // bytes of one bulk string
    std::size_t depth = 1024;                             // aggregates open at once in a reply
    std::size_t unauthenticated_items = 10;               // the same for a peer that has yet to say AUTH
    std::size_t unauthenticated_bulk = 16384;
};

// Why bytes are not RESP.
enum class fault {
    none,
    // requests, worded as Redis words them
    invalid_multibulk_length,
    invalid_bulk_length,
    expected_dollar,
    unbalanced_quotes,
    inline_too_big,
    multibulk_header_too_big,
    bulk_header_too_big,
    unauthenticated_multibulk_length,
    unauthenticated_bulk_length,
    // replies
    unknown_type,
    bad_line,
    bad_integer,
    bad_length,
    bad_null,
    bad_boolean,
    bad_double,
    bad_big_number,
    bad_verbatim,
    bad_terminator,
    misplaced,
    too_long,
    too_deep,
};

// A short English name of the fault, for people and logs. (What Redis answers a bad request is
// request_reader::complaint().)
std::string_view describe(fault f);

}  // namespace respkit::resp
