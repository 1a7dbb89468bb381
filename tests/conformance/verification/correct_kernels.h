// Tasks whose kernel is right in many ways: each compiled source holds forty, chosen by its last
// argument, that sum up in another order, with other widths and partial sums. What is planted into
// planted_bugs.h starts from their plain form. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/work/task_definition.h"

namespace burnish::verification {

inline constexpr int64_t kVariants = 40;

// c = relu(a b + bias), checked by the operator.
work::TaskDefinition MatmulTask(Dtype factors, Dtype output);
// Over the rows of x, checked by a reference function in double precision.
enum class RowKind { kSum, kTotal, kSoftmax, kLayerNorm, kMaximum };
work::TaskDefinition RowTask(RowKind kind, Dtype dtype);

// The same task with another way of computing it, on inputs of another seed.
work::TaskDefinition Variant(work::TaskDefinition task, int64_t variant);

// A task as it is compiled, with other flags or another type of sums.
struct Family {
  std::string name;  // "softmax f32 -O3 -ffast-math"
  work::TaskDefinition task;
};
const std::vector<Family>& Families();

}  // namespace burnish::verification
