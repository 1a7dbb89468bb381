// Keeps a strategy from what cannot beat the best: a proposal whose lower bound of the latency is
// above the best latency so far is not made. The strategy is told that it took as long as the
// bound, which is the least it would have, and asked again, a few times; then another that
// may still win is looked for, and the search ends when none is found: in spaces of up to 65,536
// all are looked at, in larger ones draws.
//
// Deterministic as the strategy is, given the bound. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "server/search/known_set.h"
#include "server/search/strategy.h"

namespace burnish::search {

class PruningStrategy : public Strategy {
 public:
  // Of the strategy's context, which has a bound.
  PruningStrategy(std::unique_ptr<Strategy> strategy, const StrategyContext& context);
  std::string_view Name() const override { return strategy_->Name(); }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;
  std::optional<Pruned> pruned() const override { return pruned_; }
  std::span<const Expectation> expectations() const override { return strategy_->expectations(); }

 private:
  bool MayWin(space::ConfigurationIndex index) const;
  void Prune(TrialNumber number, space::ConfigurationIndex index);
  // An unknown one that may win.
  std::optional<space::ConfigurationIndex> Find(TrialNumber number) const;

  const std::unique_ptr<Strategy> strategy_;
  const space::SearchSpace& space_;
  const uint64_t seed_;
  const LatencyBound bound_;
  KnownSet known_;  // proposed, adopted or pruned
  std::optional<double> best_seconds_;
  std::optional<Pruned> pruned_;
};

// `by the roofline 312 configurations, e.g. {"TILE": 4}: at least 4.100 ms, the best 3.900 ms`
std::string PrunedText(const Pruned& pruned, const space::SearchSpace& space);

}  // namespace burnish::search
