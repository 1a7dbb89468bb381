#include "server/search/promise.h"

#include "common/space/neighbours.h"
#include "server/costmodel/acquisition.h"

namespace burnish::search {

std::optional<Choice> Choose(const KnownSet& known, const CandidatePool& candidates,
                             const Surrogate::Belief& belief, const LogTargets& targets,
                             const Turn& turn) {
  std::optional<Choice> chosen;
  double most = 0;
  const auto consider = [&](size_t candidate) {
    const space::ConfigurationIndex index = candidates.At(candidate);
    if (known.Contains(index)) return;
    const double promise = costmodel::LogExpectedImprovement(
        belief.mean[candidate], belief.deviation[candidate], targets.best - turn.margin);
    if (chosen && promise <= most) return;
    most = promise;
    chosen = {.index = index, .log_cost = targets.LogCost(belief.mean[candidate])};
  };
  for (const space::ConfigurationIndex index : turn.among) {
    if (const auto candidate = candidates.Find(index)) consider(*candidate);
  }
  if (chosen) return chosen;
  for (size_t candidate = 0; candidate < candidates.size(); ++candidate) consider(candidate);
  return chosen;
}

Turn NextTurn(const space::SearchSpace& space, const TrialLog& trials,
              const Exploration& exploration, RandomStream& random) {
  if (random.UniformReal() >= exploration.share_of_neighbours) {
    return {.among = {}, .margin = exploration.margin};
  }
  return {.among = space::HammingNeighbours(space, trials.indices()[*trials.best()]), .margin = 0};
}

std::optional<Choice> MostPromising(const space::SearchSpace& space, const KnownSet& known,
                                    const TrialLog& trials, const Exploration& exploration,
                                    Surrogate& surrogate, RandomStream& random) {
  const LogTargets targets = Standardise(trials.log_costs());
  const Surrogate::Belief belief = surrogate.Update(trials, targets.targets, random);
  return Choose(known, surrogate.candidates(), belief, targets,
                NextTurn(space, trials, exploration, random));
}

}  // namespace burnish::search
