// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace respkit::bench {

std::string grouped(std::uint64_t n);               // 1,234,567
std::string grouped(double n, int decimals);        // 1,234.5
std::string milliseconds(double ns, int decimals);  // 0.263
bool locale_is_utf8();                              // by LC_ALL, LC_CTYPE, LANG
std::string to_ascii(std::string_view text);        // the few signs that reports use: · × ÷ µ …

}  // namespace respkit::bench
