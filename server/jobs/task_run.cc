#include "server/jobs/task_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/jobs/finalists.h"
#include "server/jobs/outcome_counts.h"
#include "server/search/pruning.h"

namespace burnish::jobs {
namespace {

int64_t PrunedBy(const TaskSearch& search) {
  const std::optional<search::Pruned> pruned = search.pruned();
  return pruned ? pruned->count : 0;
}

}  // namespace

absl::Status TaskRun::Prepare(const store::Job& job, store::Task& task) {
  if (task.state == store::State::kQueued) {
    RETURN_IF_ERROR(Move(job, task, TaskEvent::kStart, ""));
  }
  if (task.state == store::State::kRunning && !search_) return Rebuild(job, task);
  if (task.state == store::State::kFinishing) return Conclude(job, task);
  return absl::OkStatus();
}

absl::Status TaskRun::Rebuild(const store::Job& job, store::Task& task) {
  ASSIGN_OR_RETURN(const std::vector<store::Trial> trials, store_.Trials(job.owner, task.id));
  absl::StatusOr<TaskSearch> rebuilt = TaskSearch::Rebuild(plan_, trials, task.roofs);
  if (!rebuilt.ok()) {
    return Move(job, task, TaskEvent::kFail, std::string(rebuilt.status().message()));
  }
  search_ = *std::move(rebuilt);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<store::NewTrial>> TaskRun::Search(
    const store::Job& job, store::Task& task, const std::vector<store::Trial>& finished,
    int pending_target) {
  if (!finished.empty()) search_->Observe(finished);
  ASSIGN_OR_RETURN(const std::optional<Ending> ending, EndingOf(job, task));
  if (ending) {
    ASSIGN_OR_RETURN(const bool drained, Drain(job, task));
    if (drained) RETURN_IF_ERROR(EndSearch(job, task, *ending));
    return std::vector<store::NewTrial>();
  }
  RETURN_IF_ERROR(FixRoofs(job, task));
  const int64_t pruned_before = PrunedBy(*search_);
  std::vector<store::NewTrial> proposals = search_->Propose(pending_target);
  if (PrunedBy(*search_) > pruned_before) {
    const std::string pruned = search::PrunedText(*search_->pruned(), plan_.space());
    RETURN_IF_ERROR(store_.SetTaskPruned(job.owner, task.id, fence_, pruned));
  }
  // Only now it may turn out that nothing is left.
  if (proposals.empty() && search_->Complete()) {
    ASSIGN_OR_RETURN(const std::optional<Ending> complete, EndingOf(job, task));
    if (complete) RETURN_IF_ERROR(EndSearch(job, task, *complete));
  }
  return proposals;
}

absl::Status TaskRun::FixRoofs(const store::Job& job, store::Task& task) {
  if (!plan_.roofline_tells_apart() || search_->has_roofs()) return absl::OkStatus();
  RETURN_IF_ERROR(ReadRoofs(task));
  if (!roofs_.known()) return absl::OkStatus();
  task.roofs = search_->Fix(roofs_);
  ++changes_;
  return store_.SetTaskRoofs(job.owner, task.id, fence_, *task.roofs);
}

absl::StatusOr<std::optional<TaskRun::Ending>> TaskRun::EndingOf(const store::Job& job,
                                                                 const store::Task& task) {
  using Result = std::optional<Ending>;
  if (std::optional<std::string> reason = search_->Hopeless()) {
    return Result({.reason = *std::move(reason), .hopeless = true});
  }
  if (search_->rules().reason()) return Result({.reason = *search_->rules().reason()});
  ASSIGN_OR_RETURN(const bool roof_share_reached, RoofShareReached(task));
  if (roof_share_reached) return Result({.reason = kRoofShareReached});
  if (search_->Complete()) {
    if (search_->exhausted() && search_->pruned()) {
      return Result({.reason = "the roofline leaves nothing that could be faster"});
    }
    return Result({.reason = plan_.space_below_budget() ? "space exhausted" : "budget spent"});
  }
  if (job.finish_requested) return Result({.reason = "finished on request"});
  const std::optional<double> seconds = plan_.spec().budget.seconds;
  if (seconds && task.started && store_.Now() - *task.started >= absl::Seconds(*seconds)) {
    return Result({.reason = "time spent"});
  }
  return Result();
}

absl::StatusOr<bool> TaskRun::RoofShareReached(const store::Task& task) {
  const std::optional<double> wanted = plan_.spec().budget.roof_share;
  const std::optional<double> best_seconds = search_->rules().best_seconds();
  if (!wanted || !best_seconds) return false;
  RETURN_IF_ERROR(ReadRoofs(task));
  return work::RoofShare(roofs_, task.what.work, *best_seconds).value_or(0) >= *wanted;
}

absl::Status TaskRun::ReadRoofs(const store::Task& task) {
  if (task.device.value().empty() || (roofs_.known() && roofs_of_ == task.device)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<store::DeviceRow> devices, store_.Devices());
  for (const store::DeviceRow& row : devices) {
    if (row.device.id == task.device) roofs_ = row.device.info.roofs;
  }
  roofs_of_ = task.device;
  return absl::OkStatus();
}

absl::StatusOr<bool> TaskRun::Drain(const store::Job& job, const store::Task& task) {
  if (search_->pending() > 0) {
    ASSIGN_OR_RETURN(const std::vector<TrialNumber> withdrawn,
                     store_.WithdrawQueuedTrials(job.owner, task.id, fence_));
    search_->Withdraw(static_cast<int64_t>(withdrawn.size()));
  }
  return search_->pending() == 0;
}

absl::Status TaskRun::EndSearch(const store::Job& job, store::Task& task, const Ending& ending) {
  if (ending.hopeless) return Move(job, task, TaskEvent::kFail, ending.reason);
  ASSIGN_OR_RETURN(const std::vector<store::Trial> trials, store_.Trials(job.owner, task.id));
  const work::CompareWork comparison = ChooseFinalists(trials, plan_.criteria());
  if (comparison.finalists.empty()) {
    const std::vector<OutcomeCount> counts = CountOutcomes(trials);
    const bool any_ok = std::ranges::count(counts, work::Outcome::kOk, &OutcomeCount::outcome) > 0;
    return Move(job, task, TaskEvent::kFail,
                counts.empty() ? absl::StrCat(ending.reason, " before a trial ended")
                               : absl::StrCat(ending.reason,
                                              any_ok ? ", and no trial is within the limits: "
                                                     : ", and no trial succeeded: ",
                                              DescribeOutcomes(counts)));
  }
  // In this order: a task found in state finishing has its comparison.
  RETURN_IF_ERROR(store_.AddComparison(job.owner, task.id, fence_, comparison));
  return Move(job, task, TaskEvent::kCompare, ending.reason);
}

absl::Status TaskRun::Conclude(const store::Job& job, store::Task& task) {
  ASSIGN_OR_RETURN(const std::optional<work::Comparison> comparison,
                   store_.ComparisonResult(job.owner, task.id));
  if (!comparison) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<store::Trial> trials, store_.Trials(job.owner, task.id));
  const Verdict verdict = Decide(trials, plan_.criteria(), *comparison);
  std::string reason = task.reason;
  if (!verdict.remark.empty()) absl::StrAppend(&reason, "; ", verdict.remark);
  if (!verdict.result.best) return Move(job, task, TaskEvent::kFail, reason);
  RETURN_IF_ERROR(store_.SetTaskResult(job.owner, task.id, fence_, verdict.result));
  return Move(job, task, TaskEvent::kSucceed, reason);
}

absl::Status TaskRun::Move(const store::Job& job, store::Task& task, TaskEvent event,
                           const std::string& reason) {
  RETURN_IF_ERROR(
      store_.MoveTask(job.owner, task.id, fence_, StatesBefore(event), StateAfter(event), reason));
  ++changes_;
  task.state = StateAfter(event);
  task.reason = reason;
  return absl::OkStatus();
}

}  // namespace burnish::jobs
