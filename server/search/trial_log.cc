#include "server/search/trial_log.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace burnish::search {
namespace {

constexpr double kLeastCost = 1e-15;  // so that it has a logarithm

}  // namespace

void TrialLog::Add(space::ConfigurationIndex index) {
  if (!trial_of_.try_emplace(index, indices_.size()).second) return;
  indices_.push_back(index);
  log_costs_.push_back(std::numeric_limits<double>::quiet_NaN());
}

void TrialLog::Observe(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    Add(observation.index);
    const size_t trial = trial_of_.at(observation.index);
    double& log_cost = log_costs_[trial];
    if (!std::isnan(log_cost)) continue;
    ++observed_;
    log_cost = std::numeric_limits<double>::infinity();
    if (!Succeeded(observation)) continue;
    log_cost = std::log(std::max(observation.cost(), kLeastCost));
    ++successes_;
    if (!best_ || log_cost < log_costs_[*best_]) best_ = trial;
  }
}

std::vector<size_t> TrialLog::Fastest(size_t count) const {
  std::vector<size_t> fastest;
  for (size_t i = 0; i < indices_.size(); ++i) {
    if (std::isfinite(log_costs_[i])) fastest.push_back(i);
  }
  std::ranges::stable_sort(fastest, {}, [&](size_t trial) { return log_costs_[trial]; });
  fastest.resize(std::min(count, fastest.size()));
  return fastest;
}

}  // namespace burnish::search
