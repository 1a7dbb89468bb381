#include "server/search/log_targets.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"

namespace burnish::search {
namespace {

// Successes above this are cut: twice as far above the best as the median is, if that is not too
// near.
double Cap(std::vector<double> successes) {
  constexpr double kLeastRange = 0.2;  // a factor of 1.22
  std::ranges::sort(successes);
  const double least = successes.front();
  const double median = successes[successes.size() / 2];
  return std::min(successes.back(), std::max(least + 2 * (median - least), least + kLeastRange));
}

}  // namespace

LogTargets Standardise(const std::vector<double>& log_latencies) {
  std::vector<double> successes;
  for (const double value : log_latencies) {
    if (std::isfinite(value)) successes.push_back(value);
  }
  CHECK(!successes.empty());
  const double cap = Cap(successes);
  double count = 0;
  double sum = 0;
  double sum_of_squares = 0;
  LogTargets result;
  for (const double value : log_latencies) {
    result.targets.push_back(std::isnan(value) ? value : std::min(value, cap));
    if (std::isnan(value)) continue;
    ++count;
    sum += result.targets.back() - cap;
    sum_of_squares += (result.targets.back() - cap) * (result.targets.back() - cap);
  }
  const double mean = cap + sum / count;
  const double variance = sum_of_squares / count - (sum / count) * (sum / count);
  const double deviation = variance > 1e-20 ? std::sqrt(variance) : 1;
  for (double& target : result.targets) target = (target - mean) / deviation;
  result.best = (std::ranges::min(successes) - mean) / deviation;
  return result;
}

}  // namespace burnish::search
