// Commands that wait until a key holds something to take: BLPOP and its kin.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <respkit/server/command.hpp>

namespace respkit {

// words[i], a number of seconds, as the time at which a client gives up: Unix milliseconds, 0 for never.
// Nothing if a complaint has been written.
std::optional<std::int64_t> read_timeout(call& c, std::size_t i);

// words[i], a number of milliseconds, as the time at which it is over, 0 if that cannot be counted. Nothing
// if a complaint has been written.
std::optional<std::int64_t> read_milliseconds(call& c, std::size_t i);

// Answers from the first of `keys` that has something, and makes the client wait where none has: until one
// of them does, or `until`. Whoever came first is served first. Inside MULTI nobody waits.
//
// serve(c, key) answers and returns true if there is something to take under the key, or reason to complain;
// otherwise it does nothing and returns false. It is called again, with the same words and in the same
// database, whenever one of the keys has become a value of kind `k`. Its call's words are the client's own.
using serve_function = bool (*)(call& c, std::string_view key);
void take_or_wait(call& c, std::span<std::string_view const> keys, kind k, std::int64_t until,
                  serve_function serve);

}  // namespace respkit
