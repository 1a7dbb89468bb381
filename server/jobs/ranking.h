// The order of a task's trials from the best one on. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/jobs/criteria.h"

namespace burnish::jobs {

struct Ranking {
  // Those that may win. With one objective the best first: what is equal in it by latency, then by
  // trial number. With several: the front (see below), then the others by the first objective.
  std::vector<store::Trial> trials;
  // With several objectives, so many of them are the Pareto front: what no other one clearly
  // dominates (stats/clear_front.h), its knee foremost, then by the first objective.
  size_t front = 0;
};
Ranking Rank(std::span<const store::Trial> trials, const Criteria& criteria);

// Null if it is not there.
const store::Trial* DefaultTrial(std::span<const store::Trial> trials);

// How much of what the default costs the front saves: the hypervolume between both, with every
// objective in units of the default's. Nothing if the default has no figures.
std::optional<double> HypervolumeShare(std::span<const store::Trial> front,
                                       const store::Trial* default_trial, const work::Goals& goals);

}  // namespace burnish::jobs
