// Whether a candidate computes what its task asks for (docs/verification.md): before it is timed,
// and again afterwards, so that one which is right only once is caught. Errors are candidate
// failures (wrong_result, nondeterministic, crash, ...), or Cancelled when the agent is gone. Not
// thread-safe.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/verify/compare.h"
#include "agent/worker/kernel_run.h"
#include "agent/worker/reference_values.h"
#include "common/work/measurement.h"

namespace burnish::worker {

class CorrectnessCheck {
 public:
  // Without expected values (`reference: none`) buffers and determinism are checked all the same.
  CorrectnessCheck(const Task& task, const ExpectedOutputs& expected)
      : task_(task), expected_(expected) {}

  // An execution on every set of inputs and then another one as filled, which must give the same
  // bits as the first. Gives its nanoseconds. Leaves the inputs as filled and the outputs poisoned.
  absl::StatusOr<int64_t> BeforeTiming(KernelRun& run);
  // What the timed executions have left, and another execution on a set that nobody can foresee.
  absl::Status AfterTiming(KernelRun& run);

  // Of what was checked so far; also after a failure.
  const work::Correctness& correctness() const { return correctness_; }

 private:
  bool verifies() const { return !expected_.sets().empty(); }
  absl::StatusOr<int64_t> CheckExecution(KernelRun& run, verify::InputSet set, const char* when);
  // `when` is empty or starts with a space.
  absl::Status CheckOutputs(const KernelRun& run, verify::InputSet set, const char* when);
  absl::Status CheckOutput(const verify::OutputCheck& check, verify::InputSet set,
                           const char* when);

  const Task& task_;
  const ExpectedOutputs& expected_;
  work::Correctness correctness_;
};

}  // namespace burnish::worker
