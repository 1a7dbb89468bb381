// Which devices can serve a job, and why the others cannot. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/spec/job_spec.h"
#include "server/store/store.h"

namespace burnish::jobs {

// Empty if the device can serve the job, else why not: "not connected", "the selector
// `backend == 'cuda'` says no", "cannot compile cpp: no compiler found".
std::string WhyNot(const spec::JobSpec& spec, const store::DeviceRow& device);

// A device of each class that can serve the job, in order of first appearance; if none can now,
// of those that could but for being away, and were seen since `seen_since`: they are expected back.
// FailedPrecondition with one line per known device if there is none.
absl::StatusOr<std::vector<work::DeviceInfo>> MatchingClasses(
    const spec::JobSpec& spec, const std::vector<store::DeviceRow>& devices,
    absl::Time seen_since = absl::InfiniteFuture());

}  // namespace burnish::jobs
