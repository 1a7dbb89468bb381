// How long the agent waits for a worker before it kills it. The worker enforces the task's own
// timeouts and answers with an outcome; these bounds, well above, are for a worker that hangs.
// Queueing never counts.
#pragma once

#include "absl/time/time.h"
#include "common/work/task_definition.h"
#include "common/work/work_item.h"

namespace burnish::agent {

struct Deadlines {
  absl::Duration describe = absl::Seconds(20);
  absl::Duration roofs = absl::Seconds(90);  // most of it for a compiler on a slow board
  absl::Duration compile_margin = absl::Seconds(10);
  // Making inputs, letting the device cool down, verifying, starting the runner.
  absl::Duration run_margin = absl::Seconds(60);
  // Until a run of the task has come back, it may also compute the reference values.
  absl::Duration reference_allowance = absl::Minutes(5);
  // Measuring energy, where a task asks for it, beside executing the candidate for checks.
  absl::Duration energy = absl::Minutes(6);
  // The same for its sustained latency.
  absl::Duration sustained = absl::Minutes(4);
};

absl::Duration CompileDeadline(const Deadlines& deadlines, const work::TaskDefinition& task);
absl::Duration RunDeadline(const Deadlines& deadlines, const work::TaskDefinition& task,
                           const work::Work& work, bool reference_known);

}  // namespace burnish::agent
