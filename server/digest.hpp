// The two digests that Redis names things by: a script by SHA-1, a password by SHA-256.
#pragma once

#include <string>
#include <string_view>

namespace respkit {

// In lower-case hexadecimal digits: 40, 64.
std::string sha1(std::string_view bytes);
std::string sha256(std::string_view bytes);

}  // namespace respkit
