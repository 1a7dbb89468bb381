// A task as a run worker holds it: the definition, where its buffers lie, and the inputs as they
// are before any kernel has touched them. Immutable after Prepare.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/backends/backend.h"
#include "agent/verify/buffers.h"
#include "agent/worker/runner_pool.h"
#include "common/work/task_definition.h"

namespace burnish::worker {

// Bytes of each argument's buffer, by argument; empty for those that are not meant.
using BufferContents = std::vector<std::vector<std::byte>>;

class Task {
 public:
  // Its kernels run in `runners`, which must outlive it. OutOfMemory as a candidate failure if the
  // buffers do not fit this machine.
  static absl::StatusOr<Task> Prepare(const backends::Backend& backend, int device_index,
                                      work::TaskDefinition definition, RunnerPool& runners);

  const backends::Backend& backend() const { return *backend_; }
  int device_index() const { return device_index_; }
  const work::TaskDefinition& definition() const { return definition_; }
  const std::vector<spec::Argument>& arguments() const { return definition_.arguments; }
  const verify::BufferLayout& layout() const { return layout_; }
  const BufferContents& inputs() const { return inputs_; }  // of roles input and inout
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
  BufferContents inputs_;
  RunnerPool* runners_;
};

work::DeviceInfo DeviceOf(const Task& task);

bool IsInput(const spec::Argument& argument);   // has a first content: input, inout
bool IsOutput(const spec::Argument& argument);  // has a result: output, inout

}  // namespace burnish::worker
