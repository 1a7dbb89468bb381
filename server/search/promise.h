// The configuration that a model promises most of. Functions are thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/base/random.h"
#include "server/search/known_set.h"
#include "server/search/surrogate.h"
#include "server/search/trial_log.h"

namespace burnish::search {

// Trials that owe nothing to a model come first, until there are so many, and so many successes.
inline constexpr size_t kSamples = 5;
inline constexpr size_t kSuccessesToModel = 2;

// The unknown configuration with the largest expected improvement below `best`, under a belief
// about `candidates`; only of those in `among`, if there are any unknown ones. Nothing if every
// candidate is known.
std::optional<space::ConfigurationIndex> Choose(
    const KnownSet& known, const CandidatePool& candidates, const Surrogate::Belief& belief,
    double best, const std::vector<space::ConfigurationIndex>& among);

// Some of the time the neighbours of the best, else nothing.
std::vector<space::ConfigurationIndex> NeighboursNowAndThen(const space::SearchSpace& space,
                                                            const TrialLog& trials,
                                                            RandomStream& random);

// Updates the surrogate with the trials, of which one has succeeded, and chooses.
std::optional<space::ConfigurationIndex> MostPromising(const space::SearchSpace& space,
                                                       const KnownSet& known,
                                                       const TrialLog& trials, Surrogate& surrogate,
                                                       RandomStream& random);

}  // namespace burnish::search
