// Pareto fronts: points none of which is worse than another one in every respect. All coordinates
// are minimised and finite; every point has as many. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/stats/statistics.h"

namespace burnish::stats {

using Point = std::vector<double>;

// A value that was measured: it lies in the interval with 95 % probability.
struct Measured {
  double value = 0;
  Interval interval;
};

// Nowhere worse, somewhere better.
bool Dominates(std::span<const double> a, std::span<const double> b);
// The same for what was measured: nowhere worse, and in one respect better by more than noise
// explains (the intervals do not overlap). As it implies that the values dominate, there are no
// cycles: some point is always left.
bool ClearlyDominates(std::span<const Measured> a, std::span<const Measured> b);

// Points that no other one dominates, by the first coordinate, ascending; of equal points the
// first.
std::vector<size_t> ParetoFront(std::span<const Point> points);
// Rank of each point: 0 for the front, 1 for the front of what remains without it, … (Deb et al.
// 2002, NSGA-II.)
std::vector<size_t> NondominatedRanks(std::span<const Point> points);
// How far each point is from its neighbours along the coordinates, of points of one rank; infinite
// at the ends. (The same.)
std::vector<double> CrowdingDistances(std::span<const Point> points);

// The volume that is dominated by the points and dominates the reference, exactly: slice by slice
// along the last coordinate (E. Zitzler, "Evolutionary Algorithms for Multiobjective Optimization",
// 1999). n points take n log n steps with two coordinates, n times as many for each one more.
double Hypervolume(std::span<const Point> points, const Point& reference);

// The compromise: of the front's points, each coordinate scaled to 0…1, the one whose coordinates
// have the least sum; with two coordinates it is the farthest below the line through the ends. A
// coordinate that is positive everywhere is scaled by its logarithm. Nothing of an empty front.
std::optional<size_t> Knee(std::span<const Point> front);

}  // namespace burnish::stats
