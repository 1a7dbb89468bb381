#include "server/search/replay.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "common/base/cpu_time.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"

namespace burnish::search {
namespace {

// Answers trials from a table.
class RecordedDevice {
 public:
  RecordedDevice(const measured::Table& table, const ReplayOptions& options)
      : table_(table), noise_(options.noise), random_(options.seed, "replay noise") {}

  Observation Measure(TrialNumber trial, space::ConfigurationIndex index) {
    const measured::Record& record = table_.At(index);
    Observation observation{.trial = trial, .index = index, .outcome = record.outcome};
    if (record.outcome != work::Outcome::kOk) return observation;
    const std::vector<double>& samples = record.samples_seconds;
    observation.costs = {noise_ && !samples.empty() ? samples[random_.UniformBelow(samples.size())]
                                                    : record.latency_seconds};
    return observation;
  }

 private:
  const measured::Table& table_;
  const bool noise_;
  RandomStream random_;
};

}  // namespace

absl::StatusOr<ReplayRun> Replay(const measured::Table& table, std::string_view strategy,
                                 const ReplayOptions& options) {
  double before = ThreadCpuSeconds();
  ASSIGN_OR_RETURN(const std::unique_ptr<Strategy> search,
                   MakeStrategy(strategy, {.space = &table.space(),
                                           .seed = options.seed,
                                           .budget_trials = options.budget_trials,
                                           .history = options.history,
                                           .exploration = options.exploration}));
  double thinking_seconds = ThreadCpuSeconds() - before;
  const double optimum = table.OptimumSeconds().value_or(0);
  RecordedDevice device(table, options);
  ReplayRun run;
  std::deque<Observation> pending;
  std::optional<Observation> best;
  bool exhausted = false;
  for (int64_t number = 0;; ++number) {
    if (options.stop.stop_requested()) return absl::CancelledError("interrupted");
    if (number < options.budget_trials && !exhausted) {
      before = ThreadCpuSeconds();
      const std::optional<space::ConfigurationIndex> index = search->Propose(TrialNumber(number));
      exhausted = !index;
      if (index) {
        run.proposal_seconds.push_back(thinking_seconds + ThreadCpuSeconds() - before);
        thinking_seconds = 0;
        pending.push_back(device.Measure(TrialNumber(number), *index));
        if (static_cast<int64_t>(pending.size()) < options.pending) continue;
      }
    }
    if (pending.empty()) return run;
    const Observation ended = pending.front();
    pending.pop_front();
    before = ThreadCpuSeconds();
    search->Observe(std::span(&ended, 1));
    thinking_seconds += ThreadCpuSeconds() - before;
    if (Succeeded(ended) && (!best || ended.cost() < best->cost())) best = ended;
    run.fraction.push_back(best ? optimum / table.At(best->index).latency_seconds : 0);
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
