// A task as a run worker holds it: the definition, where its buffers lie, and the inputs as they
// are before any kernel has touched them. Not thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/backends/backend.h"
#include "agent/verify/buffers.h"
#include "agent/worker/runner_pool.h"
#include "agent/worker/task_inputs.h"
#include "common/work/task_definition.h"

namespace burnish::worker {

class Task {
 public:
  // Its kernels run in `runners`, which must outlive it. OutOfMemory as a candidate failure if the
  // buffers do not fit this machine. The inputs are those of the last task if that is the same, as
  // candidates of one task come in a row.
  static absl::StatusOr<Task> Prepare(const backends::Backend& backend, int device_index,
                                      work::TaskDefinition definition, RunnerPool& runners);

  const backends::Backend& backend() const { return *backend_; }
  int device_index() const { return device_index_; }
  const work::TaskDefinition& definition() const { return definition_; }
  const std::vector<spec::Argument>& arguments() const { return definition_.arguments; }
  const verify::BufferLayout& layout() const { return layout_; }
  TaskInputs& inputs() const { return *inputs_; }
  RunnerPool& runners() const { return *runners_; }
  absl::Duration run_timeout() const {
    return absl::Seconds(definition_.measure.run_timeout_seconds);
  }

 private:
  Task(const backends::Backend& backend, int device_index, work::TaskDefinition definition,
       RunnerPool& runners);

  const backends::Backend* backend_;
  int device_index_;
  work::TaskDefinition definition_;
  verify::BufferLayout layout_;
  std::shared_ptr<TaskInputs> inputs_;
  RunnerPool* runners_;
};

work::DeviceInfo DeviceOf(const Task& task);

}  // namespace burnish::worker
