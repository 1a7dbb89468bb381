#include "server/search/tournament.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "common/base/random.h"
#include "common/base/status_macros.h"

namespace burnish::search {
namespace {

constexpr int kResamples = 1000;

double FractionAt(const std::vector<double>& curve, int64_t trials) {
  if (curve.empty() || trials <= 0) return 0;
  return curve[std::min(static_cast<size_t>(trials), curve.size()) - 1];
}

std::vector<double> FractionsAt(const Standing& standing, int64_t trials) {
  std::vector<double> fractions;
  for (const auto& curve : standing.fraction) fractions.push_back(FractionAt(curve, trials));
  return fractions;
}

}  // namespace

double Standing::Quantile(int64_t trials, double q) const {
  return stats::Quantile(FractionsAt(*this, trials), q);
}

absl::StatusOr<std::vector<std::vector<Standing>>> RunTournament(
    const std::vector<TournamentSpace>& spaces, const TournamentOptions& options) {
  const size_t seeds = static_cast<size_t>(options.seeds);
  const size_t in_strategy = spaces.size() * seeds;
  std::vector<absl::StatusOr<ReplayRun>> runs(options.strategies.size() * in_strategy);
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto work = [&] {
    while (!failed) {
      const size_t i = next++;
      if (i >= runs.size()) return;
      const TournamentSpace& space = spaces[i % in_strategy / seeds];
      ReplayOptions run = options.run;
      run.seed += i % seeds;
      run.history = space.history;
      runs[i] = Replay(*space.table, options.strategies[i / in_strategy], run);
      if (!runs[i].ok()) failed = true;
      if (options.on_run) options.on_run();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
    work();
  }
  std::vector<std::vector<Standing>> standings(options.strategies.size(),
                                               std::vector<Standing>(spaces.size()));
  for (size_t i = 0; i < runs.size(); ++i) {
    // Runs begin in order: a failed one comes before those that were not run because of it.
    RETURN_IF_ERROR(runs[i].status());
    ReplayRun& run = *runs[i];
    Standing& standing = standings[i / in_strategy][i % in_strategy / seeds];
    standing.fraction.push_back(std::move(run.fraction));
    standing.proposal_seconds.insert(standing.proposal_seconds.end(), run.proposal_seconds.begin(),
                                     run.proposal_seconds.end());
    run.proposal_seconds = {};
  }
  return standings;
}

Summary Summarise(std::span<const Standing> spaces, int64_t trials) {
  Summary summary{.worst = 1};
  for (size_t i = 0; i < spaces.size(); ++i) {
    const double median = spaces[i].Median(trials);
    summary.mean += median;
    if (median >= summary.worst) continue;
    summary.worst = median;
    summary.worst_space = i;
  }
  summary.mean /= static_cast<double>(spaces.size());
  return summary;
}

stats::Interval MeanInterval(std::span<const Standing> spaces, int64_t trials) {
  std::vector<std::vector<double>> fractions;
  for (const Standing& space : spaces) fractions.push_back(FractionsAt(space, trials));
  RandomStream random(0, "bootstrap");
  const auto draw = [&random](const auto& values) -> const auto& {
    return values[random.UniformBelow(values.size())];
  };
  std::vector<double> means(kResamples, 0);
  for (double& mean : means) {
    for (size_t i = 0; i < spaces.size(); ++i) {
      const std::vector<double>& space = draw(fractions);
      std::vector<double> resampled;
      for (size_t seed = 0; seed < space.size(); ++seed) resampled.push_back(draw(space));
      mean += stats::Median(resampled);
    }
    mean /= static_cast<double>(spaces.size());
  }
  return {.low = stats::Quantile(means, 0.025), .high = stats::Quantile(means, 0.975)};
}

}  // namespace burnish::search
