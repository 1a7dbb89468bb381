// What a job will take at most, told before its first trial from what the same problem took on the
// same device class. Reads the store; decides nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "server/store/store.h"

namespace burnish::jobs {

struct Forecast {
  int64_t trials = 0;
  // As long as a rule that cannot be foreseen does not end the search before; nothing unless every
  // task has been tuned before.
  std::optional<double> seconds;         // on the clock; tasks run side by side
  std::optional<double> device_seconds;  // of all tasks
};

absl::StatusOr<Forecast> ForecastJob(store::Store& store, const Namespace& owner, JobId id);

}  // namespace burnish::jobs
