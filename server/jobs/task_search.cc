#include "server/jobs/task_search.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "server/jobs/outcome_counts.h"

namespace burnish::jobs {
namespace {

// In order of position.
std::vector<store::Trial> FinishedOf(const std::vector<store::Trial>& trials) {
  std::vector<store::Trial> finished;
  std::ranges::copy_if(trials, std::back_inserter(finished), [](const store::Trial& trial) {
    return trial.finished_position.has_value();
  });
  std::ranges::sort(finished, {},
                    [](const store::Trial& trial) { return *trial.finished_position; });
  return finished;
}

absl::Status CheckTrials(const JobPlan& plan, const std::vector<store::Trial>& trials) {
  for (const store::Trial& trial : trials) {
    if (plan.space().Contains(trial.what.index) &&
        space::SameConfiguration(plan.space().At(trial.what.index), trial.what.configuration)) {
      continue;
    }
    return absl::DataLossError(absl::StrCat(
        "stored trial #", trial.what.number.value(), " ", space::ToJson(trial.what.configuration),
        " is not configuration ", trial.what.index, " of the job's search space"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TaskSearch> TaskSearch::Rebuild(const JobPlan& plan,
                                               const std::vector<store::Trial>& trials,
                                               const std::optional<store::TaskRoofs>& roofs) {
  if (absl::Status status = CheckTrials(plan, trials); !status.ok()) return status;
  TaskSearch search(plan, roofs);
  if (search.Replay(trials, /*adopt=*/false)) return search;
  // The strategy has changed since it proposed these: a newer version goes on from them as given.
  TaskSearch adopting(plan, roofs);
  adopting.Replay(trials, /*adopt=*/true);
  return adopting;
}

TaskSearch::TaskSearch(const JobPlan& plan, std::optional<store::TaskRoofs> roofs)
    : plan_(&plan),
      bound_(std::make_unique<Bound>(Bound{.roofs = std::move(roofs), .roofline = {}})),
      rules_(plan.spec().budget, plan.criteria()) {
  search::LatencyBound bound;
  if (plan.roofline_tells_apart()) {
    bound = [bound = bound_.get()](space::ConfigurationIndex index) {
      return bound->roofline ? bound->roofline->LeastSeconds(index) : 0;
    };
  }
  strategy_ = plan.NewStrategy(std::move(bound));
}

store::TaskRoofs TaskSearch::Fix(const work::Roofs& roofs) {
  bound_->roofs = {.from = TrialNumber(next_number_), .roofs = roofs};
  return *bound_->roofs;
}

std::optional<space::ConfigurationIndex> TaskSearch::ProposeNext(TrialNumber number) {
  const std::optional<store::TaskRoofs>& roofs = bound_->roofs;
  if (roofs && number >= roofs->from && !bound_->roofline) {
    bound_->roofline.emplace(plan_->RooflineOf(roofs->roofs));
  }
  return strategy_->Propose(number);
}

bool TaskSearch::Replay(const std::vector<store::Trial>& trials, bool adopt) {
  const std::vector<store::Trial> finished = FinishedOf(trials);
  for (const store::Trial& trial : trials) {
    const int64_t seen = std::min<int64_t>(trial.what.observed, finished.size());
    if (seen > observed_) Observe(std::span(finished).subspan(observed_, seen - observed_));
    const TrialNumber number = trial.what.number;
    if (adopt || number == TrialNumber(0)) {
      strategy_->Adopt(number, trial.what.index);
    } else if (ProposeNext(number) != trial.what.index) {
      return false;
    }
    next_number_ = number.value() + 1;
    ++pending_;
  }
  return true;
}

void TaskSearch::Observe(std::span<const store::Trial> finished) {
  std::vector<search::Observation> observations;
  for (const store::Trial& trial : finished) {
    ratios_.Add(trial);
    NoteIncumbent(trial);
    const work::Goals& goals = plan_->criteria().goals;
    std::vector<double> costs =
        CostsOf(trial, goals, trial.latency ? ratios_.ScaledSeconds(trial) : 0);
    rules_.Observe(trial, costs);
    observations.push_back({.trial = trial.what.number,
                            .index = trial.what.index,
                            .outcome = trial.outcome,
                            .costs = std::move(costs),
                            .within_limits = !trial.latency || goals.Within(ValuesOf(trial))});
    if (Succeeded(observations.back())) {
      costs_[trial.what.number] = observations.back().cost();
    }
    if (opening_.size() < limits::kTrialsBeforeHopeless) opening_.push_back(trial);
  }
  strategy_->Observe(observations);
  observed_ += static_cast<int64_t>(finished.size());
  pending_ -= static_cast<int64_t>(finished.size());
}

// Several objectives or none of speed: slow does not mean lost.
void TaskSearch::NoteIncumbent(const store::Trial& finished) {
  const Criteria& criteria = plan_->criteria();
  if (!plan_->spec().measure.race || !criteria.goals.by_speed() || !MayWin(finished, criteria)) {
    return;
  }
  const double high_seconds = finished.latency->interval.high;
  if (incumbent_ && incumbent_->seconds <= high_seconds) return;
  incumbent_ = {.seconds = high_seconds, .device = finished.device};
}

std::vector<store::NewTrial> TaskSearch::Propose(int pending_target) {
  std::vector<store::NewTrial> proposals;
  while (pending_ < pending_target && !exhausted_ && next_number_ < plan_->trials()) {
    const TrialNumber number(next_number_);
    std::optional<space::ConfigurationIndex> index = plan_->default_index();
    if (next_number_ == 0) {
      strategy_->Adopt(number, *index);
    } else {
      index = ProposeNext(number);
    }
    if (!index) {
      exhausted_ = true;
      break;
    }
    proposals.push_back({.number = number,
                         .index = *index,
                         .configuration = plan_->space().At(*index),
                         .observed = observed_,
                         .incumbent = incumbent_});
    ++next_number_;
    ++pending_;
  }
  return proposals;
}

std::optional<std::string> TaskSearch::Hopeless() const {
  const auto decisive = std::min<int64_t>(limits::kTrialsBeforeHopeless, plan_->trials());
  if (static_cast<int64_t>(opening_.size()) < decisive) return std::nullopt;
  const bool any_ok = std::ranges::any_of(
      opening_, [](const store::Trial& trial) { return trial.outcome == work::Outcome::kOk; });
  if (any_ok) return std::nullopt;
  return absl::StrCat("all of the ", decisive < plan_->trials() ? "first " : "", decisive,
                      " trials failed: ", DescribeOutcomes(CountOutcomes(opening_)));
}

}  // namespace burnish::jobs
