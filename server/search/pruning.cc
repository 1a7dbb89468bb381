#include "server/search/pruning.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/numbers.h"
#include "common/base/random.h"

namespace burnish::search {
namespace {

constexpr int kPrunedAtOnce = 16;  // for one proposal
// Then one that may win is looked for in all of a space of so many, and among draws from others.
constexpr uint64_t kLookedThrough = uint64_t{1} << 16;
constexpr uint64_t kDrawn = 1'000;

}  // namespace

PruningStrategy::PruningStrategy(std::unique_ptr<Strategy> strategy, const StrategyContext& context)
    : strategy_(std::move(strategy)),
      space_(*context.space),
      seed_(context.seed),
      bound_(context.bound),
      known_(*context.space) {}

std::optional<space::ConfigurationIndex> PruningStrategy::Propose(TrialNumber number) {
  for (int pruned = 0; pruned < kPrunedAtOnce; ++pruned) {
    const std::optional<space::ConfigurationIndex> index = strategy_->Propose(number);
    if (!index) return std::nullopt;
    known_.Insert(*index);
    if (MayWin(*index)) return index;
    Prune(number, *index);
  }
  const std::optional<space::ConfigurationIndex> found = Find(number);
  if (found) Adopt(number, *found);
  return found;
}

bool PruningStrategy::MayWin(space::ConfigurationIndex index) const {
  return !best_seconds_ || !(bound_(index) > *best_seconds_);
}

void PruningStrategy::Prune(TrialNumber number, space::ConfigurationIndex index) {
  pruned_ = {.count = pruned_ ? pruned_->count + 1 : 1,
             .latest = index,
             .least_seconds = bound_(index),
             .best_seconds = *best_seconds_};
  const Observation least = {.trial = number,
                             .index = index,
                             .outcome = work::Outcome::kOk,
                             .costs = {pruned_->least_seconds}};
  strategy_->Observe(std::span(&least, 1));
}

std::optional<space::ConfigurationIndex> PruningStrategy::Find(TrialNumber number) const {
  RandomStream random(seed_, "pruning", static_cast<uint64_t>(number.value()));
  const bool all = space_.Enumerable() && space_.size() <= kLookedThrough;
  const space::ConfigurationIndex start = random.UniformBelow(space_.IndexEnd());
  for (uint64_t i = 0; i < (all ? space_.size() : kDrawn); ++i) {
    const auto index = all ? (start + i) % space_.size() : space_.Sample(random);
    if (!known_.Contains(index) && MayWin(index)) return index;
  }
  return std::nullopt;
}

void PruningStrategy::Adopt(TrialNumber number, space::ConfigurationIndex index) {
  known_.Insert(index);
  strategy_->Adopt(number, index);
}

void PruningStrategy::Observe(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    if (!Succeeded(observation)) continue;
    best_seconds_ = std::min(best_seconds_.value_or(observation.cost()), observation.cost());
  }
  strategy_->Observe(observations);
}

std::string PrunedText(const Pruned& pruned, const space::SearchSpace& space) {
  return absl::StrCat("by the roofline ", pruned.count,
                      pruned.count == 1 ? " configuration, e.g. " : " configurations, e.g. ",
                      space::ToJson(space.At(pruned.latest)), ": at least ",
                      FormatSeconds(pruned.least_seconds), ", the best ",
                      FormatSeconds(pruned.best_seconds));
}

}  // namespace burnish::search
