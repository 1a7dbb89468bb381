#include "server/search/random.h"

#include "common/base/check.h"
#include "common/base/random.h"

namespace burnish::search {
namespace {

// Draws before the unknown configurations are counted instead: reached in practice only when all
// but a small part of the space is known, which bounds what the counting costs over a whole search.
constexpr int kDraws = 64;

}  // namespace

RandomStrategy::RandomStrategy(const StrategyContext& context)
    : space_size_(context.space->size()), seed_(context.seed) {}

std::optional<space::ConfigurationIndex> RandomStrategy::Propose(TrialNumber number) {
  if (known_.size() == space_size_) return std::nullopt;
  RandomStream random(seed_, "random", static_cast<uint64_t>(number.value()));
  for (int draw = 0; draw < kDraws; ++draw) {
    const space::ConfigurationIndex index = random.UniformBelow(space_size_);
    if (known_.insert(index).second) return index;
  }
  const space::ConfigurationIndex index =
      UnknownAt(random.UniformBelow(space_size_ - known_.size()));
  known_.insert(index);
  return index;
}

void RandomStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  CHECK(index < space_size_) << "adopted configuration " << index << " of " << space_size_;
  known_.insert(index);
}

void RandomStrategy::Observe(std::span<const Observation>) {}

space::ConfigurationIndex RandomStrategy::UnknownAt(uint64_t rank) const {
  space::ConfigurationIndex index = 0;
  while (known_.contains(index) || rank-- > 0) ++index;
  return index;
}

std::unique_ptr<Strategy> MakeRandom(const StrategyContext& context) {
  return std::make_unique<RandomStrategy>(context);
}

}  // namespace burnish::search
