// What an operator's output should be, at elements that a candidate cannot foresee: every worker
// process draws its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/worker/task.h"
#include "common/base/ids.h"

namespace burnish::worker {

struct SampledOutput {
  size_t argument = 0;
  std::vector<int64_t> elements;  // flat indices, ascending
  std::vector<double> values;
};

// Of a task whose reference is an operator, on a set of inputs; remembered until another task
// comes. `rejected` if the operator's tensors are not the task's buffers. Not thread-safe.
absl::StatusOr<std::shared_ptr<const SampledOutput>> OperatorValues(const Task& task,
                                                                    const TaskHash& hash,
                                                                    verify::InputSet set);

}  // namespace burnish::worker
