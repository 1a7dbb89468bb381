// Made-up spaces with two costs whose Pareto fronts are known, as all of each space is computed.
// Deterministic.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/space/search_space.h"
#include "common/stats/pareto.h"

namespace burnish::bench {

struct ParetoSpace {
  std::string name;
  space::SearchSpace space;
  // Of a configuration; empty: it fails.
  std::function<stats::Point(space::ConfigurationIndex)> costs;
  // Volumes count up to here: a tenth of the front's extent beyond its ends.
  stats::Point reference;
  double front_volume = 0;
  size_t front_size = 0;
};

// Parameters are powers of two, other numbers, switches and names, under constraints:
// - discretised test functions: ZDT1 and ZDT3 (E. Zitzler, K. Deb and L. Thiele, "Comparison of
//   Multiobjective Evolutionary Algorithms", 2000), whose fronts are convex and in pieces, and
//   DTLZ2 (K. Deb et al., "Scalable Multi-Objective Optimization Test Problems", 2002), whose front
//   is concave;
// - latency and energy as tiled kernels have them, with a clock to choose.
std::vector<ParetoSpace> ParetoSpaces();

}  // namespace burnish::bench
