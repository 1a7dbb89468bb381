#include "agent/verify/poison.h"

#include <cstdint>
#include <cstring>

namespace burnish::verify {
namespace {

// Every second byte 0xFF and none below 0xF0: exponents are all ones, mantissas are not zero.
constexpr unsigned char kPattern[8] = {0xF9, 0xFF, 0xF3, 0xFF, 0xFA, 0xFF, 0xF5, 0xFF};

}  // namespace

void Poison(std::span<std::byte> bytes) {
  size_t i = 0;
  for (; i + sizeof(kPattern) <= bytes.size(); i += sizeof(kPattern)) {
    std::memcpy(bytes.data() + i, kPattern, sizeof(kPattern));
  }
  std::memcpy(bytes.data() + i, kPattern, bytes.size() - i);
}

size_t FirstUnpoisoned(std::span<const std::byte> bytes, size_t phase) {
  constexpr size_t kPeriod = sizeof(kPattern);
  size_t i = 0;
  while (i < bytes.size()) {
    const size_t place = (phase + i) % kPeriod;
    if (place == 0 && bytes.size() - i >= kPeriod &&
        std::memcmp(bytes.data() + i, kPattern, kPeriod) == 0) {
      i += kPeriod;
    } else if (bytes[i] == std::byte{kPattern[place]}) {
      ++i;
    } else {
      break;
    }
  }
  return i;
}

}  // namespace burnish::verify
