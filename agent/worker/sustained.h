// Sustained latency of candidates in a run worker: measured of those that can still win. For the
// thread that serves requests.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/worker/kernel_run.h"
#include "agent/worker/reference_values.h"
#include "agent/worker/task.h"
#include "common/work/measurement.h"

namespace burnish::worker {

// Whether the task asks for it.
absl::StatusOr<bool> MeasuresSustained(const Task& task);
// Of a candidate that was right and has been timed; `run` is a runner of its own, just started.
// Adds to figures, or the flag `sustained_skipped` (it cannot win).
absl::Status MeasureSustained(const Task& task, KernelRun run, const ExpectedOutputs& expected,
                              work::Measurement& measurement);

}  // namespace burnish::worker
