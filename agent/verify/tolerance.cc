#include "agent/verify/tolerance.h"

namespace burnish::verify {

Tolerance ToleranceOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return {.relative = 1e-10, .absolute = 1e-12, .frobenius = 1e-10};
    case Dtype::kF32:
      return {.relative = 1e-4, .absolute = 1e-5, .frobenius = 1e-4};
    case Dtype::kF16:   // sums may be kept in half precision
    case Dtype::kBf16:  // sums are kept in single precision, but may be cut instead of rounded
      return {.relative = 2e-2, .absolute = 5e-3, .frobenius = 5e-3};
    default:
      return {};
  }
}

}  // namespace burnish::verify
