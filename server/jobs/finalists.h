// Which configurations are compared at the end of a task's search, and what the comparison decides.
// Pure: the same trials and the same comparison always give the same winner.
#pragma once

#include <span>
#include <string>

#include "server/jobs/criteria.h"
#include "server/store/store.h"

namespace burnish::jobs {

// The default, if it may win, then the limits::kFinalists best of the others, and up to nine of
// them as long as their interval reaches that of the best; with several objectives the knee of the
// front and its ends. Empty if nothing may win.
work::CompareWork ChooseFinalists(std::span<const store::Trial> trials, const Criteria& criteria);

struct Verdict {
  store::TaskResult result;  // without `best` if nothing may win
  std::string remark;        // why the comparison decided nothing; empty if it did
};

// Where what is fastest is best, the finalist of the lowest latency wins if the paired ratio to
// every other one is clearly below 1; those of which that cannot be said tie with it. By other
// objectives the trials decide among the configurations that did not fail in the comparison, which
// then gives the latencies and the speed-up. So do they if the comparison has no figures; the
// speed-up then stays unknown (0).
Verdict Decide(std::span<const store::Trial> trials, const Criteria& criteria,
               const work::Comparison& comparison);

}  // namespace burnish::jobs
