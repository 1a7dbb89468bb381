// Energy of candidates in a run worker: measured of those that can still win. State of the process:
// what idling takes, and the rivals of the present task, stay from one candidate to the next. For
// the thread that serves requests.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/worker/kernel_run.h"
#include "agent/worker/reference_values.h"
#include "agent/worker/task.h"
#include "common/work/measurement.h"

namespace burnish::worker {

// Whether the task asks for energy, and its device has a sensor.
absl::StatusOr<bool> MeasuresEnergy(const Task& task);
// Of a candidate that was right and has been timed; `run` is a runner of its own, just started.
// Adds to figures and flags: `energy_skipped` (it cannot win), `energy_unstable`, `throttled`.
absl::Status MeasureEnergy(const Task& task, KernelRun run, const ExpectedOutputs& expected,
                           work::Measurement& measurement);

}  // namespace burnish::worker
