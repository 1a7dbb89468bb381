#include "server/search/bayesian.h"

#include <limits>
#include <vector>

#include "common/base/random.h"
#include "common/space/neighbours.h"
#include "server/costmodel/acquisition.h"
#include "server/search/log_targets.h"

namespace burnish::search {
namespace {

// Chosen on measured spaces of GPU kernels.
constexpr size_t kSamples = 5;
constexpr size_t kSuccessesToModel = 2;
constexpr double kShareOfNeighbours = 0.3;

}  // namespace

BayesianStrategy::BayesianStrategy(const StrategyContext& context)
    : space_(*context.space),
      seed_(context.seed),
      known_(*context.space),
      surrogate_(*context.space) {}

std::optional<space::ConfigurationIndex> BayesianStrategy::Propose(TrialNumber number) {
  if (known_.Full()) return std::nullopt;
  RandomStream random(seed_, "bayesian", static_cast<uint64_t>(number.value()));
  std::optional<space::ConfigurationIndex> next;
  if (known_.size() >= kSamples && trials_.successes() >= kSuccessesToModel) {
    next = MostPromising(random);
  }
  if (!next) next = known_.DrawCovering(random);
  Adopt(number, *next);
  return next;
}

void BayesianStrategy::Adopt(TrialNumber, space::ConfigurationIndex index) {
  known_.Insert(index);
  trials_.Add(index);
}

void BayesianStrategy::Observe(std::span<const Observation> observations) {
  trials_.Observe(observations);
}

std::optional<space::ConfigurationIndex> BayesianStrategy::MostPromising(RandomStream& random) {
  const LogTargets targets = Standardise(trials_.log_latencies());
  const Surrogate::Belief belief = surrogate_.Update(trials_, targets.targets, random);
  const CandidatePool& candidates = surrogate_.candidates();
  std::optional<space::ConfigurationIndex> most_promising;
  double most = 0;
  const auto consider = [&](size_t candidate) {
    const space::ConfigurationIndex index = candidates.At(candidate);
    if (known_.Contains(index)) return;
    const double promise = costmodel::LogExpectedImprovement(
        belief.mean[candidate], belief.deviation[candidate], targets.best);
    if (most_promising && promise <= most) return;
    most = promise;
    most_promising = index;
  };
  if (random.UniformReal() < kShareOfNeighbours) {
    const space::ConfigurationIndex centre = trials_.indices()[*trials_.best()];
    for (const space::ConfigurationIndex neighbour : space::HammingNeighbours(space_, centre)) {
      consider(*candidates.Find(neighbour));
    }
  }
  if (most_promising) return most_promising;
  for (size_t candidate = 0; candidate < candidates.size(); ++candidate) consider(candidate);
  return most_promising;
}

std::unique_ptr<Strategy> MakeBayesian(const StrategyContext& context) {
  return std::make_unique<BayesianStrategy>(context);
}

}  // namespace burnish::search
