// A bearer token as its holder has it: `burnish_` and 256 random bits as hexadecimal digits. The
// server keeps the SHA-256 of the whole and the first digits. Pure, but for the randomness.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace burnish::auth {

std::string NewTokenText();
bool IsTokenText(std::string_view text);
// Hashes are looked up, never compared, so that no time of an answer tells a part of one. A fast
// hash will do: nobody guesses 256 random bits.
std::string HashOfToken(std::string_view text);
// The eight digits that people may see.
std::string VisiblePrefix(std::string_view text);
// The token of an `authorization` header; nothing if it is no bearer's.
std::optional<std::string> BearerToken(std::string_view header);

}  // namespace burnish::auth
