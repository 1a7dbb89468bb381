// Climbs the expected improvement under a Gaussian process by its gradient, between the
// configurations, and rounds what it reaches into the space: gradient descent on a differentiable
// cost model with rounding, as in Y. Zhao, H. Sharif, V. Adve and S. Misailovic, "Felix: Optimizing
// Tensor Programs with Gradient Descent", ASPLOS 2024, with the model of bayesian.h. It starts from
// the fastest trials and from draws, steps by Rprop (M. Riedmiller and H. Braun, ICNN 1993), rounds
// where it ends to valid configurations, and takes the most promising of the best of them and of
// what differs from it in one parameter.
//
// What a proposal costs does not depend on the size of the space. Asynchronous, as bayesian.h is.
// Proposal n draws from the random stream (seed, "gradient", n). Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/base/random.h"
#include "server/search/known_set.h"
#include "server/search/strategy.h"
#include "server/search/surrogate.h"
#include "server/search/trial_log.h"

namespace burnish::search {

class GradientStrategy : public Strategy {
 public:
  explicit GradientStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "gradient"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  std::optional<space::ConfigurationIndex> Climb(RandomStream& random);
  // Where the climb from a point ends.
  Eigen::VectorXd TopFrom(Eigen::VectorXd point, double best) const;
  // A valid configuration with the values nearest to a point.
  space::ConfigurationIndex Rounded(const Eigen::VectorXd& point, RandomStream& random) const;

  const space::SearchSpace& space_;
  const uint64_t seed_;
  const Exploration exploration_;
  KnownSet known_;
  TrialLog trials_;
  Surrogate surrogate_;
};

std::unique_ptr<Strategy> MakeGradient(const StrategyContext& context);

}  // namespace burnish::search
