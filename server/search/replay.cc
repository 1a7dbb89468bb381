#include "server/search/replay.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "common/base/cpu_time.h"
#include "common/base/status_macros.h"

namespace burnish::search {
namespace {

Observation Look(const measured::Table& table, TrialNumber trial, space::ConfigurationIndex index) {
  const measured::Record& record = table.At(index);
  const bool ok = record.outcome == work::Outcome::kOk;
  return {.trial = trial,
          .index = index,
          .outcome = record.outcome,
          .latency_seconds = ok ? record.latency_seconds : 0};
}

}  // namespace

absl::StatusOr<ReplayRun> Replay(const measured::Table& table, std::string_view strategy,
                                 const ReplayOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Strategy> search,
                   MakeStrategy(strategy, {.space = &table.space(),
                                           .seed = options.seed,
                                           .budget_trials = options.budget_trials,
                                           .history = options.history}));
  const double optimum = table.OptimumSeconds().value_or(0);
  ReplayRun run;
  std::deque<Observation> pending;
  std::optional<double> best;
  bool exhausted = false;
  for (int64_t number = 0;; ++number) {
    if (number < options.budget_trials && !exhausted) {
      const double before = ThreadCpuSeconds();
      const std::optional<space::ConfigurationIndex> index = search->Propose(TrialNumber(number));
      exhausted = !index;
      if (index) {
        run.proposal_seconds.push_back(ThreadCpuSeconds() - before);
        pending.push_back(Look(table, TrialNumber(number), *index));
        if (static_cast<int>(pending.size()) < options.pending) continue;
      }
    }
    if (pending.empty()) return run;
    const Observation ended = pending.front();
    pending.pop_front();
    search->Observe(std::span(&ended, 1));
    if (Succeeded(ended))
      best = std::min(best.value_or(ended.latency_seconds), ended.latency_seconds);
    run.fraction.push_back(best ? optimum / *best : 0);
  }
}

HistorySource HistoryFrom(const measured::Table& other, const space::SearchSpace& space) {
  HistorySource source{.name = other.measured().device, .records = {}};
  for (space::ConfigurationIndex i = 0; i < other.space().size(); ++i) {
    const std::optional<space::ConfigurationIndex> index = space.IndexOf(other.space().At(i));
    if (!index) continue;
    const measured::Record& record = other.At(i);
    const bool ok = record.outcome == work::Outcome::kOk;
    source.records.push_back({.index = *index, .latency_seconds = ok ? record.latency_seconds : 0});
  }
  return source;
}

}  // namespace burnish::search
