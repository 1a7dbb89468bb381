// Strategies against fully measured spaces, each with many seeds: how near to the optimum they come
// after how many trials, how sure that is, and what a proposal costs. Runs on several threads; but
// for the seconds the result does not depend on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/measured/table.h"
#include "common/stats/statistics.h"
#include "server/search/replay.h"

namespace burnish::search {

struct TournamentSpace {
  const measured::Table* table = nullptr;  // outlives the tournament
  std::vector<HistorySource> history;      // of this space's runs
};

struct TournamentOptions {
  std::vector<std::string> strategies;
  int64_t seeds = 20;
  ReplayOptions run;  // of every run; its seed is the first one's
  int threads = 1;
  std::function<void()> on_run;  // after each run, on the thread that ran it
};

// How a strategy did in a space.
struct Standing {
  std::vector<std::vector<double>> fraction;  // for each seed, as in ReplayRun
  std::vector<double> proposal_seconds;       // of all trials of all seeds

  // Of the seeds, after so many trials; the last value counts on where the space was exhausted.
  double Median(int64_t trials) const { return Quantile(trials, 0.5); }
  double Quantile(int64_t trials, double q) const;
};

// For each strategy its standing in each space. InvalidArgument for an unknown strategy, Cancelled
// once `run.stop` is requested.
absl::StatusOr<std::vector<std::vector<Standing>>> RunTournament(
    const std::vector<TournamentSpace>& spaces, const TournamentOptions& options);

// Of the medians of a strategy in several spaces.
struct Summary {
  double mean = 0;
  double worst = 0;
  size_t worst_space = 0;
};
Summary Summarise(std::span<const Standing> spaces, int64_t trials);

// 95 % interval of that mean over other spaces and seeds like these (percentile bootstrap, both
// drawn with replacement; B. Efron, "Bootstrap Methods", Annals of Statistics, 1979).
// Deterministic.
stats::Interval MeanInterval(std::span<const Standing> spaces, int64_t trials);

}  // namespace burnish::search
