#include "server/jobs/finalists.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "common/base/numbers.h"
#include "common/stats/statistics.h"
#include "server/jobs/ranking.h"

namespace burnish::jobs {
namespace {

// A finalist that has figures.
struct Contender {
  const work::FinalistSamples* samples = nullptr;
  std::vector<double> latencies_seconds;  // one per round
  double seconds = 0;                     // the ranking statistic
  stats::Interval interval;
};

// "median" is 0.5, "p20" is 0.2.
double QuantileOf(std::string_view statistic) {
  if (statistic.starts_with('p')) {
    const std::optional<int64_t> percent = ParseInteger(statistic.substr(1));
    if (percent && *percent >= 0 && *percent <= 100) return static_cast<double>(*percent) / 100;
  }
  return 0.5;
}

std::vector<double> LatenciesOf(const work::FinalistSamples& finalist) {
  std::vector<double> latencies_seconds;
  for (const work::Sample& sample : finalist.rounds) {
    if (sample.total_ns <= 0 || sample.launches <= 0) return {};
    latencies_seconds.push_back(sample.LatencySeconds());
  }
  return latencies_seconds;
}

// Fastest first. A finalist with fewer rounds than another has not been measured beside it
// throughout and is no contender.
std::vector<Contender> Contenders(const work::Comparison& comparison, double quantile) {
  std::vector<Contender> contenders;
  size_t rounds = 1;
  for (const work::FinalistSamples& finalist : comparison.finalists) {
    if (finalist.outcome != work::Outcome::kOk) continue;
    contenders.push_back(
        {.samples = &finalist, .latencies_seconds = LatenciesOf(finalist), .interval = {}});
    rounds = std::max(rounds, contenders.back().latencies_seconds.size());
  }
  std::erase_if(contenders, [&](const Contender& contender) {
    return contender.latencies_seconds.size() != rounds;
  });
  for (Contender& contender : contenders) {
    contender.seconds = stats::Quantile(contender.latencies_seconds, quantile);
    contender.interval = stats::QuantileInterval(contender.latencies_seconds, quantile);
  }
  std::ranges::stable_sort(contenders, {}, &Contender::seconds);
  return contenders;
}

// Beside the default: more are compared only where screening cannot tell them from the best.
constexpr int kMostFinalists = 9;

bool MayBeAsFast(const store::Trial& trial, const store::Trial& best) {
  return trial.latency->interval.low <= best.latency->interval.high;
}

bool IsConfiguration(const store::Trial* trial, const space::Configuration& configuration) {
  return trial != nullptr && space::SameConfiguration(trial->what.configuration, configuration);
}

// The first one is the best.
store::TaskResult ResultOf(const std::vector<Contender>& contenders,
                           const store::Trial* default_trial) {
  const Contender& best = contenders.front();
  store::TaskResult result;
  result.best = best.samples->configuration;
  result.best_seconds = best.seconds;
  result.best_interval = best.interval;
  result.verified = best.samples->correctness.verified;
  result.max_relative_error = best.samples->correctness.max_relative_error;
  for (const Contender& contender : contenders) {
    if (IsConfiguration(default_trial, contender.samples->configuration)) {
      result.default_seconds = contender.seconds;
      result.default_interval = contender.interval;
      const stats::PairedRatio speedup =
          stats::MedianPairedRatio(contender.latencies_seconds, best.latencies_seconds);
      result.speedup = speedup.median;
      result.speedup_interval = speedup.interval;
    }
    if (&contender == &best) continue;
    const stats::PairedRatio ratio =
        stats::MedianPairedRatio(best.latencies_seconds, contender.latencies_seconds);
    const bool clearly_slower = ratio.interval.high < 1;
    if (clearly_slower) continue;
    result.tie.push_back({.configuration = contender.samples->configuration,
                          .seconds = contender.seconds,
                          .interval = contender.interval,
                          .verified = contender.samples->correctness.verified,
                          .max_relative_error = contender.samples->correctness.max_relative_error});
  }
  return result;
}

bool FailedInComparison(const work::Comparison& comparison,
                        const space::Configuration& configuration) {
  return std::ranges::any_of(comparison.finalists, [&](const work::FinalistSamples& finalist) {
    return finalist.outcome != work::Outcome::kOk &&
           finalist.outcome != work::Outcome::kInfrastructure &&
           space::SameConfiguration(finalist.configuration, configuration);
  });
}

std::vector<store::Trial> Standing(std::span<const store::Trial> trials,
                                   const work::Comparison& comparison) {
  std::vector<store::Trial> standing(trials.begin(), trials.end());
  std::erase_if(standing, [&](const store::Trial& trial) {
    return FailedInComparison(comparison, trial.what.configuration);
  });
  return standing;
}

store::TaskResult ResultOfScreening(const std::vector<store::Trial>& ranked) {
  store::TaskResult result;
  if (ranked.empty()) return result;
  const store::Trial& best = ranked.front();
  result.best = best.what.configuration;
  result.best_seconds = best.latency->seconds;
  result.best_interval = best.latency->interval;
  result.verified = best.correctness.verified;
  result.max_relative_error = best.correctness.max_relative_error;
  if (const store::Trial* const default_trial = DefaultTrial(ranked)) {
    result.default_seconds = default_trial->latency->seconds;
    result.default_interval = default_trial->latency->interval;
  }
  return result;
}

// The comparison's own words, else the first of a finalist that failed.
std::string MessageOf(const work::Comparison& comparison) {
  if (!comparison.message.empty()) return comparison.message;
  for (const work::FinalistSamples& finalist : comparison.finalists) {
    if (finalist.outcome == work::Outcome::kOk) continue;
    return absl::StrCat(work::OutcomeName(finalist.outcome), finalist.message.empty() ? "" : ": ",
                        finalist.message);
  }
  return work::OutcomeName(comparison.outcome);
}

}  // namespace

work::CompareWork ChooseFinalists(std::span<const store::Trial> trials, const Criteria& criteria) {
  const Ranking ranking = Rank(trials, criteria);
  work::CompareWork work{.finalists = {}, .rounds = limits::kComparisonRounds};
  std::vector<const store::Trial*> chosen;
  const auto choose = [&](const store::Trial* trial) {
    if (std::ranges::count(chosen, trial) > 0) return;
    chosen.push_back(trial);
    work.finalists.push_back(trial->what.configuration);
  };
  const store::Trial* const default_trial = DefaultTrial(ranking.trials);
  if (default_trial != nullptr) choose(default_trial);
  const auto front = std::span(ranking.trials).first(ranking.front);
  if (criteria.goals.several() && !front.empty()) {
    choose(&front[0]);
    for (size_t objective = 0; objective < criteria.goals.objectives.size(); ++objective) {
      choose(&*std::ranges::min_element(front, {}, [&](const store::Trial& trial) {
        return CostsOf(trial, criteria.goals, trial.latency->seconds)[objective];
      }));
    }
    return work;
  }
  int others = 0;
  for (const store::Trial& trial : ranking.trials) {
    if (&trial == default_trial) continue;
    const bool close = criteria.goals.by_speed() && MayBeAsFast(trial, ranking.trials.front());
    if (others >= limits::kFinalists && !close) continue;
    choose(&trial);
    if (++others == kMostFinalists) break;
  }
  return work;
}

Verdict Decide(std::span<const store::Trial> trials, const Criteria& criteria,
               const work::Comparison& comparison) {
  const std::vector<store::Trial> ranked = Rank(Standing(trials, comparison), criteria).trials;
  const auto with_latency = std::ranges::find_if(
      trials, [&](const store::Trial& trial) { return MayWin(trial, criteria); });
  const std::string statistic =
      with_latency == trials.end() ? "median" : with_latency->latency->statistic;
  std::vector<Contender> contenders = comparison.outcome == work::Outcome::kOk
                                          ? Contenders(comparison, QuantileOf(statistic))
                                          : std::vector<Contender>();
  if (!criteria.goals.by_speed()) {
    const auto best = std::ranges::find_if(contenders, [&](const Contender& contender) {
      return !ranked.empty() && IsConfiguration(&ranked.front(), contender.samples->configuration);
    });
    if (best == contenders.end()) {
      contenders.clear();
    } else {
      std::rotate(contenders.begin(), best, best + 1);
    }
  }
  if (contenders.empty()) {
    return {.result = ResultOfScreening(ranked),
            .remark = absl::StrCat("finalists could not be compared: ", MessageOf(comparison))};
  }
  Verdict verdict{.result = ResultOf(contenders, DefaultTrial(trials)), .remark = ""};
  if (!criteria.goals.by_speed()) verdict.result.tie.clear();
  return verdict;
}

}  // namespace burnish::jobs
