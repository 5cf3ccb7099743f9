// The error texts that several families of commands use, as Redis 7.0.15 words them; a command's own stand at
// the head of its file. The first word is the code that clients match on: a change is a change of protocol.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace respkit {

// What Redis shows of a client's word in an error, printing it with C's %.128s: a NUL or the 128th byte ends
// it.
inline std::string_view printable(std::string_view word, std::size_t most = 128) {
    return word.substr(0, std::min(word.find('\0'), most));
}

}  // namespace respkit

namespace respkit::errors {

inline constexpr std::string_view wrong_type =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view syntax = "ERR syntax error";
inline constexpr std::string_view not_integer = "ERR value is not an integer or out of range";
inline constexpr std::string_view not_float = "ERR value is not a valid float";
inline constexpr std::string_view not_positive = "ERR value is out of range, must be positive";
inline constexpr std::string_view no_such_key = "ERR no such key";
inline constexpr std::string_view index_out_of_range = "ERR index out of range";
inline constexpr std::string_view offset_out_of_range = "ERR offset is out of range";
inline constexpr std::string_view string_too_long =
    "ERR string exceeds maximum allowed size (proto-max-bulk-len)";
inline constexpr std::string_view overflow = "ERR increment or decrement would overflow";
inline constexpr std::string_view decrement_overflow = "ERR decrement would overflow";
inline constexpr std::string_view not_finite = "ERR increment would produce NaN or Infinity";
inline constexpr std::string_view invalid_cursor = "ERR invalid cursor";
inline constexpr std::string_view db_out_of_range = "ERR DB index is out of range";
inline constexpr std::string_view bad_client_name =
    "ERR Client names cannot contain spaces, newlines or special characters.";
inline constexpr std::string_view no_auth = "NOAUTH Authentication required.";
inline constexpr std::string_view wrong_password =
    "WRONGPASS invalid username-password pair or user is disabled.";
inline constexpr std::string_view out_of_memory = "OOM the server is out of memory";  // ours: Redis would end
inline constexpr std::string_view max_clients = "ERR max number of clients reached";

// `command` in lower case, a subcommand as "client|setname".
inline std::string wrong_arity(std::string_view command) {
    return "ERR wrong number of arguments for '" + std::string(command) + "' command";
}
// Of a subcommand that counts its words itself; `container` in capitals.
inline std::string wrong_subcommand(std::string_view container, std::string_view word) {
    return "ERR unknown subcommand or wrong number of arguments for '" + std::string(printable(word)) +
           "'. Try " + std::string(container) + " HELP.";
}
inline std::string invalid_expire(std::string_view command) {
    return "ERR invalid expire time in '" + std::string(command) + "' command";
}

}  // namespace respkit::errors
