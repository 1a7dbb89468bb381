// An operator's results in double precision, for single elements of the output: what candidates
// are checked against. Integer operators come out exact. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/op/operator.h"

namespace burnish::op {

// Which output elements to check: all of them if that takes at most `max_points` loop points (an
// element counts as 16 beside its products), else all corners, and positions drawn so that each
// axis is at an edge half of the time (at least 64 elements, whatever they take). Flat indices,
// ascending, distinct.
std::vector<int64_t> SampleOutput(const Operator& op, uint64_t seed, int64_t max_points);

// The elements' values. `tensors`: the bytes of every tensor, in the operator's order; the
// output's are not read.
std::vector<double> Evaluate(const Operator& op,
                             const std::vector<std::span<const std::byte>>& tensors,
                             std::span<const int64_t> elements);

}  // namespace burnish::op
