#include "server/search/exhaustive.h"

#include <numeric>

#include "common/base/check.h"
#include "common/base/random.h"

namespace burnish::search {

ExhaustiveStrategy::ExhaustiveStrategy(const StrategyContext& context)
    : space_(*context.space), end_(context.space->IndexEnd()) {
  RandomStream random(context.seed, "exhaustive");
  next_ = random.UniformBelow(end_);
  do {
    stride_ = 1 + random.UniformBelow(end_);
  } while (std::gcd(stride_, end_) != 1);
}

std::optional<space::ConfigurationIndex> ExhaustiveStrategy::Propose(TrialNumber) {
  while (walked_ < end_) {
    const space::ConfigurationIndex index = Step();
    if (!adopted_.contains(index) && space_.Contains(index)) return index;
  }
  return std::nullopt;
}

void ExhaustiveStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  CHECK(index < end_) << "adopted configuration " << index << " of " << end_;
  adopted_.insert(index);
}

void ExhaustiveStrategy::Observe(std::span<const Observation>) {}

space::ConfigurationIndex ExhaustiveStrategy::Step() {
  const space::ConfigurationIndex index = next_;
  // stride_ <= end_, which is below 2^63: no overflow.
  next_ = (next_ + stride_) % end_;
  ++walked_;
  return index;
}

std::unique_ptr<Strategy> MakeExhaustive(const StrategyContext& context) {
  return std::make_unique<ExhaustiveStrategy>(context);
}

}  // namespace burnish::search
