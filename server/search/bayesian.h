// Bayesian optimisation with a Gaussian process (J. Snoek, H. Larochelle and R. P. Adams,
// "Practical Bayesian Optimization of Machine Learning Algorithms", NeurIPS 2012), made for spaces
// of kernels: the process models the logarithm of the latency, cut at the slow end, over all
// configurations of the space; what is proposed has the largest expected improvement, among all
// configurations or, now and then, among the neighbours of the best.
//
// Asynchronous: pending trials reduce the model's uncertainty and move nothing else (D.
// Ginsbourger, R. Le Riche and L. Carraro, "Kriging is well-suited to parallelize optimization",
// 2010: the kriging believer). Proposal n draws from the random stream (seed, "bayesian", n). Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "server/search/known_set.h"
#include "server/search/strategy.h"
#include "server/search/surrogate.h"
#include "server/search/trial_log.h"

namespace burnish::search {

class BayesianStrategy : public Strategy {
 public:
  explicit BayesianStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "bayesian"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;
  std::span<const Expectation> expectations() const override { return expectations_; }

 private:
  const space::SearchSpace& space_;
  const uint64_t seed_;
  const Exploration exploration_;
  KnownSet known_;
  TrialLog trials_;
  std::vector<Expectation> expectations_;
  Surrogate surrogate_;
};

std::unique_ptr<Strategy> MakeBayesian(const StrategyContext& context);

}  // namespace burnish::search
