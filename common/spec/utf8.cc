#include "common/spec/utf8.h"

#include <cstdint>

namespace burnish::spec {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the character at the front of `bytes`; 0 if there is none or it may not stand in text.
size_t CharacterLength(std::string_view bytes) {
  const unsigned char lead = static_cast<unsigned char>(bytes.front());
  if (lead < 0x80) {
    return (lead >= 0x20 && lead != 0x7F) || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  }
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return 0;
  uint32_t code = lead & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(bytes[i])) return 0;
    code = code << 6 | (static_cast<unsigned char>(bytes[i]) & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool control = code < 0xA0;  // C1
  return code >= kSmallest[length] && code <= 0x10FFFF && !surrogate && !control ? length : 0;
}

}  // namespace

size_t TextPrefix(std::string_view bytes) {
  size_t position = 0;
  while (position < bytes.size()) {
    const size_t length = CharacterLength(bytes.substr(position));
    if (length == 0) break;
    position += length;
  }
  return position;
}

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += IsContinuation(c) ? 0 : 1;
  return count;
}

std::string_view CutText(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && IsContinuation(text[max_bytes])) --max_bytes;
  return text.substr(0, max_bytes);
}

}  // namespace burnish::spec
