#include "agent/worker/candidate_failure.h"

#include <string>

#include "common/base/limits.h"

namespace burnish::worker {
namespace {

constexpr char kOutcomePayload[] = "burnish/outcome";

}  // namespace

absl::Status CandidateFailed(work::Outcome outcome, std::string_view message) {
  absl::Status status =
      absl::AbortedError(std::string(message.substr(0, limits::kOutcomeMessageBytes)));
  status.SetPayload(kOutcomePayload, absl::Cord(work::OutcomeName(outcome)));
  return status;
}

work::Outcome OutcomeOf(const absl::Status& status) {
  if (status.ok()) return work::Outcome::kOk;
  const auto payload = status.GetPayload(kOutcomePayload);
  if (!payload) return work::Outcome::kInfrastructure;
  return work::ParseOutcome(std::string(*payload)).value_or(work::Outcome::kInfrastructure);
}

}  // namespace burnish::worker
