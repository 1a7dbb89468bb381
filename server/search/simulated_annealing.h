// Simulated annealing (S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by Simulated
// Annealing", Science 220, 1983) over valid neighbours.
//
// After a few samples a chain walks: unknown neighbours of the current point are proposed, and one
// that was measured becomes the current point if it is faster, or by chance, the rarer the slower
// it is relative to the current one and the lower the temperature. That falls geometrically from
// the first trial of the budget to the last. A chain that finds nothing faster for a while, or has
// used up its neighbourhood, gives way to a new one from anywhere.
//
// Asynchronous: any number of proposals may be pending. Each carries the number of its chain, so
// that what an earlier chain left pending does not move a later one, unless it is the best of all.
// Proposal n draws from the random stream (seed, "simulated_annealing", n), its chance of being
// accepted included. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "server/search/known_set.h"
#include "server/search/strategy.h"

namespace burnish::search {

class SimulatedAnnealingStrategy : public Strategy {
 public:
  explicit SimulatedAnnealingStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "simulated_annealing"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  struct Point {
    space::ConfigurationIndex index = 0;
    double cost = 0;
  };
  struct Pending {
    int64_t chain = 0;
    double largest_slowdown = 0;  // relative, with which it is still accepted
  };

  double TemperatureAt(TrialNumber number) const;
  // Nothing if all neighbours of the current point are known.
  std::optional<space::ConfigurationIndex> Step(RandomStream& random) const;

  const space::SearchSpace& space_;
  const uint64_t seed_;
  const int64_t budget_trials_;
  KnownSet known_;
  absl::flat_hash_map<space::ConfigurationIndex, Pending> pending_;
  int64_t chain_ = 0;
  int without_gain_ = 0;          // trials of this chain since it last found something faster
  std::optional<Point> current_;  // of this chain
  std::optional<Point> best_;
};

std::unique_ptr<Strategy> MakeSimulatedAnnealing(const StrategyContext& context);

}  // namespace burnish::search
