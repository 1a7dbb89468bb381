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

  // What `known` lacks of these is taken at its best: power is `idle_watts`, and the device gets no
  // slower. A candidate cannot win if another one within the limits is as good as that in every
  // objective, and by more than noise (10 %) in those that have any.
  bool CanWin(work::MetricValues known, double idle_watts) const;
  const work::Goals& goals() const { return goals_; }
  // All values of a candidate.
  void Add(work::MetricValues values);

 private:
  const work::Goals goals_;
  std::vector<work::MetricValues> rivals_;  // within the limits
};

// Of the task that is measured now; state of the process, for the thread that serves requests.
// Errors are those of reading the task's goals.
absl::StatusOr<Contest*> ContestOf(const Task& task);

}  // namespace burnish::worker
