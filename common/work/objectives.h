// What a job's objectives and limits make of one measurement. The server judges trials by it, the
// command line what it asks of them afterwards. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expr/expression.h"
#include "common/spec/job_spec.h"
#include "common/spec/metric.h"
#include "common/stats/pareto.h"
#include "common/work/measurement.h"

namespace burnish::work {

// By metric, in its unit; what is not known is not there.
using MetricValues = std::map<spec::Metric, double>;

// Of an outcome ok: it has a latency. The error is known of what was verified.
MetricValues ValuesOf(const Latency& latency, const Correctness& correctness,
                      const Figures& figures);

// False also where a metric that it names is not known, or where it cannot be computed.
bool Holds(const expr::Expression& limit, const MetricValues& values);

// What is minimised: the value or, of a metric to be maximised, one over it. Infinite if it is not
// known.
double CostOf(const spec::Objective& objective, const MetricValues& values);
// With its interval: what `latency` makes of it; all else is taken as exact.
stats::Measured MeasuredCostOf(const spec::Objective& objective, const MetricValues& values,
                               const stats::Interval& latency);

// Objectives and limits, as kept with a task.
struct Goals {
  std::vector<spec::Objective> objectives = {spec::Objective()};
  std::vector<expr::Expression> limits;  // over metrics

  bool several() const { return objectives.size() > 1; }
  // What is fastest is best.
  bool by_speed() const;
  bool Within(const MetricValues& values) const;
  // Whether an objective or a limit names it.
  bool Name(spec::Metric metric) const;
};
std::string GoalsText(const spec::JobSpec& spec);
// Whether an objective or a limit names what takes long to measure: energy, power, sustained
// latency.
bool AsksForCostly(const spec::JobSpec& spec);
// An empty text is that of a task from before there were any.
absl::StatusOr<Goals> ReadGoals(const std::string& text);

}  // namespace burnish::work
