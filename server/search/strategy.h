// A search strategy chooses the next configuration to measure.
//
// A proposal is a function of (seed, trial number, observations seen, trials pending). The caller
// feeds observations in the order in which trials finished and asks for proposals one by one;
// after a restart it repeats the same calls from the stored trials and gets the same strategy.
// Not thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/space/search_space.h"
#include "common/work/measurement.h"

namespace burnish::search {

struct Observation {
  TrialNumber trial;
  space::ConfigurationIndex index = 0;
  work::Outcome outcome = work::Outcome::kInfrastructure;
  // With outcome ok only: one for each objective, positive or 0, the less the better (seconds of
  // latency; of a metric that is maximised, one over it).
  std::vector<double> costs;
  bool within_limits = true;  // those that the job sets

  double cost() const { return costs.front(); }
};

// Whether the costs may be compared; all else is worse than any success.
inline bool Succeeded(const Observation& observation) {
  return observation.outcome == work::Outcome::kOk && observation.within_limits &&
         !observation.costs.empty() &&
         std::ranges::all_of(observation.costs, [](double cost) { return std::isfinite(cost); });
}

// What a strategy has passed over because it cannot beat the best.
struct Pruned {
  int64_t count = 0;  // configurations
  // The latest of them, and why.
  space::ConfigurationIndex latest = 0;
  double least_seconds = 0;
  double best_seconds = 0;
};

// What a model expected of a trial that it chose: the logarithm of the first cost.
struct Expectation {
  TrialNumber trial;
  double log_cost = 0;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string_view Name() const = 0;
  // A configuration that was neither proposed nor adopted before; nothing when the space is
  // exhausted. The proposal is pending until it is observed.
  virtual std::optional<space::ConfigurationIndex> Propose(TrialNumber number) = 0;
  // A trial that somebody else chose (the default): known and pending from now on.
  virtual void Adopt(TrialNumber number, space::ConfigurationIndex index) = 0;
  // In the order in which trials finished; how they are grouped into calls makes no difference.
  virtual void Observe(std::span<const Observation> observations) = 0;
  // Nothing if that is nothing.
  virtual std::optional<Pruned> pruned() const { return std::nullopt; }
  // In order of trials; none of strategies without such a model.
  virtual std::span<const Expectation> expectations() const { return {}; }
};

// What is known of the same kernel elsewhere (on another device, in another shape), fixed with the
// task: a proposal is a function of it too.
struct HistoryRecord {
  space::ConfigurationIndex index = 0;
  double latency_seconds = 0;  // 0: it failed there
};
struct HistorySource {
  std::string name;                    // of the device or the shape
  std::vector<HistoryRecord> records;  // distinct configurations of the task's space
};

// How strategies with a Gaussian process weigh what they know against what they might find. Chosen
// on measured spaces of GPU kernels.
struct Exploration {
  size_t samples = 5;                // trials that owe nothing to a model come first
  double share_of_neighbours = 0.3;  // of proposals that look beside the best
  // By which the others want to beat the best, in deviations of what was observed. Without it a
  // search stays on a plateau whose members beat each other by a trifle.
  double margin = 0.4;

  auto operator<=>(const Exploration&) const = default;
};
// A latency that a configuration cannot be below; 0 where nothing is known. Fixed with the task.
using LatencyBound = std::function<double(space::ConfigurationIndex)>;

struct StrategyContext {
  const space::SearchSpace* space = nullptr;  // outlives the strategy
  uint64_t seed = 1;
  int64_t budget_trials = 0;
  size_t objectives = 1;
  bool may_end_early = false;          // before the trials are spent
  std::vector<HistorySource> history;  // strategies that do not learn from it ignore it
  Exploration exploration;
  LatencyBound bound;  // if any; what it rules out is not proposed (pruning.h)
};

// Names of the strategies that serve so many objectives, "auto" first.
std::vector<std::string> StrategyNames(size_t objectives = 1);
// `auto`: exhaustive if the space fits the budget and nothing may end the search before, else
// parego with several objectives, else transfer, which without history is bayesian.
// InvalidArgument with a hint for an unknown name, and for a strategy that serves one objective if
// there are several.
absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(std::string_view name,
                                                       const StrategyContext& context);

}  // namespace burnish::search
