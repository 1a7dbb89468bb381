#include "common/base/elements.h"

#include <cmath>
#include <concepts>
#include <limits>

namespace burnish {

Half Half::FromDouble(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(value);
  if (std::isnan(value)) return {static_cast<uint16_t>(sign | 0x7E00)};
  if (magnitude >= 65520) return {static_cast<uint16_t>(sign | 0x7C00)};  // rounds to infinity
  if (magnitude < 0x1p-14) {
    // Subnormal, in units of 2^-24; what rounds up to 2^10 of them is the smallest normal.
    return {static_cast<uint16_t>(sign | std::lrint(magnitude * 0x1p24))};
  }
  const int exponent = std::ilogb(magnitude);
  // 2^10 to 2^11 units in the last place; a carry out of the mantissa raises the exponent.
  const auto units = static_cast<int>(std::lrint(std::ldexp(magnitude, 10 - exponent)));
  return {static_cast<uint16_t>(sign | (((exponent + 14) << 10) + units))};
}

double Half::ToDouble() const {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  double magnitude;
  if (exponent == 0x1F) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

BFloat16 BFloat16::FromDouble(double value) {
  if (std::isnan(value)) return {static_cast<uint16_t>(std::signbit(value) ? 0xFFC0 : 0x7FC0)};
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::abs(value);
  constexpr double kRoundsToInfinity = 0x1.FFp127;
  if (magnitude >= kRoundsToInfinity) return {static_cast<uint16_t>(sign | 0x7F80)};
  // In units of the last place, which below the smallest normal number all are 2^-133.
  const int exponent = magnitude < 0x1p-126 ? -126 : std::ilogb(magnitude);
  const auto units = static_cast<int>(std::lrint(std::ldexp(magnitude, 7 - exponent)));
  // Normal numbers have 2^7 to 2^8 of them; a carry raises the exponent.
  return {static_cast<uint16_t>(sign | (((exponent + 126) << 7) + units))};
}

template <typename T>
T ElementFromDouble(double value) {
  if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) {
    return T::FromDouble(value);
  } else if constexpr (std::integral<T>) {
    // 2^bits is exact as a double where the largest integer may not be.
    constexpr auto kEnd = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
    if (std::isnan(value)) return 0;
    if (value >= kEnd) return std::numeric_limits<T>::max();
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

template double ElementFromDouble<double>(double);
template float ElementFromDouble<float>(double);
template Half ElementFromDouble<Half>(double);
template BFloat16 ElementFromDouble<BFloat16>(double);
template int64_t ElementFromDouble<int64_t>(double);
template int32_t ElementFromDouble<int32_t>(double);
template int16_t ElementFromDouble<int16_t>(double);
template int8_t ElementFromDouble<int8_t>(double);
template uint64_t ElementFromDouble<uint64_t>(double);
template uint32_t ElementFromDouble<uint32_t>(double);
template uint16_t ElementFromDouble<uint16_t>(double);
template uint8_t ElementFromDouble<uint8_t>(double);

}  // namespace burnish
