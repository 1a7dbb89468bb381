#include "server/jobs/criteria.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace burnish::jobs {
namespace {

work::MetricValues ScaledValuesOf(const store::Trial& trial, double scaled_seconds) {
  work::Latency latency = *trial.latency;
  latency.seconds = scaled_seconds;
  return work::ValuesOf(latency, trial.correctness, trial.figures);
}

}  // namespace

work::MetricValues ValuesOf(const store::Trial& trial) {
  return work::ValuesOf(*trial.latency, trial.correctness, trial.figures);
}

bool MayWin(const store::Trial& trial, const Criteria& criteria) {
  if (!trial.finished_position || trial.outcome != work::Outcome::kOk || !trial.latency ||
      !std::isfinite(trial.latency->seconds) ||
      (criteria.verified_only && !trial.correctness.verified)) {
    return false;
  }
  const work::MetricValues values = ValuesOf(trial);
  return criteria.goals.Within(values) &&
         std::ranges::all_of(criteria.goals.objectives, [&](const spec::Objective& objective) {
           return std::isfinite(work::CostOf(objective, values));
         });
}

std::vector<double> CostsOf(const store::Trial& trial, const work::Goals& goals,
                            double scaled_seconds) {
  if (!trial.latency) {
    return std::vector(goals.objectives.size(), std::numeric_limits<double>::infinity());
  }
  const work::MetricValues values = ScaledValuesOf(trial, scaled_seconds);
  std::vector<double> costs;
  for (const spec::Objective& objective : goals.objectives) {
    costs.push_back(work::CostOf(objective, values));
  }
  return costs;
}

std::vector<stats::Measured> MeasuredCostsOf(const store::Trial& trial, const work::Goals& goals,
                                             double scaled_seconds) {
  const work::MetricValues values = ScaledValuesOf(trial, scaled_seconds);
  const double ratio = scaled_seconds / trial.latency->seconds;
  const stats::Interval interval = {.low = trial.latency->interval.low * ratio,
                                    .high = trial.latency->interval.high * ratio};
  std::vector<stats::Measured> costs;
  for (const spec::Objective& objective : goals.objectives) {
    costs.push_back(work::MeasuredCostOf(objective, values, interval));
  }
  return costs;
}

}  // namespace burnish::jobs
