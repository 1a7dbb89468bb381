// Observations as targets of a model: logarithms of latencies, standardised.
//
// The slow half is cut off, as what matters is how the fast ones differ; a failure counts as the
// slowest. Not thread-safe.
#pragma once

#include <vector>

namespace burnish::search {

struct LogTargets {
  std::vector<double> targets;  // by trial: standardised; NaN: pending
  double best = 0;              // the least of a success
};

// By trial: log latency of a success; +∞: failed; NaN: pending. At least one must be a success.
LogTargets Standardise(const std::vector<double>& log_latencies);

// The same, but cut at `cut` above the best and scaled by `deviation`, both known beforehand.
LogTargets Scale(const std::vector<double>& log_latencies, double cut, double deviation);

}  // namespace burnish::search
