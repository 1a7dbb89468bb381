#include "client/cli/eta.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/watcher.h"
#include "common/base/limits.h"
#include "common/base/numbers.h"

namespace burnish::cli {
namespace {

constexpr int64_t kResultsBeforeEta = 10;
constexpr double kBelievedSeconds = 100 * 3600;
// What comparing the finalists takes, in trials: each is run about as long as in its own.
constexpr double kComparisonTrials = limits::kFinalists + 1;

int64_t TrialsOf(const pb::JobSnapshot& snapshot) {
  int64_t trials = 0;
  for (const pb::TaskSnapshot& task : snapshot.tasks()) trials += task.trials();
  return trials;
}

// Whether something can be told of the job at all.
bool IsUnderWay(const pb::JobSnapshot& snapshot) {
  return snapshot.state() == pb::STATE_RUNNING && snapshot.waiting().empty();
}

std::optional<double> LongestEta(const pb::JobSnapshot& snapshot, const std::vector<Pace>& paces,
                                 double age_seconds) {
  if (!IsUnderWay(snapshot)) return std::nullopt;
  std::optional<double> longest;
  for (int i = 0; i < snapshot.tasks_size(); ++i) {
    const pb::State state = snapshot.tasks(i).state();
    if (IsFinalState(state) || state == pb::STATE_FINISHING) continue;
    const auto seconds = TaskEtaSeconds(snapshot.tasks(i), paces[i], age_seconds);
    if (!seconds) return std::nullopt;
    longest = std::max(longest.value_or(0), *seconds);
  }
  return longest;
}

std::string DurationText(double seconds) {
  const absl::Duration unit = seconds < 10 ? absl::Milliseconds(100) : absl::Seconds(1);
  return absl::FormatDuration(absl::Ceil(absl::Seconds(seconds), unit));
}

}  // namespace

int64_t TrialsAtMost(const pb::TaskSnapshot& task) {
  // Nothing for a space that is larger than any budget.
  const std::optional<int64_t> space = ParseInteger(task.space_size());
  return std::min(task.budget_trials(), space.value_or(task.budget_trials()));
}

std::optional<double> TaskEtaSeconds(const pb::TaskSnapshot& task, const Pace& pace,
                                     double age_seconds) {
  if (task.state() != pb::STATE_RUNNING) return std::nullopt;
  if (pace.results < kResultsBeforeEta || pace.seconds <= 0) return std::nullopt;
  const double trial_seconds = pace.seconds / static_cast<double>(pace.results);
  auto trials = static_cast<double>(TrialsAtMost(task) - task.trials());
  if (task.budget_device_seconds() > 0 && task.device_seconds() > 0) {
    const double device_seconds_left = task.budget_device_seconds() - task.device_seconds();
    trials = std::min(
        trials, device_seconds_left / task.device_seconds() * static_cast<double>(task.trials()));
  }
  // Those in flight are half done, as far as anybody knows.
  trials = std::max(0.0, trials - static_cast<double>(task.running()) / 2);
  double seconds = trials * trial_seconds;
  if (task.budget_seconds() > 0) {
    seconds =
        std::min(seconds, std::max(0.0, task.budget_seconds() - task.seconds() - age_seconds));
  }
  return seconds + kComparisonTrials * trial_seconds;
}

std::optional<double> JobEtaSeconds(const pb::JobSnapshot& snapshot) {
  std::vector<Pace> paces;
  for (const pb::TaskSnapshot& task : snapshot.tasks()) {
    paces.push_back({.results = task.trials(), .seconds = task.seconds()});
  }
  return LongestEta(snapshot, paces, 0);
}

void RateMeter::Show(const pb::JobSnapshot& snapshot, absl::Duration now) {
  last_ = snapshot;
  last_at_ = now;
  const bool any_result = TrialsOf(last_) != TrialsOf(first_);
  const bool starts = first_.job_id().empty() || snapshot.state() == pb::STATE_PAUSED ||
                      (!IsUnderWay(snapshot) && !any_result);
  if (!starts) return;
  first_ = snapshot;
  first_at_ = now;
}

Rate RateMeter::At(absl::Duration now) const {
  const double seconds = absl::ToDoubleSeconds(now - first_at_);
  if (seconds <= 0) return {};
  std::vector<Pace> paces;
  for (int i = 0; i < last_.tasks_size(); ++i) {
    const int64_t before = i < first_.tasks_size() ? first_.tasks(i).trials() : 0;
    paces.push_back({.results = last_.tasks(i).trials() - before, .seconds = seconds});
  }
  return {.trials_per_second = static_cast<double>(TrialsOf(last_) - TrialsOf(first_)) / seconds,
          .eta_seconds = LongestEta(last_, paces, absl::ToDoubleSeconds(now - last_at_))};
}

std::optional<double> SecondsLeft(int64_t done, int64_t total, double per_second) {
  if (done < kResultsBeforeEta || done >= total || per_second <= 0) return std::nullopt;
  return static_cast<double>(total - done) / per_second;
}

std::string EtaText(std::optional<double> seconds) {
  if (!seconds || !(*seconds < kBelievedSeconds)) return "";
  const int64_t left = std::llround(*seconds);
  if (left < 3600) return absl::StrFormat("ETA %d:%02d", left / 60, left % 60);
  return absl::StrFormat("ETA %d:%02d:%02d", left / 3600, left / 60 % 60, left % 60);
}

std::string ForecastText(const pb::Forecast& forecast) {
  const std::string trials =
      absl::StrCat("at most ", forecast.trials(), forecast.trials() == 1 ? " trial" : " trials");
  if (forecast.seconds() <= 0) {
    return absl::StrCat(trials, "; forecast of the time after the first trials");
  }
  return absl::StrCat(trials, ", about ", DurationText(forecast.seconds()), " on the clock, ",
                      DurationText(forecast.device_seconds()), " of devices");
}

}  // namespace burnish::cli
