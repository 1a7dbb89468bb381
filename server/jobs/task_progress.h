// What the finished trials of a task amount to so far, kept up to date trial by trial: a snapshot
// then reads only what has finished since the last one. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/jobs/outcome_counts.h"
#include "server/store/store.h"

namespace burnish::jobs {

class TaskProgress {
 public:
  // Finished trials, from position observed() on.
  void Observe(std::span<const store::Trial> finished);

  int64_t observed() const { return observed_; }
  int64_t valid() const { return valid_; }  // outcome ok
  double device_seconds() const { return device_seconds_; }
  std::vector<OutcomeCount> outcomes() const { return outcomes_.counts(); }
  // Of the valid trials, fastest first: the default, and as many of the best, and of the best
  // verified ones, as can become a result.
  const std::vector<store::Trial>& best() const { return best_; }

 private:
  int64_t observed_ = 0;
  int64_t valid_ = 0;
  double device_seconds_ = 0;
  OutcomeCounter outcomes_;
  std::vector<store::Trial> best_;
};

}  // namespace burnish::jobs
