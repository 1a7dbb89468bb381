// Buffer elements by their dtype: C++ types to work with, half precision in software (not every
// compiler has a type for it). Pure functions.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/base/check.h"
#include "common/base/dtype.h"
#include "common/expr/value.h"

namespace burnish::verify {

// IEEE 754 binary16.
struct Half {
  uint16_t bits;

  static Half FromDouble(double value);  // rounded to nearest, ties to even
  double ToDouble() const;
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
      break;
  }
  CHECK(dtype == Dtype::kU8);
  return visitor.template operator()<uint8_t>();
}

template <typename T>
double ElementToDouble(T element) {
  return static_cast<double>(element);
}
template <>
inline double ElementToDouble(Half element) {
  return element.ToDouble();
}

// Rounds to the type; integers saturate.
template <typename T>
T ElementFromDouble(double value);

// A scalar argument's value in the form a kernel takes it, at most eight bytes.
void StoreScalar(Dtype dtype, const expr::Value& value, void* bytes);

}  // namespace burnish::verify
