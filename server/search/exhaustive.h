// Every configuration of the space once.
//
// Walks the indices by a stride that shares no factor with the size of the space, so that a search
// cut short has looked everywhere and not only at the first values of the first parameter. Start
// and stride come from the seed. In a lazy space most indices are of no configuration and skipped.
// Not thread-safe.
#pragma once

#include <memory>

#include "absl/container/flat_hash_set.h"
#include "server/search/strategy.h"

namespace burnish::search {

class ExhaustiveStrategy : public Strategy {
 public:
  explicit ExhaustiveStrategy(const StrategyContext& context);
  std::string_view Name() const override { return "exhaustive"; }
  std::optional<space::ConfigurationIndex> Propose(TrialNumber number) override;
  void Adopt(TrialNumber number, space::ConfigurationIndex index) override;
  void Observe(std::span<const Observation> observations) override;

 private:
  space::ConfigurationIndex Step();

  const space::SearchSpace& space_;
  const uint64_t end_;  // of the indices
  uint64_t stride_ = 1;
  uint64_t next_ = 0;
  uint64_t walked_ = 0;
  absl::flat_hash_set<space::ConfigurationIndex> adopted_;
};

std::unique_ptr<Strategy> MakeExhaustive(const StrategyContext& context);

}  // namespace burnish::search
