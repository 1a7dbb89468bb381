#include "agent/verify/elements.h"

#include <cmath>
#include <concepts>
#include <limits>
#include <variant>

namespace burnish::verify {

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

template <typename T>
T ElementFromDouble(double value) {
  if constexpr (std::same_as<T, Half>) {
    return Half::FromDouble(value);
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
template int64_t ElementFromDouble<int64_t>(double);
template int32_t ElementFromDouble<int32_t>(double);
template int16_t ElementFromDouble<int16_t>(double);
template int8_t ElementFromDouble<int8_t>(double);
template uint64_t ElementFromDouble<uint64_t>(double);
template uint32_t ElementFromDouble<uint32_t>(double);
template uint16_t ElementFromDouble<uint16_t>(double);
template uint8_t ElementFromDouble<uint8_t>(double);

void StoreScalar(Dtype dtype, const expr::Value& value, void* bytes) {
  WithElementType(dtype, [&]<typename T>() {
    T element{};
    if (const int64_t* integer = std::get_if<int64_t>(&value)) {
      // Not by way of a double, which would lose the last bits of a 64-bit integer.
      if constexpr (std::integral<T>) {
        element = static_cast<T>(*integer);
      } else {
        element = ElementFromDouble<T>(static_cast<double>(*integer));
      }
    } else if (const bool* boolean = std::get_if<bool>(&value)) {
      element = ElementFromDouble<T>(*boolean ? 1 : 0);
    } else {
      element = ElementFromDouble<T>(std::get<double>(value));
    }
    std::memcpy(bytes, &element, sizeof(element));
  });
}

}  // namespace burnish::verify
