// How far an output may be from its reference, by dtype. Pure functions.
#pragma once

#include "common/base/dtype.h"

namespace burnish::verify {

// An element x against its reference r is right if |x - r| <= absolute * rms(reference) +
// relative * |r|; a buffer, if its relative Frobenius error is at most `frobenius` too. All zero
// for integers: exact. The length of the kernel's sums is not known, so the Frobenius bounds are
// the caps of what grows with its square root.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  double frobenius = 0;
};

Tolerance ToleranceOf(Dtype dtype);

}  // namespace burnish::verify
