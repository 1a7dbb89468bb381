#include "server/search/bayesian.h"

#include "common/base/random.h"
#include "server/search/promise.h"

namespace burnish::search {

BayesianStrategy::BayesianStrategy(const StrategyContext& context)
    : space_(*context.space),
      seed_(context.seed),
      exploration_(context.exploration),
      known_(*context.space),
      surrogate_(*context.space) {}

std::optional<space::ConfigurationIndex> BayesianStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "bayesian", static_cast<uint64_t>(number.value()));
  std::optional<Choice> choice;
  if (known_.size() >= exploration_.samples && trials_.successes() >= kSuccessesToModel) {
    choice = MostPromising(space_, known_, trials_, exploration_, surrogate_, random);
  }
  if (choice) expectations_.push_back({number, choice->log_cost});
  const space::ConfigurationIndex next = choice ? choice->index : known_.DrawCovering(random);
  Adopt(number, next);
  return next;
}

void BayesianStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  known_.Insert(index);
  trials_.Add(index);
}

void BayesianStrategy::Observe(std::span<const Observation> observations) {
  trials_.Observe(observations);
}

std::unique_ptr<Strategy> MakeBayesian(const StrategyContext& context) {
  return std::make_unique<BayesianStrategy>(context);
}

}  // namespace burnish::search
