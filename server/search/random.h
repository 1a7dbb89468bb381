// Uniform random search without repetition.
//
// Proposal n is drawn from its own random stream (seed, "random", n), so it depends on nothing but
// the seed, the number and the set of known configurations. Not thread-safe.
#pragma once

#include <memory>

#include "server/search/known_set.h"
#include "server/search/strategy.h"

namespace burnish::search {

class RandomStrategy : public Strategy {
 public:
  explicit RandomStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "random"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  const uint64_t seed_;
  KnownSet known_;
};

std::unique_ptr<Strategy> MakeRandom(const StrategyContext& context);

}  // namespace burnish::search
