// The first content of input buffers: the same on every machine for the same seed and argument
// name (but for the last bits of `normal`, which go through the C library's logarithm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/spec/job_spec.h"

namespace burnish::verify {

// uniform: [-1, 1), integers [-8, 8], unsigned [0, 16]; normal: mean 0, deviation 1 (integers: 4);
// constant; ramp: 0, 1, 2, ... starting again where the dtype stops being exact.
// `buffer` has exactly the bytes of the argument's elements.
void FillBuffer(const spec::Argument& argument, uint64_t seed, std::span<std::byte> buffer);

}  // namespace burnish::verify
