// A candidate that failed, carried as an absl::Status with its outcome as a payload: inside the
// worker one error idiom serves for both, and the outcome comes out where the reply is made.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "common/work/measurement.h"

namespace burnish::worker {

absl::Status CandidateFailed(work::Outcome outcome, std::string_view message);

// kOk for ok, kInfrastructure for errors that say nothing of a candidate.
work::Outcome OutcomeOf(const absl::Status& status);

}  // namespace burnish::worker
