// Text from outside (compilers, device drivers, crashed programs) made fit for protobuf's strings
// and for databases, which take nothing but UTF-8. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace burnish {

// The text with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string Utf8Text(std::string_view text);

}  // namespace burnish
