// Which candidates of a task can still win, before their energy is known. Measuring it takes the
// better part of a minute, so that it is left out for those that cannot. Pure; not thread-safe.
#pragma once

#include <vector>

#include "common/work/objectives.h"

namespace burnish::worker {

class EnergyContest {
 public:
  explicit EnergyContest(work::Goals goals) : goals_(std::move(goals)) {}

  // `known` lacks energy and power. At its best a candidate draws no more than `idle_watts`: it
  // cannot win if another one within the limits is as good as that in every objective, and by
  // more than noise (10 %) in those that have any.
  bool CanWin(work::MetricValues known, double idle_watts) const;
  // All values of a candidate.
  void Add(work::MetricValues values);

 private:
  const work::Goals goals_;
  std::vector<work::MetricValues> rivals_;  // within the limits
};

}  // namespace burnish::worker
