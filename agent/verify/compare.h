// An output buffer against its reference values, all of them or some. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/spec/job_spec.h"

namespace burnish::verify {

struct OutputCheck {
  int64_t wrong_elements = 0;
  // Largest |x - r| / (|r| + rms(reference) * absolute / relative tolerance): the relative error,
  // for elements that are not tiny; a right element's is at most the relative tolerance.
  double max_relative_error = 0;
  double relative_frobenius = 0;
  std::string worst;  // empty if right; "c[17]: 0.5, expected 0.25 (12 of 4096 elements differ)"

  bool right() const { return worst.empty(); }
};

// What is known of a reference beside its values.
struct ReferenceFacts {
  std::optional<int64_t> reduction_length;  // of the sum behind an element
  // rms(reference) counts as at least this: where values cancel, the errors made on the way to them
  // do not. What the same output is on other inputs tells how large it might have been.
  double least_rms = 0;
  // Elements whose reference is no number say nothing: the inputs, which are not those of the job
  // file, may lie where the kernel is not defined.
  bool numbers_only = false;
};

// Of the finite elements.
double RootMeanSquare(Dtype dtype, std::span<const std::byte> buffer);
double RootMeanSquare(std::span<const double> values);
// Whether any element is finite.
bool HasNumbers(Dtype dtype, std::span<const std::byte> buffer);

// NaN and infinity are right only where the reference has the same, and nowhere if it was never
// written.
OutputCheck CompareOutput(const spec::Argument& argument, std::span<const std::byte> output,
                          std::span<const std::byte> expected, const ReferenceFacts& facts = {});

// The values of some elements (flat indices, ascending) are known. Any other is wrong if it was
// never written or, where the known ones are finite, if it is not.
OutputCheck CompareSampled(const spec::Argument& argument, std::span<const std::byte> output,
                           std::span<const int64_t> elements, std::span<const double> values,
                           const ReferenceFacts& facts = {});

}  // namespace burnish::verify
