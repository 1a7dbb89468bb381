#include "tests/bench/search/lab.h"

#include <algorithm>
#include <iostream>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace burnish::bench {

absl::StatusOr<Result> Lab::Run(const Variation& variation) {
  if (const auto known = results_.find(variation); known != results_.end()) return known->second;
  const absl::Duration started = SystemClock().Monotonic();
  std::vector<std::vector<search::HistorySource>> histories =
      HistoriesOf(spaces_, variation.history);
  Result result;
  std::vector<search::TournamentSpace> played;
  for (size_t i = 0; i < spaces_.size(); ++i) {
    if (variation.history != History::kNone && histories[i].empty()) continue;
    result.spaces.push_back(i);
    played.push_back({.table = &spaces_[i].table, .history = std::move(histories[i])});
  }
  const search::TournamentOptions options = {
      .strategies = {variation.strategy},
      .seeds = effort_.seeds,
      .run = {.seed = effort_.seed_base,
              .budget_trials = effort_.budget_trials,
              .pending = variation.pending,
              .noise = variation.noise,
              .exploration = variation.exploration},
      .threads = static_cast<int>(std::thread::hardware_concurrency())};
  ASSIGN_OR_RETURN(auto standings, search::RunTournament(played, options));
  result.standings = std::move(standings[0]);
  if (variation.strategy == "auto") {
    for (const search::Standing& standing : result.standings) {
      proposal_seconds_.insert(proposal_seconds_.end(), standing.proposal_seconds.begin(),
                               standing.proposal_seconds.end());
    }
  }
  std::cerr << absl::StreamFormat(
      "%d runs of %s: %.1f s\n", effort_.seeds * static_cast<int64_t>(played.size()),
      variation.strategy, absl::ToDoubleSeconds(SystemClock().Monotonic() - started));
  results_[variation] = result;
  return result;
}

Result Only(const Result& result, const std::vector<size_t>& spaces) {
  Result some{.spaces = spaces};
  for (const size_t space : spaces) {
    const auto found = std::ranges::find(result.spaces, space);
    some.standings.push_back(result.standings[found - result.spaces.begin()]);
  }
  return some;
}

}  // namespace burnish::bench
