// Steady-state genetic algorithm (D. Whitley, "The GENITOR Algorithm and Selection Pressure",
// ICGA 1989; uniform crossover: G. Syswerda, same volume).
//
// The population is the fastest configurations observed so far. After a few samples each proposal
// is a child: of two parents chosen by tournament, each parameter from one or the other, repaired
// into the space, then mutated by changes that keep it valid until it is one that is not known.
//
// Asynchronous: children need nothing but the population of the moment, so any number may be
// pending. Proposal n draws from the random stream (seed, "genetic", n). Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "server/search/known_set.h"
#include "server/search/strategy.h"

namespace burnish::search {

class GeneticStrategy : public Strategy {
 public:
  explicit GeneticStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "genetic"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  struct Member {
    space::ConfigurationIndex index = 0;
    double cost = 0;
  };

  // A configuration that is not known.
  space::ConfigurationIndex Child(RandomStream& random) const;
  space::ConfigurationIndex Parent(RandomStream& random) const;

  const space::SearchSpace& space_;
  const uint64_t seed_;
  KnownSet known_;
  std::vector<Member> population_;  // the fastest first
};

std::unique_ptr<Strategy> MakeGenetic(const StrategyContext& context);

}  // namespace burnish::search
