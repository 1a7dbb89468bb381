// ParEGO (J. Knowles, "ParEGO: A Hybrid Algorithm with On-Line Landscape Approximation for
// Expensive Multiobjective Optimization Problems", IEEE Transactions on Evolutionary Computation,
// 2006): each proposal weighs the objectives at random and is one of Bayesian optimisation of the
// augmented Tchebycheff sum of their logarithms, which has its least value on the Pareto front, at
// a place that depends on the weights. So proposals spread along the front, however it is bent.
//
// With one objective it is bayesian.h, and asynchronous as that is. Proposal n draws from the
// random stream (seed, "parego", n). Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "server/search/known_set.h"
#include "server/search/strategy.h"
#include "server/search/surrogate.h"
#include "server/search/trial_log.h"

namespace burnish::search {

class ParegoStrategy : public Strategy {
 public:
  explicit ParegoStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "parego"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  const space::SearchSpace& space_;
  const uint64_t seed_;
  Exploration exploration_;
  KnownSet known_;
  TrialLog trials_;
  Surrogate surrogate_;
};

std::unique_ptr<Strategy> MakeParego(const StrategyContext& context);

}  // namespace burnish::search
