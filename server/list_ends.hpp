// What the commands on lists share: their two ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <respkit/server/command.hpp>
#include <respkit/server/values/list.hpp>

namespace respkit {

enum class side { left, right };

// LEFT or RIGHT.
std::optional<side> parse_side(std::string_view word);

void push(list_value& list, side end, std::string_view value);
void report_push(call& c, std::string_view key, side end, std::size_t count);

// Takes `count` elements out of the list under `key`, which goes when it is empty.
void take(call& c, std::string_view key, list_value& list, side end, std::size_t count);
// Answers with them first, from the end inwards.
void reply_and_take(call& c, std::string_view key, list_value& list, side end, std::size_t count);

}  // namespace respkit
