#include "common/base/random.h"

#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "absl/strings/escaping.h"
#include "common/base/check.h"

namespace burnish {
namespace {

uint64_t SplitMix(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

uint64_t HashPurpose(std::string_view purpose) {  // FNV-1a
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

RandomStream::RandomStream(uint64_t seed, std::string_view purpose, uint64_t index) {
  uint64_t mixed = seed;
  mixed = SplitMix(mixed) ^ HashPurpose(purpose);
  mixed = SplitMix(mixed) ^ index;
  for (uint64_t& word : state_) word = SplitMix(mixed);
}

uint64_t RandomStream::NextUint64() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t RandomStream::UniformBelow(uint64_t bound) {
  CHECK(bound > 0);
  const uint64_t threshold = -bound % bound;
  while (true) {
    const auto product = static_cast<unsigned __int128>(NextUint64()) * bound;
    if (static_cast<uint64_t>(product) >= threshold) return static_cast<uint64_t>(product >> 64);
  }
}

double RandomStream::UniformReal() { return static_cast<double>(NextUint64() >> 11) * 0x1.0p-53; }

double RandomStream::Normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - UniformReal()));
  return radius * std::cos(2.0 * std::numbers::pi * UniformReal());
}

uint64_t RandomSeed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

std::string RandomHexId() {
  std::random_device device;
  char text[33];
  std::snprintf(text, sizeof(text), "%08x%08x%08x%08x", device(), device(), device(), device());
  return text;
}

std::string RandomSecret() {
  std::array<char, 32> bytes;
  CHECK(::getentropy(bytes.data(), bytes.size()) == 0);
  return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}

}  // namespace burnish
