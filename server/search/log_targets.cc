#include "server/search/log_targets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/check.h"

namespace burnish::search {
namespace {

std::vector<double> SortedSuccesses(const std::vector<double>& log_costs) {
  std::vector<double> successes;
  for (const double value : log_costs) {
    if (std::isfinite(value)) successes.push_back(value);
  }
  CHECK(!successes.empty());
  std::ranges::sort(successes);
  return successes;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

// Of what is not NaN.
Moments MomentsOf(const std::vector<double>& values) {
  double count = 0;
  double sum = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    ++count;
    sum += value;
  }
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - mean) * (value - mean);
  }
  return {.mean = mean, .deviation = std::sqrt(squares / count)};
}

// Values above `cap` become it, NaN stays.
std::vector<double> Cut(const std::vector<double>& log_costs, double cap) {
  std::vector<double> cut;
  for (const double value : log_costs) {
    cut.push_back(std::isnan(value) ? value : std::min(value, cap));
  }
  return cut;
}

LogTargets Shifted(std::vector<double> values, double best, double mean, double deviation) {
  for (double& value : values) value = (value - mean) / deviation;
  return {.targets = std::move(values),
          .best = (best - mean) / deviation,
          .mean = mean,
          .deviation = deviation};
}

}  // namespace

LogTargets Standardise(const std::vector<double>& log_costs, double least_range) {
  constexpr double kEqual = 1e-10;  // deviation below which all are the same
  const std::vector<double> successes = SortedSuccesses(log_costs);
  const double best = successes.front();
  const double median = successes[successes.size() / 2];
  const double range = std::max(2 * (median - best), least_range);
  std::vector<double> values = Cut(log_costs, std::min(successes.back(), best + range));
  const Moments moments = MomentsOf(values);
  return Shifted(std::move(values), best, moments.mean,
                 moments.deviation > kEqual ? moments.deviation : 1);
}

LogTargets Scale(const std::vector<double>& log_costs, double cut, double deviation) {
  constexpr size_t kFew = 8;  // successes, of which the slowest is no bound yet
  const std::vector<double> successes = SortedSuccesses(log_costs);
  double cap = successes.front() + cut;
  if (successes.size() >= kFew) cap = std::min(cap, successes.back());
  std::vector<double> values = Cut(log_costs, cap);
  const double mean = MomentsOf(values).mean;
  return Shifted(std::move(values), successes.front(), mean, deviation);
}

}  // namespace burnish::search
