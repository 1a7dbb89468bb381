#include "agent/verify/tolerance.h"

#include <algorithm>
#include <cmath>

namespace burnish::verify {
namespace {

// What is not summed up (epilogues, conversions) has errors too: as much as so short a sum.
constexpr double kShortest = 16;
// Of the sums whose errors the absolute tolerance is enough for.
constexpr double kLongest = 4096;
constexpr double kMostGrowth = 10;  // of the absolute tolerance

Tolerance BySumLength(Tolerance caps, double frobenius_of_one, std::optional<int64_t> length) {
  if (!length) return caps;
  const auto terms = static_cast<double>(*length);
  caps.frobenius =
      std::min(caps.frobenius, frobenius_of_one * std::sqrt(std::max(terms, kShortest)));
  caps.absolute *= std::clamp(std::sqrt(terms / kLongest), 1.0, kMostGrowth);
  return caps;
}

}  // namespace

Tolerance ToleranceOf(Dtype dtype, std::optional<int64_t> reduction_length) {
  switch (dtype) {
    case Dtype::kF64:
      return BySumLength({.relative = 1e-10, .absolute = 1e-12, .frobenius = 1e-10}, 1e-12,
                         reduction_length);
    case Dtype::kF32:
      return BySumLength({.relative = 1e-4, .absolute = 1e-5, .frobenius = 1e-4}, 1e-6,
                         reduction_length);
    case Dtype::kF16:   // sums may be kept in half precision
    case Dtype::kBf16:  // sums are kept in single precision, but may be cut instead of rounded
      return {.relative = 2e-2, .absolute = 5e-3, .frobenius = 5e-3};
    default:
      return {};
  }
}

}  // namespace burnish::verify
