#include "server/jobs/task_progress.h"

#include <algorithm>

#include "common/base/limits.h"

namespace burnish::jobs {
namespace {

// The default and the finalists may all fail in their comparison; the next best one then wins.
constexpr int kKept = limits::kFinalists + 2;

}  // namespace

void TaskProgress::Observe(std::span<const store::Trial> finished) {
  observed_ += static_cast<int64_t>(finished.size());
  std::vector<store::Trial> candidates = std::move(best_.trials);
  for (const store::Trial& trial : finished) {
    outcomes_.Add(trial);
    device_seconds_ += trial.device_seconds;
    candidates.push_back(trial);
    if (trial.outcome != work::Outcome::kOk || !trial.latency) continue;
    ++valid_;
    if (trial.what.number == TrialNumber(0)) default_trial_ = trial;
  }
  Ranking ranking = Rank(candidates, {.goals = goals_, .verified_only = false});
  best_ = {.trials = {}, .front = ranking.front};
  int any = 0;
  int verified = 0;
  for (size_t i = 0; i < ranking.trials.size(); ++i) {
    store::Trial& trial = ranking.trials[i];
    const bool among_verified = trial.correctness.verified && verified++ < kKept;
    if (any++ < kKept || among_verified || i < ranking.front ||
        trial.what.number == TrialNumber(0)) {
      best_.trials.push_back(std::move(trial));
    }
  }
}

}  // namespace burnish::jobs
