// How commands read times to live.
#pragma once

#include <cstdint>
#include <optional>

#include <respkit/server/command.hpp>

namespace respkit {

enum class expire_unit { seconds, milliseconds };

// words[i] of a command that sets a value and its time to live together (SET, GETEX, SETEX): a positive time,
// relative to now or absolute. The result is in Unix milliseconds; nothing if a complaint has been written.
std::optional<std::int64_t> read_expiry(call& c, std::size_t i, expire_unit unit, bool absolute);

}  // namespace respkit
