// Text from outside (compilers, device drivers, crashed programs) made fit for protobuf's string
// fields, which refuse to parse anything but UTF-8. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace burnish::wire {

// The text with every byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string Utf8Text(std::string_view text);

}  // namespace burnish::wire
