#include "server/jobs/forecast.h"

#include <algorithm>
#include <vector>

#include "common/base/status_macros.h"
#include "common/stats/statistics.h"

namespace burnish::jobs {
namespace {

constexpr int kEarlierTasks = 10;

struct TrialCost {
  double seconds = 0;
  double device_seconds = 0;
};

// The median of the tasks on the clock, since one of them may have waited or been paused.
std::optional<TrialCost> CostOfTrial(const std::vector<store::TaskCost>& earlier) {
  std::vector<double> seconds;
  int64_t trials = 0;
  double device_seconds = 0;
  for (const store::TaskCost& task : earlier) {
    if (task.trials == 0 || task.device_seconds <= 0) continue;
    seconds.push_back(task.seconds / static_cast<double>(task.trials));
    trials += task.trials;
    device_seconds += task.device_seconds;
  }
  if (trials == 0) return std::nullopt;
  return TrialCost{.seconds = stats::Quantile(seconds, 0.5),
                   .device_seconds = device_seconds / static_cast<double>(trials)};
}

// Trials that fit the bound; all of them without one.
double Fitting(double trials, double bound_seconds, double trial_seconds) {
  if (bound_seconds <= 0 || trial_seconds <= 0) return trials;
  return std::min(trials, bound_seconds / trial_seconds);
}

}  // namespace

absl::StatusOr<Forecast> ForecastJob(store::Store& store, const Namespace& owner, JobId id) {
  ASSIGN_OR_RETURN(const store::JobWithTasks job, store.GetJob(owner, id));
  Forecast forecast;
  bool all_known = true;
  double seconds = 0;
  double device_seconds = 0;
  for (const store::Task& task : job.tasks) {
    const store::NewTask& what = task.what;
    const auto most =
        static_cast<int64_t>(std::min(static_cast<uint64_t>(what.budget_trials), what.space_size));
    forecast.trials += most;
    ASSIGN_OR_RETURN(const auto earlier, store.EarlierCosts(owner, what, kEarlierTasks));
    const std::optional<TrialCost> cost = CostOfTrial(earlier);
    if (!cost) {
      all_known = false;
      continue;
    }
    double trials = Fitting(static_cast<double>(most), what.budget_seconds, cost->seconds);
    trials = Fitting(trials, what.budget_device_seconds, cost->device_seconds);
    seconds = std::max(seconds, trials * cost->seconds);
    device_seconds += trials * cost->device_seconds;
  }
  if (all_known && !job.tasks.empty()) {
    forecast.seconds = seconds;
    forecast.device_seconds = device_seconds;
  }
  return forecast;
}

}  // namespace burnish::jobs
