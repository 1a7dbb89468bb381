// Which candidates of a task can still win, before what takes long to measure is known: energy,
// power, sustained latency. That is left out for those that cannot. Pure; not thread-safe.
#pragma once

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/worker/task.h"
#include "common/work/objectives.h"

namespace burnish::worker {

class Contest {
 public:
  explicit Contest(work::Goals goals) : goals_(std::move(goals)) {}

  // What `known` lacks of these is taken at its best: power is `idle_watts`, and executions without
  // a pause take `least_seconds`. A candidate cannot win if another one within the limits is as
  // good as that in every objective, and by more than noise (10 %) in those that have any.
  bool CanWin(work::MetricValues known, double idle_watts, double least_seconds) const;
  const work::Goals& goals() const { return goals_; }
  // All values of a candidate.
  void Add(work::MetricValues values);

 private:
  const work::Goals goals_;
  std::vector<work::MetricValues> rivals_;  // within the limits
};

// What executions of a task without a pause take at least, of which this is the latency: nothing is
// known of warm caches from cold ones, nor of what is worked on in place over and over.
double LeastWithoutPause(const Task& task, double latency_seconds);

// Of the task that is measured now; state of the process, for the thread that serves requests.
// Errors are those of reading the task's goals.
absl::StatusOr<Contest*> ContestOf(const Task& task);

}  // namespace burnish::worker
