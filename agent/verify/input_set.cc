#include "agent/verify/input_set.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "agent/verify/fill.h"
#include "common/base/check.h"
#include "common/base/elements.h"
#include "common/base/random.h"

namespace burnish::verify {
namespace {

// Of lists, which have no rows of their own.
constexpr int64_t kRowLength = 64;
constexpr int64_t kSignPeriod = 4;  // of four rows, the second is negative
constexpr int64_t kSteps = 31;      // a prime, so that no stride of two hides behind it
constexpr int kSmallest = 12;       // bits below one

struct Range {
  double low;
  double high;
};

template <typename T>
Range RangeOf(spec::FillKind fill) {
  const bool normal = fill == spec::FillKind::kNormal;
  if constexpr (std::unsigned_integral<T>) return {0, 16};
  if constexpr (std::integral<T>) return normal ? Range{-16, 16} : Range{-8, 8};
  if (normal) return {-4, 4};
  // Below one, as `uniform` never reaches it.
  if constexpr (std::same_as<T, BFloat16>) return {-1, 1 - 0x1p-7};
  if constexpr (std::same_as<T, Half>) return {-1, 1 - 0x1p-10};
  return {-1, 1 - 0x1p-23};
}

template <typename T>
T Load(std::span<const std::byte> buffer, int64_t index) {
  T element;
  std::memcpy(&element, buffer.data() + index * sizeof(T), sizeof(T));
  return element;
}

template <typename T>
void Store(double value, std::span<std::byte> buffer, int64_t index) {
  const T element = ElementFromDouble<T>(value);
  std::memcpy(buffer.data() + index * sizeof(T), &element, sizeof(T));
}

// Multiples of 1/32 of the range, so that short sums of their products are exact in whatever order.
// But sums in half precision, which would often lie halfway between two numbers, would all err the
// same way: there magnitudes are random.
template <typename T>
double StructuredMagnitude(const Range& range, int64_t index, RandomStream& random) {
  const auto step = static_cast<double>(index % kSteps + 1);
  if constexpr (std::integral<T>) return std::fmod(step, range.high) + 1;
  if constexpr (std::same_as<T, Half>) return (1 - random.UniformReal() * 31 / 32) * -range.low;
  return step / (kSteps + 1) * -range.low;
}

template <typename T>
void FillStructured(const spec::Argument& argument, uint64_t seed, std::span<std::byte> buffer) {
  const Range range = RangeOf<T>(argument.fill.kind);
  const int64_t length = argument.shape.size() > 1 ? argument.shape.back() : kRowLength;
  RandomStream random(seed, absl::StrCat("structured input ", argument.name));
  // So that two buffers of one shape differ.
  const auto shift = static_cast<int64_t>(random.UniformBelow(kSteps));
  for (int64_t i = 0; i < argument.ElementCount(); ++i) {
    const bool negative = i / length % kSignPeriod == 1;
    const double magnitude = StructuredMagnitude<T>(range, i + shift, random);
    const double least = std::unsigned_integral<T> ? 0 : -magnitude;
    Store<T>(negative ? least : std::min(magnitude, range.high), buffer, i);
  }
}

template <typename T>
void FillAdversarial(const spec::Argument& argument, uint64_t seed, std::span<std::byte> buffer) {
  const Range range = RangeOf<T>(argument.fill.kind);
  RandomStream random(seed, absl::StrCat("adversarial input ", argument.name));
  FillBuffer(argument, random.NextUint64(), buffer);
  double previous = 0;
  for (int64_t i = 0; i < argument.ElementCount(); ++i) {
    double value = ElementToDouble(Load<T>(buffer, i));
    switch (random.UniformBelow(10)) {
      case 0:
        value = 0;
        break;
      case 1:  // the upper end more often, for the mean's sake
        value = random.UniformBelow(4) == 0 ? range.low : range.high;
        break;
      case 2:
        value = std::unsigned_integral<T> ? range.high - previous : -previous;
        break;
      case 3:
        value = previous;
        break;
      case 4:
      case 5: {
        const double magnitude = (1 + std::min(std::abs(value), range.high) / range.high) / 2;
        const auto halvings = static_cast<int>(random.UniformBelow(kSmallest));
        value = std::integral<T> ? std::copysign(std::min(1.0, range.high), value)
                                 : std::copysign(std::ldexp(magnitude, -halvings), value);
        break;
      }
      default:
        break;
    }
    if constexpr (!std::integral<T>) {
      if (std::abs(value) < std::ldexp(1, -kSmallest)) value = 0;
    }
    previous = std::min(value, range.high);
    Store<T>(previous, buffer, i);
  }
}

}  // namespace

std::string_view InputSetName(InputSet set) {
  switch (set) {
    case InputSet::kAsFilled:
      return "as_filled";
    case InputSet::kStructured:
      return "structured";
    case InputSet::kAdversarial:
      break;
  }
  return "adversarial";
}

bool VariesBySet(const spec::Argument& argument) {
  return argument.fill.kind == spec::FillKind::kUniform ||
         argument.fill.kind == spec::FillKind::kNormal;
}

void FillBuffer(const spec::Argument& argument, InputSet set, uint64_t seed,
                std::span<std::byte> buffer) {
  if (set == InputSet::kAsFilled || !VariesBySet(argument)) {
    return FillBuffer(argument, seed, buffer);
  }
  WithElementType(argument.dtype, [&]<typename T>() {
    CHECK(buffer.size() == argument.ElementCount() * sizeof(T)) << argument.name;
    if (set == InputSet::kStructured) {
      FillStructured<T>(argument, seed, buffer);
    } else {
      FillAdversarial<T>(argument, seed, buffer);
    }
  });
}

}  // namespace burnish::verify
