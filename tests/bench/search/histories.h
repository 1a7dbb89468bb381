// Histories of a space, true ones and wrong ones, out of the other spaces. Deterministic.
#pragma once

#include <vector>

#include "server/search/strategy.h"
#include "tests/bench/search/spaces.h"

namespace burnish::bench {

enum class History {
  kNone,
  kTrue,         // the other devices with the same kernel
  kOtherKernel,  // other kernels that have parameters of the same names
  kInverted,     // true, but what was fast is slow: t becomes best * worst / t
  kPermuted,     // true, but each time belongs to another configuration
};

// For each space; empty where it has none of that kind.
std::vector<std::vector<search::HistorySource>> HistoriesOf(const std::vector<Space>& spaces,
                                                            History kind);

// The curve of a look-up without learning: every configuration of the space, in the order of the
// mean over `history` of log(time / best), where what failed or is not known took 20 times the
// best.
std::vector<double> MeanRankCurve(const Space& space,
                                  const std::vector<search::HistorySource>& history);

}  // namespace burnish::bench
