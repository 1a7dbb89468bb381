// Why nothing of a job runs, in a sentence for people.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/store.h"

namespace burnish::jobs {

// Of a job that has not ended and of which no agent holds anything. Empty if its work can be handed
// out at any moment.
absl::StatusOr<std::string> WhyWaiting(store::Store& store, const store::JobWithTasks& job,
                                       const std::vector<store::DeviceRow>& devices);

}  // namespace burnish::jobs
