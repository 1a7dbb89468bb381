// SHA-256 by OpenSSL, as 64 hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace burnish {

std::string Sha256Hex(std::string_view bytes);
// Whether a text can be one: 64 digits, the letters small.
bool IsSha256Hex(std::string_view text);

}  // namespace burnish
