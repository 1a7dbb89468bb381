// The Pareto front of points that were measured: those that no other one clearly dominates
// (pareto.h). What noise cannot tell from a point of the front stands in it, too. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/stats/pareto.h"

namespace burnish::stats {

// Positions, by the first coordinate, ascending; of points with equal values the first. Looks at
// all other points for each one of the front, at the front alone for nearly all others.
std::vector<size_t> ClearFront(std::span<const std::vector<Measured>> points);

}  // namespace burnish::stats
