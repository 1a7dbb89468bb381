// Whether bytes are text.
#pragma once

#include <cstddef>
#include <string_view>

namespace burnish::spec {

// Length of the longest prefix that is valid UTF-8 without control characters (tab, line feed and
// carriage return are none).
size_t TextPrefix(std::string_view bytes);
// Characters in valid UTF-8.
size_t CountCharacters(std::string_view text);
// At most `max_bytes` of valid UTF-8, cut between characters.
std::string_view CutText(std::string_view text, size_t max_bytes);

}  // namespace burnish::spec
