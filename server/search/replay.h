// Runs a strategy against a fully measured space: what a search would have found, without a device.
// Deterministic. Functions are thread-safe.
#pragma once

#include <cstdint>
#include <stop_token>
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
  int64_t pending = 1;  // trials that are always under way; the oldest ends first
  // An observation is one of the record's samples, drawn by the seed, where it has any.
  bool noise = false;
  std::vector<HistorySource> history;
  Exploration exploration;
  std::stop_token stop;
};

// One run. Trial 0 is the strategy's, as a measured space has no default.
struct ReplayRun {
  // After each trial the optimum of the space over the recorded latency of the configuration with
  // the lowest observed one: 0 before the first success, 1 at the optimum. With noise it may fall.
  // Shorter than the budget if the space was exhausted.
  std::vector<double> fraction;
  // CPU time for each trial, with that for the observations since the one before.
  std::vector<double> proposal_seconds;
};

// InvalidArgument for an unknown strategy, Cancelled once `stop` is requested.
absl::StatusOr<ReplayRun> Replay(const measured::Table& table, std::string_view strategy,
                                 const ReplayOptions& options);

// What a table of another device says of the configurations of `space`, matched by names and values
// of parameters; those that only one of them has are left out.
HistorySource HistoryFrom(const measured::Table& other, const space::SearchSpace& space);

}  // namespace burnish::search
