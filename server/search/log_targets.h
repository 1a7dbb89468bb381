// Observations as targets of a model: logarithms of costs, standardised.
//
// The slow end is cut off, as what matters is how the fast ones differ; a failure counts as the
// slowest. Functions are thread-safe.
#pragma once

#include <vector>

namespace burnish::search {

struct LogTargets {
  std::vector<double> targets;  // by trial: standardised; NaN: pending
  double best = 0;              // the least of a success
  // A log cost is a target times `deviation`, plus `mean`.
  double mean = 0;
  double deviation = 1;

  double LogCost(double target) const { return mean + deviation * target; }
};

inline constexpr double kLeastRange = 0.2;  // a factor of 1.22

// By trial: log cost of a success; +∞: failed; NaN: pending. At least one must be a success. Cut
// twice as far above the best as the median is, but no nearer than `least_range`.
LogTargets Standardise(const std::vector<double>& log_costs, double least_range = kLeastRange);

// The same, but cut at `cut` above the best and scaled by `deviation`, both known beforehand.
LogTargets Scale(const std::vector<double>& log_costs, double cut, double deviation);

}  // namespace burnish::search
