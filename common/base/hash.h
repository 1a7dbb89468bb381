// SHA-256 by OpenSSL, as 64 hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace burnish {

std::string Sha256Hex(std::string_view bytes);

}  // namespace burnish
