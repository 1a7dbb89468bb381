#include "server/search/foresight.h"

#include <vector>

#include "server/costmodel/metrics.h"

namespace burnish::search {

Foresight ForesightOf(std::span<const Expectation> expectations,
                      const std::map<TrialNumber, double>& costs) {
  std::vector<double> expected;
  std::vector<double> observed;
  for (const Expectation& expectation : expectations) {
    const auto cost = costs.find(expectation.trial);
    if (cost == costs.end()) continue;
    expected.push_back(expectation.log_cost);
    observed.push_back(cost->second);
  }
  Foresight foresight{.trials = static_cast<int64_t>(observed.size())};
  if (foresight.trials < kLeastForetold) return foresight;
  foresight.rank_correlation = costmodel::SpearmanCorrelation(expected, observed);
  foresight.regret = costmodel::RegretAt(expected, observed, kForetoldBest);
  return foresight;
}

}  // namespace burnish::search
