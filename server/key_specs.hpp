// Which words of a call are keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <respkit/server/command.hpp>

namespace respkit {

struct found_key {
    std::size_t at;       // the word
    std::uint16_t flags;  // key_flag::
};

// Whether calls of the command name keys at all.
bool has_keys(command const& row);

// The keys of a call as its row's specifications have them; nothing if the words do not fit those. Arity need
// not have been checked.
std::optional<std::vector<found_key>> keys_of(command const& row, std::span<std::string_view const> words);

}  // namespace respkit
