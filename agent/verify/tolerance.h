// How far an output may be from its reference, by dtype and by how many products or elements are
// summed up for one of its own (docs/verification.md). Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/dtype.h"

namespace burnish::verify {

// An element x against its reference r is right if |x - r| <= absolute * rms(reference) +
// relative * |r|; a buffer, if its relative Frobenius error is at most `frobenius` too. All zero
// for integers: exact.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  double frobenius = 0;
};

// Rounding errors of a sum grow with the square root of its length: so does `frobenius`, up to a
// cap, which is what holds where the length is not known (a user's kernel); so does `absolute`,
// beyond the length for which it is enough.
Tolerance ToleranceOf(Dtype dtype, std::optional<int64_t> reduction_length = std::nullopt);

}  // namespace burnish::verify
