// The sets of inputs that a candidate is checked on. What is right by luck on random numbers, or
// only on those that it has seen, is wrong on another set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/spec/job_spec.h"

namespace burnish::verify {

enum class InputSet {
  kAsFilled,    // what the job file says; what is timed
  kStructured,  // rows of one sign, magnitudes that rise: long sums do not cancel, a maximum may be
                // negative, and a row, column or stride mistaken for another is always seen
  kAdversarial  // other random numbers among exact zeros, the ends of the range, neighbours that
                // are equal or cancel, and magnitudes down to 2^-12
};
inline constexpr std::array kInputSets = {InputSet::kAsFilled, InputSet::kStructured,
                                          InputSet::kAdversarial};

std::string_view InputSetName(InputSet set);  // "as_filled"

// Whether the argument's content differs between the sets: `constant` and `ramp` are in all of them
// what the job file says.
bool VariesBySet(const spec::Argument& argument);

// A set's content of an input buffer, by seed and argument name alone. Every number stays within
// what the fill promises, as kernels may rely on it (for indices, say): uniform [-1, 1), integers
// [-8, 8], unsigned [0, 16]; normal [-4, 4], integers [-16, 16], unsigned [0, 16], where the random
// ones may lie beyond as they do as filled. No infinities and nothing denormal, so that a correct
// kernel compiled with -ffast-math is right. The mean of the sets made here is not zero, so that
// the sum of a whole buffer does not vanish beside the errors that are made in summing it up.
// Stored reference values stand for what this gives: other contents need a set of another name.
void FillBuffer(const spec::Argument& argument, InputSet set, uint64_t seed,
                std::span<std::byte> buffer);

}  // namespace burnish::verify
