// By what a task's trials are judged: what may win, and what each of them costs by the job's
// objectives. Pure.
#pragma once

#include <vector>

#include "common/stats/pareto.h"
#include "common/work/objectives.h"
#include "server/store/store.h"

namespace burnish::jobs {

struct Criteria {
  work::Goals goals = {};
  bool verified_only = true;  // nothing else may win
};

// Of a trial that has a latency.
work::MetricValues ValuesOf(const store::Trial& trial);

// A finished trial with outcome ok and a figure for each objective, within the limits, as measured;
// and verified, if nothing else may win.
bool MayWin(const store::Trial& trial, const Criteria& criteria);

// What is minimised, for each objective, if the latency were `scaled_seconds`; infinite where there
// is no figure.
std::vector<double> CostsOf(const store::Trial& trial, const work::Goals& goals,
                            double scaled_seconds);
// The same with intervals, of a trial that has a latency.
std::vector<stats::Measured> MeasuredCostsOf(const store::Trial& trial, const work::Goals& goals,
                                             double scaled_seconds);

}  // namespace burnish::jobs
