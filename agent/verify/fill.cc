#include "agent/verify/fill.h"

#include <cmath>
#include <concepts>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/elements.h"
#include "common/base/random.h"

namespace burnish::verify {
namespace {

template <typename T>
T UniformElement(RandomStream& random) {
  if constexpr (std::signed_integral<T>) {
    return static_cast<T>(static_cast<int64_t>(random.UniformBelow(17)) - 8);
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<T>(random.UniformBelow(17));
  } else if constexpr (std::same_as<T, double>) {
    return 2 * random.UniformReal() - 1;
  } else {
    // A multiple of 2^-7, 2^-10 or 2^-23, so that rounding never reaches 1.
    constexpr int kBits = std::same_as<T, BFloat16> ? 8 : std::same_as<T, Half> ? 11 : 24;
    const auto units = static_cast<double>(random.NextUint64() >> (64 - kBits));
    return ElementFromDouble<T>(std::ldexp(units, 1 - kBits) - 1);
  }
}

template <typename T>
T NormalElement(RandomStream& random) {
  const double value = random.Normal();
  return ElementFromDouble<T>(std::integral<T> ? std::nearbyint(4 * value) : value);
}

// Numbers below it are exact in every element.
template <typename T>
constexpr int64_t RampPeriod() {
  if constexpr (std::same_as<T, BFloat16>) return 1 << 8;
  if constexpr (std::same_as<T, Half>) return 1 << 11;
  return sizeof(T) == 1 ? 1 << 7 : sizeof(T) == 2 ? 1 << 15 : 1 << 24;
}

}  // namespace

void FillBuffer(const spec::Argument& argument, uint64_t seed, std::span<std::byte> buffer) {
  RandomStream random(seed, absl::StrCat("input ", argument.name));
  WithElementType(argument.dtype, [&]<typename T>() {
    CHECK(buffer.size() == argument.ElementCount() * sizeof(T)) << argument.name;
    const auto store_each = [&](auto&& element_at) {
      for (int64_t i = 0; i < argument.ElementCount(); ++i) {
        const T element = element_at(i);
        std::memcpy(buffer.data() + i * sizeof(T), &element, sizeof(T));
      }
    };
    switch (argument.fill.kind) {
      case spec::FillKind::kUniform:
        return store_each([&](int64_t) { return UniformElement<T>(random); });
      case spec::FillKind::kNormal:
        return store_each([&](int64_t) { return NormalElement<T>(random); });
      case spec::FillKind::kConstant:
        return store_each([&](int64_t) { return ElementFromDouble<T>(argument.fill.value); });
      case spec::FillKind::kRamp:
        return store_each([](int64_t i) {
          return ElementFromDouble<T>(static_cast<double>(i % RampPeriod<T>()));
        });
    }
  });
}

}  // namespace burnish::verify
