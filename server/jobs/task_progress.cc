#include "server/jobs/task_progress.h"

#include <algorithm>

#include "common/base/limits.h"
#include "server/jobs/finalists.h"

namespace burnish::jobs {
namespace {

// The default and the finalists may all fail in their comparison; the next best one then wins.
constexpr int kKept = limits::kFinalists + 2;

}  // namespace

void TaskProgress::Observe(std::span<const store::Trial> finished) {
  observed_ += static_cast<int64_t>(finished.size());
  for (const store::Trial& trial : finished) {
    outcomes_.Add(trial);
    device_seconds_ += trial.device_seconds;
    best_.push_back(trial);
  }
  const std::vector<store::Trial> ranked = Ranked(best_, /*verified_only=*/false);
  valid_ += std::ranges::count_if(finished, [](const store::Trial& trial) {
    return trial.outcome == work::Outcome::kOk && trial.latency.has_value();
  });
  best_.clear();
  int any = 0;
  int verified = 0;
  for (const store::Trial& trial : ranked) {
    const bool among_verified = trial.correctness.verified && verified++ < kKept;
    if (any++ < kKept || among_verified || trial.what.number == TrialNumber(0)) {
      best_.push_back(trial);
    }
  }
}

}  // namespace burnish::jobs
