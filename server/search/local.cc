#include "server/search/local.h"

#include "common/base/random.h"
#include "common/space/neighbours.h"

namespace burnish::search {
namespace {

// Chosen on measured spaces of GPU kernels; between 5 and 16 samples, 2 and 5 changes, and any
// share of moves with repair, differences are within the noise.
constexpr uint64_t kSamples = 10;
constexpr double kShareWithOtherValue = 0.1;
constexpr double kShareOfRestarts = 0.5;
constexpr int kChangesOfKick = 3;
constexpr int kDrawsOfKick = 4;  // before the walk starts anywhere

}  // namespace

LocalStrategy::LocalStrategy(const StrategyContext& context)
    : space_(*context.space), seed_(context.seed), known_(*context.space) {}

std::optional<space::ConfigurationIndex> LocalStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "local", static_cast<uint64_t>(number.value()));
  if (known_.size() < kSamples || !current_) {
    const space::ConfigurationIndex sample = known_.DrawCovering(random);
    Remember(sample, walk_);
    return sample;
  }
  std::optional<space::ConfigurationIndex> next;
  if (random.UniformReal() < kShareWithOtherValue) next = UnknownWithOtherValue(random);
  if (!next) next = known_.DrawNeighbour(current_->index, random);
  if (next) {
    Remember(*next, walk_);
  } else {
    next = StartOfWalk(random);
    Remember(*next, walk_ + 1);
  }
  return next;
}

void LocalStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) { Remember(index, walk_); }

void LocalStrategy::Observe(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    const auto pending = walk_of_.find(observation.index);
    const int64_t walk = pending == walk_of_.end() ? 0 : pending->second;
    if (pending != walk_of_.end()) walk_of_.erase(pending);
    if (!Succeeded(observation)) continue;
    const Point point{observation.index, observation.cost()};
    const bool is_best = !best_ || point.cost < best_->cost;
    if (is_best) best_ = point;
    const bool starts = walk > walk_;
    const bool improves = walk == walk_ && (!current_ || point.cost < current_->cost);
    if (starts) walk_ = walk;
    if (is_best || starts || improves) current_ = point;
  }
}

void LocalStrategy::Remember(space::ConfigurationIndex index, int64_t walk) {
  known_.Insert(index);
  walk_of_[index] = walk;
}

std::optional<space::ConfigurationIndex> LocalStrategy::UnknownWithOtherValue(
    RandomStream& random) const {
  const space::ConfigurationIndex other = space::WithRandomValue(space_, current_->index, random);
  if (known_.Contains(other)) return std::nullopt;
  return other;
}

space::ConfigurationIndex LocalStrategy::StartOfWalk(RandomStream& random) const {
  if (random.UniformReal() < kShareOfRestarts) return known_.DrawUnknown(random);
  for (int draw = 0; draw < kDrawsOfKick; ++draw) {
    space::ConfigurationIndex start = best_->index;
    for (int change = 0; change < kChangesOfKick; ++change) {
      start = space::WithRandomValue(space_, start, random);
    }
    if (!known_.Contains(start)) return start;
  }
  return known_.DrawUnknown(random);
}

std::unique_ptr<Strategy> MakeLocal(const StrategyContext& context) {
  return std::make_unique<LocalStrategy>(context);
}

}  // namespace burnish::search
