// Runs a strategy against a fully measured space: what a search would have found, without a device.
// Deterministic. Functions are thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/measured/table.h"
#include "server/search/strategy.h"

namespace burnish::search {

struct ReplayOptions {
  uint64_t seed = 0;
  int64_t budget_trials = 400;
  int pending = 1;  // trials that are always under way; the oldest ends first
  std::vector<HistorySource> history;
};

// One run. Trial 0 is the strategy's, as a measured space has no default.
struct ReplayRun {
  // After each trial the optimum of the space over the latency of the best found: 0 before the
  // first success, 1 at the optimum. Shorter than the budget if the space was exhausted.
  std::vector<double> fraction;
  std::vector<double> proposal_seconds;  // for each trial
};

// InvalidArgument for an unknown strategy.
absl::StatusOr<ReplayRun> Replay(const measured::Table& table, std::string_view strategy,
                                 const ReplayOptions& options);

// What a table of another device says of the configurations of `space`, matched by names and values
// of parameters; those that only one of them has are left out.
HistorySource HistoryFrom(const measured::Table& other, const space::SearchSpace& space);

}  // namespace burnish::search
