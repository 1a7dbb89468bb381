// Iterated local search (H. R. Lourenço, O. C. Martin and T. Stützle, "Iterated Local Search",
// Handbook of Metaheuristics, 2003), which on the spaces of GPU kernels is among the best from a
// hundred evaluations on (R. A. Schoonhoven et al., "Benchmarking Optimization Algorithms for
// Auto-Tuning GPU Kernels", IEEE TEVC, 2022).
//
// After a few samples it walks: unknown neighbours of the current point are proposed in random
// order, and the first one found to be faster becomes the current point. When a neighbourhood is
// used up, a new walk starts from the best point with a few parameters changed, or from anywhere.
//
// Asynchronous: any number of proposals may be pending. Each carries the number of its walk, so
// that what an earlier walk left pending does not end a later one, unless it is the best of all.
// Proposal n draws from the random stream (seed, "local", n). Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "server/search/known_set.h"
#include "server/search/strategy.h"

namespace burnish::search {

class LocalStrategy : public Strategy {
 public:
  explicit LocalStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "local"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  struct Point {
    space::ConfigurationIndex index = 0;
    double cost = 0;
  };

  void Remember(space::ConfigurationIndex index, int64_t walk);
  // One in which any parameter may get any value, whatever else has to change for that.
  std::optional<space::ConfigurationIndex> UnknownWithOtherValue(RandomStream& random) const;
  space::ConfigurationIndex StartOfWalk(RandomStream& random) const;

  const space::SearchSpace& space_;
  const uint64_t seed_;
  KnownSet known_;
  absl::flat_hash_map<space::ConfigurationIndex, int64_t> walk_of_;  // what is pending
  int64_t walk_ = 0;
  std::optional<Point> current_;  // of this walk
  std::optional<Point> best_;
};

std::unique_ptr<Strategy> MakeLocal(const StrategyContext& context);

}  // namespace burnish::search
