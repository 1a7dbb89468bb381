// How promising a candidate is, given what a model believes of it.
#pragma once

#include <cmath>

namespace burnish::costmodel {

// Logarithm of the expected improvement below `best` of a normal belief (J. Mockus, 1975; D. R.
// Jones, M. Schonlau and W. J. Welch, "Efficient Global Optimization", 1998). Far above `best`,
// where it vanishes, an expression that keeps the order of candidates.
inline double LogExpectedImprovement(double mean, double deviation, double best) {
  constexpr double kFar = -6;
  constexpr double kVanished = -1000;
  const double z = (best - mean) / deviation;
  if (!(z >= kFar)) return std::isnan(z) ? -INFINITY : kVanished + z;
  const double density = std::exp(-0.5 * z * z) * 0.3989422804014327;
  const double share = 0.5 * std::erfc(-z * 0.7071067811865476);
  return std::log(deviation * (z * share + density));
}

// The derivatives of LogExpectedImprovement.
struct PromiseSlope {
  double by_mean = 0;
  double by_deviation = 0;
};
inline PromiseSlope SlopeOfLogExpectedImprovement(double mean, double deviation, double best) {
  constexpr double kFar = -6;
  const double z = (best - mean) / deviation;
  if (!(z >= kFar)) return {.by_mean = -1 / deviation, .by_deviation = -z / deviation};
  const double density = std::exp(-0.5 * z * z) * 0.3989422804014327;
  const double share = 0.5 * std::erfc(-z * 0.7071067811865476);
  const double improvement = deviation * (z * share + density);
  return {.by_mean = -share / improvement, .by_deviation = density / improvement};
}

}  // namespace burnish::costmodel
