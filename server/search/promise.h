// The configuration that a model promises most of. Functions are thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "server/search/known_set.h"
#include "server/search/log_targets.h"
#include "server/search/surrogate.h"
#include "server/search/trial_log.h"

namespace burnish::search {

// Trials that owe nothing to a model come first, until so many have succeeded.
inline constexpr size_t kSuccessesToModel = 2;

// What one proposal looks for.
struct Turn {
  std::vector<space::ConfigurationIndex>
      among;          // where, as long as one is unknown; empty: anywhere
  double margin = 0;  // by which the best has to be beaten, in deviations of the targets
};
// Some of the time a neighbour of the best that beats it at all, else something much better.
Turn NextTurn(const space::SearchSpace& space, const TrialLog& trials,
              const Exploration& exploration, RandomStream& random);

struct Choice {
  space::ConfigurationIndex index = 0;
  double log_cost = 0;  // that the model expects
};

// The unknown configuration with the largest expected improvement under a belief about
// `candidates`. Nothing if every candidate is known.
std::optional<Choice> Choose(const KnownSet& known, const CandidatePool& candidates,
                             const Surrogate::Belief& belief, const LogTargets& targets,
                             const Turn& turn);

// Updates the surrogate with the trials, of which one has succeeded, and chooses.
std::optional<Choice> MostPromising(const space::SearchSpace& space, const KnownSet& known,
                                    const TrialLog& trials, const Exploration& exploration,
                                    Surrogate& surrogate, RandomStream& random);

}  // namespace burnish::search
