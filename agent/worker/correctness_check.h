// Whether a candidate computes what its task asks for: before it is timed, and again afterwards, so
// that one which is right only once is caught. Errors are candidate failures (wrong_result,
// nondeterministic, crash, ...), or Cancelled when the agent is gone. Not thread-safe.
#pragma once

#include <cstdint>
#include <variant>

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

  // Two executions: both right, and with the same bits. Gives the second one's nanoseconds.
  absl::StatusOr<int64_t> BeforeTiming(KernelRun& run);
  absl::Status AfterTiming(KernelRun& run);

  // Of what was checked so far; also after a failure.
  const work::Correctness& correctness() const { return correctness_; }

 private:
  bool verifies() const { return !std::holds_alternative<std::monostate>(expected_); }
  absl::Status CheckOutputs(const KernelRun& run);
  absl::Status CheckOutput(const verify::OutputCheck& check);

  const Task& task_;
  const ExpectedOutputs& expected_;
  work::Correctness correctness_;
};

}  // namespace burnish::worker
