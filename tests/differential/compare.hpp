// Are two replies equal, as far as Redis promises anything about them?
#pragma once

#include <string_view>
#include <vector>

#include "generator.hpp"
#include <respkit/resp/value.hpp>

namespace respkit::differential {

bool same(request const& of, std::string_view a, std::string_view b);
bool same(request const& of, resp::value const& a, resp::value const& b);

// Which word of a SCAN, SSCAN … is the cursor.
std::size_t cursor_word(request const& of);

// EXEC's replies: each element is compared as the request it answers.
bool same(std::vector<request const*> const& queued, std::string_view a, std::string_view b);

// Which of them differs first; null if it is the reply as a whole.
request const* culprit(std::vector<request const*> const& queued, std::string_view a, std::string_view b);

// What arrived unasked: equal in order, but for one message that several patterns of one client match.
bool same_stream(std::string_view a, std::string_view b);

// Pushes that came with the reply: UNSUBSCRIBE without words leaves its channels in whatever order.
bool same_pushes(request const& of, std::string_view a, std::string_view b);

}  // namespace respkit::differential
