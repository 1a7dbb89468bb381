// What a job file comes to on this machine: a workload gets its schedule for this machine's CPU, as
// a server would make it for a device like it.
#pragma once

#include "absl/status/statusor.h"
#include "common/spec/job_reader.h"

namespace burnish::cli {

// A spec with kernels. Starts a worker, which knows the machine, for a workload only.
absl::StatusOr<spec::JobSpec> ScheduledHere(const spec::JobSpec& spec);

}  // namespace burnish::cli
