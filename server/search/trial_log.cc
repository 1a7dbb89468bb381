#include "server/search/trial_log.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/base/check.h"

namespace burnish::search {
namespace {

constexpr double kLeastCost = 1e-15;  // so that it has a logarithm

}  // namespace

void TrialLog::Add(space::ConfigurationIndex index) {
  if (!trial_of_.try_emplace(index, indices_.size()).second) return;
  indices_.push_back(index);
  for (auto& costs : log_costs_) costs.push_back(std::numeric_limits<double>::quiet_NaN());
}

void TrialLog::Observe(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    Add(observation.index);
    const size_t trial = trial_of_.at(observation.index);
    if (!std::isnan(log_costs_[0][trial])) continue;
    ++observed_;
    const bool succeeded = Succeeded(observation) && observation.costs.size() == objectives();
    for (size_t i = 0; i < objectives(); ++i) {
      log_costs_[i][trial] = succeeded ? std::log(std::max(observation.costs[i], kLeastCost))
                                       : std::numeric_limits<double>::infinity();
    }
    if (!succeeded) continue;
    ++successes_;
    if (!best_ || log_costs_[0][trial] < log_costs_[0][*best_]) best_ = trial;
  }
}

std::vector<size_t> TrialLog::Fastest(size_t count) const {
  std::vector<size_t> fastest;
  for (size_t i = 0; i < indices_.size(); ++i) {
    if (std::isfinite(log_costs_[0][i])) fastest.push_back(i);
  }
  std::ranges::stable_sort(fastest, {}, [&](size_t trial) { return log_costs_[0][trial]; });
  fastest.resize(std::min(count, fastest.size()));
  return fastest;
}

TrialLog TrialLog::WithLogCosts(std::vector<double> log_costs) const {
  CHECK(log_costs.size() == size());
  TrialLog with = *this;
  const auto best = std::ranges::min_element(
      log_costs, {}, [](double cost) { return std::isnan(cost) ? INFINITY : cost; });
  if (successes_ > 0) with.best_ = best - log_costs.begin();
  with.log_costs_ = {std::move(log_costs)};
  return with;
}

}  // namespace burnish::search
