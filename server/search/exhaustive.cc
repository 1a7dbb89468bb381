#include "server/search/exhaustive.h"

#include <numeric>

#include "common/base/check.h"
#include "common/base/random.h"

namespace burnish::search {

ExhaustiveStrategy::ExhaustiveStrategy(const StrategyContext& context)
    : space_size_(context.space->size()) {
  RandomStream random(context.seed, "exhaustive");
  next_ = random.UniformBelow(space_size_);
  do {
    stride_ = 1 + random.UniformBelow(space_size_);
  } while (std::gcd(stride_, space_size_) != 1);
}

std::optional<space::ConfigurationIndex> ExhaustiveStrategy::Propose(TrialNumber) {
  while (walked_ < space_size_) {
    const space::ConfigurationIndex index = Step();
    if (!adopted_.contains(index)) return index;
  }
  return std::nullopt;
}

void ExhaustiveStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  CHECK(index < space_size_) << "adopted configuration " << index << " of " << space_size_;
  adopted_.insert(index);
}

void ExhaustiveStrategy::Observe(std::span<const Observation>) {}

space::ConfigurationIndex ExhaustiveStrategy::Step() {
  const space::ConfigurationIndex index = next_;
  // stride_ <= space_size_, and sizes are far below 2^63: no overflow.
  next_ = (next_ + stride_) % space_size_;
  ++walked_;
  return index;
}

std::unique_ptr<Strategy> MakeExhaustive(const StrategyContext& context) {
  return std::make_unique<ExhaustiveStrategy>(context);
}

}  // namespace burnish::search
