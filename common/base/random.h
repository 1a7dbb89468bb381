// Random streams that give the same numbers on every platform: a stream is named by a seed and a
// purpose, so that adding a consumer never shifts the numbers of another. xoshiro256** seeded by
// SplitMix64 (Blackman and Vigna, 2018). Not thread-safe; not for secrets, which RandomSecret()
// makes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace burnish {

class RandomStream {
 public:
  RandomStream(uint64_t seed, std::string_view purpose, uint64_t index = 0);

  uint64_t NextUint64();
  // Uniform in [0, bound); bound must be positive. Unbiased (Lemire's rejection).
  uint64_t UniformBelow(uint64_t bound);
  // Uniform in [0, 1) with 53 random bits.
  double UniformReal();
  // Standard normal (Box and Muller).
  double Normal();

 private:
  std::array<uint64_t, 4> state_;
};

// A seed from the operating system, where repeatability is not wanted (backoff jitter).
uint64_t RandomSeed();

// 128 random bits from the operating system as 32 hexadecimal digits: unique ids.
std::string RandomHexId();

// 256 random bits from the operating system's generator for keys, as 64 hexadecimal digits.
std::string RandomSecret();

}  // namespace burnish
