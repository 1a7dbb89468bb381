// Which configurations are compared at the end of a task's search, and what the comparison decides.
// Pure: the same trials and the same comparison always give the same winner.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/store/store.h"

namespace burnish::jobs {

// A finished trial with outcome ok and a latency, and verified if `verified_only`.
bool MayWin(const store::Trial& trial, bool verified_only);

// Trials that may win, fastest first (equal latencies by trial number).
std::vector<store::Trial> Ranked(std::span<const store::Trial> trials, bool verified_only);

// The default, if it may win, then the limits::kFinalists best of the others. Empty if nothing may
// win.
work::CompareWork ChooseFinalists(std::span<const store::Trial> trials, bool verified_only);

struct Verdict {
  store::TaskResult result;  // without `best` if nothing may win
  std::string remark;        // why the comparison decided nothing; empty if it did
};

// The finalist of the lowest latency wins if the paired ratio to every other one is clearly below
// 1; those of which that cannot be said tie with it. If the comparison has no figures, the
// screening decides among the configurations that did not fail in the comparison, and the speed-up
// stays unknown (0).
Verdict Decide(std::span<const store::Trial> trials, bool verified_only,
               const work::Comparison& comparison);

}  // namespace burnish::jobs
