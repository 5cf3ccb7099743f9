// Bytes and replies as people write and read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <respkit/resp/value.hpp>

namespace respkit::resp {

// "a\r\n\x00" with its quotes: printable ASCII stays, the rest is escaped (\r \n \t \" \\ \xHH).
std::string quote(std::string_view bytes);

// The inverse of quote(): reads a quoted string that begins at text[at], moves `at` behind its closing
// quote. Nothing if it is not closed or an escape is malformed.
std::optional<std::string> unquote(std::string_view text, std::size_t& at);

// A reply as redis-cli's reader would know it, on one line: OK, (error) ERR x, (integer) 7, "bulk", (nil),
// [1, 2], {"k": "v"}, ~["a"], >["message", …], (double) 1.5, (true), (big) 123, (verbatim txt) "…".
std::string print(value const& v);

}  // namespace respkit::resp
