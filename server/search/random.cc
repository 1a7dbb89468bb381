#include "server/search/random.h"

#include "common/base/random.h"

namespace burnish::search {

RandomStrategy::RandomStrategy(const StrategyContext& context)
    : seed_(context.seed), known_(*context.space) {}

std::optional<space::ConfigurationIndex> RandomStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "random", static_cast<uint64_t>(number.value()));
  const space::ConfigurationIndex index = known_.DrawUnknown(random);
  known_.Insert(index);
  return index;
}

void RandomStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) { known_.Insert(index); }

void RandomStrategy::Observe(std::span<const Observation>) {}

std::unique_ptr<Strategy> MakeRandom(const StrategyContext& context) {
  return std::make_unique<RandomStrategy>(context);
}

}  // namespace burnish::search
