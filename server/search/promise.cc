#include "server/search/promise.h"

#include "common/space/neighbours.h"
#include "server/costmodel/acquisition.h"

namespace burnish::search {
namespace {

constexpr double kShareOfNeighbours = 0.3;  // chosen on measured spaces of GPU kernels

}  // namespace

std::optional<space::ConfigurationIndex> Choose(
    const KnownSet& known, const CandidatePool& candidates, const Surrogate::Belief& belief,
    double best, const std::vector<space::ConfigurationIndex>& among) {
  std::optional<space::ConfigurationIndex> chosen;
  double most = 0;
  const auto consider = [&](size_t candidate) {
    const space::ConfigurationIndex index = candidates.At(candidate);
    if (known.Contains(index)) return;
    const double promise = costmodel::LogExpectedImprovement(belief.mean[candidate],
                                                             belief.deviation[candidate], best);
    if (chosen && promise <= most) return;
    most = promise;
    chosen = index;
  };
  for (const space::ConfigurationIndex index : among) {
    if (const auto candidate = candidates.Find(index)) consider(*candidate);
  }
  if (chosen) return chosen;
  for (size_t candidate = 0; candidate < candidates.size(); ++candidate) consider(candidate);
  return chosen;
}

std::vector<space::ConfigurationIndex> NeighboursNowAndThen(const space::SearchSpace& space,
                                                            const TrialLog& trials,
                                                            RandomStream& random) {
  if (random.UniformReal() >= kShareOfNeighbours) return {};
  return space::HammingNeighbours(space, trials.indices()[*trials.best()]);
}

std::optional<space::ConfigurationIndex> MostPromising(const space::SearchSpace& space,
                                                       const KnownSet& known,
                                                       const TrialLog& trials, Surrogate& surrogate,
                                                       RandomStream& random, double least_range) {
  const LogTargets targets = Standardise(trials.log_costs(), least_range);
  const Surrogate::Belief belief = surrogate.Update(trials, targets.targets, random);
  return Choose(known, surrogate.candidates(), belief, targets.best,
                NeighboursNowAndThen(space, trials, random));
}

}  // namespace burnish::search
