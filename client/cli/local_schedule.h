// What a job file comes to on this machine: a workload gets its schedule for this machine's CPU, as
// a server would make it for a device like it.
#pragma once

#include "absl/status/statusor.h"
#include "common/spec/job_reader.h"

namespace burnish::cli {

// `spec` is what `job` reads as; the result has kernels. Starts a worker, which knows the machine,
// for a workload only. A workload that no template serves is an error at its key.
absl::StatusOr<spec::JobSpec> ScheduledHere(const spec::JobText& job, const spec::JobSpec& spec);

}  // namespace burnish::cli
