// How well a search's model knew beforehand what its trials would cost. A pure function.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "server/search/strategy.h"

namespace burnish::search {

struct Foresight {
  int64_t trials = 0;  // that a model chose and that succeeded
  // costmodel::SpearmanCorrelation and RegretAt of expected against observed costs; nothing with
  // fewer than kLeastForetold trials.
  std::optional<double> rank_correlation;
  std::optional<double> regret;  // of the kForetoldBest of which most was expected
};
inline constexpr int64_t kLeastForetold = 20;
inline constexpr size_t kForetoldBest = 10;

// `costs`: the first cost of each trial that succeeded.
Foresight ForesightOf(std::span<const Expectation> expectations,
                      const std::map<TrialNumber, double>& costs);

}  // namespace burnish::search
