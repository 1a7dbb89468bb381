// A compiled kernel, a candidate's or a reference's, in a runner of its own with buffers of its
// own. Errors are candidate failures, or Cancelled when the agent is gone. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/worker/runner_process.h"
#include "agent/worker/shared_memory.h"
#include "agent/worker/task.h"

namespace burnish::worker {

class KernelRun {
 public:
  // Starts a runner for an artefact, which waits then. `task` must outlive the run.
  static absl::StatusOr<KernelRun> Start(const Task& task, const std::string& artefact_path);

  // Has the runner load it; the time limit covers all that it does.
  absl::Status Load(const std::string& entry, absl::Duration time_limit);

  // One execution on fresh inputs and poisoned outputs and workspace, then CheckHarmless().
  // Gives its nanoseconds.
  absl::StatusOr<int64_t> ExecuteFresh(verify::InputSet set = verify::InputSet::kAsFilled);
  // Of role `output`: what is right from now on was written from now on.
  void PoisonOutputs();
  // On the buffers as they are, in the cache state that the task asks for; each execution finds the
  // content of the last fresh one in what the kernel works on in place.
  absl::StatusOr<int64_t> Execute(int64_t launches);
  // Without a pause in between: in warm caches, and what is worked on in place goes on changing.
  absl::StatusOr<int64_t> ExecuteBackToBack(int64_t launches);
  // Whether the last executions went on from what the ones before had left in inout buffers.
  bool went_on() const { return went_on_; }
  // Whether guard zones and inputs are as they were; after a fresh execution.
  absl::Status CheckHarmless() const;

  std::span<const std::byte> Buffer(size_t argument) const {
    return task_->layout().Buffer(memory_.bytes(), argument);
  }
  BufferContents Outputs() const;
  measure::TimeFrame time() const { return runner_.time(); }

 private:
  KernelRun(const Task& task, SharedMemory memory, RunnerProcess runner)
      : task_(&task), memory_(std::move(memory)), runner_(std::move(runner)) {}

  // Whether there are any.
  bool FillInouts();

  const Task* task_;
  SharedMemory memory_;
  RunnerProcess runner_;
  std::shared_ptr<const BufferContents> inputs_;  // of the last fresh execution
  bool went_on_ = false;
};

}  // namespace burnish::worker
