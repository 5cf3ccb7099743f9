// How much a client may leave unread before it is dropped: client-output-buffer-limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace respkit {

// In bytes, 0: none. Beyond `hard` at once, beyond `soft` after so many seconds without a break.
struct output_limit {
    std::uint64_t hard = 0;
    std::uint64_t soft = 0;
    std::int64_t seconds = 0;
};

struct output_limits {
    output_limit normal, replica, pubsub;

    // Changes what `text` names: "class hard soft seconds", repeated. The complaint of CONFIG SET if it is
    // wrong, and then nothing has changed.
    std::optional<std::string> read(std::string_view text);
    std::string text() const;  // as CONFIG GET has it
};

}  // namespace respkit
