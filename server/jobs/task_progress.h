// What the finished trials of a task amount to so far, kept up to date trial by trial: a snapshot
// then reads only what has finished since the last one. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "server/jobs/outcome_counts.h"
#include "server/jobs/ranking.h"
#include "server/store/store.h"

namespace burnish::jobs {

class TaskProgress {
 public:
  explicit TaskProgress(work::Goals goals = {}) : goals_(std::move(goals)) {}

  // Finished trials, from position observed() on.
  void Observe(std::span<const store::Trial> finished);

  int64_t observed() const { return observed_; }
  int64_t valid() const { return valid_; }  // outcome ok
  double device_seconds() const { return device_seconds_; }
  std::vector<OutcomeCount> outcomes() const { return outcomes_.counts(); }
  // Of the trials that may win, best first: the default, as many of the best, and of the best
  // verified ones, as can become a result, and the whole front.
  const Ranking& best() const { return best_; }
  // Trial 0, if it has a latency, whether it may win or not.
  const std::optional<store::Trial>& default_trial() const { return default_trial_; }
  const work::Goals& goals() const { return goals_; }

 private:
  work::Goals goals_;
  int64_t observed_ = 0;
  int64_t valid_ = 0;
  double device_seconds_ = 0;
  OutcomeCounter outcomes_;
  Ranking best_;
  std::optional<store::Trial> default_trial_;
};

}  // namespace burnish::jobs
