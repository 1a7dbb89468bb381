// Buffer elements by their dtype: C++ types to work with, half precision and bfloat16 in software
// (not every compiler has types for them). Pure functions.
#pragma once

#include <bit>
#include <cstdint>

#include "common/base/check.h"
#include "common/base/dtype.h"

namespace burnish {

// IEEE 754 binary16.
struct Half {
  uint16_t bits;

  static Half FromDouble(double value);  // rounded to nearest, ties to even
  double ToDouble() const;
};

// The upper half of an IEEE 754 binary32.
struct BFloat16 {
  uint16_t bits;

  static BFloat16 FromDouble(double value);  // rounded to nearest, ties to even
  double ToDouble() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

// Calls `visitor.template operator()<T>()` with the C++ type of the dtype.
template <typename Visitor>
decltype(auto) WithElementType(Dtype dtype, Visitor&& visitor) {
  switch (dtype) {
    case Dtype::kF64:
      return visitor.template operator()<double>();
    case Dtype::kF32:
      return visitor.template operator()<float>();
    case Dtype::kF16:
      return visitor.template operator()<Half>();
    case Dtype::kI64:
      return visitor.template operator()<int64_t>();
    case Dtype::kI32:
      return visitor.template operator()<int32_t>();
    case Dtype::kI16:
      return visitor.template operator()<int16_t>();
    case Dtype::kI8:
      return visitor.template operator()<int8_t>();
    case Dtype::kU64:
      return visitor.template operator()<uint64_t>();
    case Dtype::kU32:
      return visitor.template operator()<uint32_t>();
    case Dtype::kU16:
      return visitor.template operator()<uint16_t>();
    case Dtype::kU8:
      return visitor.template operator()<uint8_t>();
    case Dtype::kBf16:
      break;
  }
  CHECK(dtype == Dtype::kBf16);
  return visitor.template operator()<BFloat16>();
}

template <typename T>
double ElementToDouble(T element) {
  return static_cast<double>(element);
}
template <>
inline double ElementToDouble(Half element) {
  return element.ToDouble();
}
template <>
inline double ElementToDouble(BFloat16 element) {
  return element.ToDouble();
}

// Rounds to the type; integers saturate.
template <typename T>
T ElementFromDouble(double value);

}  // namespace burnish
