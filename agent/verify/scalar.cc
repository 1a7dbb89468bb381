#include "agent/verify/scalar.h"

#include <concepts>
#include <cstdint>
#include <cstring>
#include <variant>

#include "common/base/elements.h"

namespace burnish::verify {

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
