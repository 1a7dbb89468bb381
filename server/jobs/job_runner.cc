#include "server/jobs/job_runner.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/jobs/job_machine.h"
#include "server/jobs/job_plan.h"
#include "server/jobs/task_run.h"

namespace burnish::jobs {
namespace {

absl::Status Move(store::Store& store, const store::Job& job, JobEvent event,
                  const std::string& reason) {
  RETURN_IF_ERROR(store.MoveJob(job.owner, job.id, StatesBefore(event), StateAfter(event), reason));
  Log(LogLevel::kInfo, "job_state",
      {{"job", ToText(job.id)}, {"state", store::StateName(StateAfter(event))}});
  return absl::OkStatus();
}

// The reason that all tasks share, or each one's with its id.
std::string ReasonOf(const std::vector<store::Task>& tasks) {
  std::set<std::string> distinct;
  std::vector<std::string> each;
  for (const store::Task& task : tasks) {
    distinct.insert(task.reason);
    each.push_back(absl::StrCat(ToText(task.id), ": ", task.reason));
  }
  return distinct.size() == 1 ? *distinct.begin() : absl::StrJoin(each, "\n");
}

bool AnyIn(const std::vector<store::Task>& tasks, store::State state) {
  return std::ranges::any_of(tasks, [&](const store::Task& task) { return task.state == state; });
}

}  // namespace

struct JobRunner::JobRun {
  explicit JobRun(JobPlan job_plan) : plan(std::move(job_plan)) {}

  const JobPlan plan;
  std::map<TaskId, TaskRun> tasks;
};

JobRunner::JobRunner(store::Store& store, JobRunnerOptions options)
    : store_(store), options_(options) {}
JobRunner::~JobRunner() = default;

absl::Status JobRunner::Advance() {
  ASSIGN_OR_RETURN(std::vector<store::JobWithTasks> active, store_.ActiveJobs());
  std::set<JobId> advanced;
  absl::Status result;
  for (store::JobWithTasks& job : active) {
    if (job.job.state == store::State::kPaused) continue;
    const absl::Status status = AdvanceJob(job);
    if (status.ok()) {
      advanced.insert(job.job.id);
    } else if (absl::IsFailedPrecondition(status)) {
      // Somebody moved it meanwhile; the next round sees its new state.
      Log(LogLevel::kDebug, "job_moved_meanwhile",
          {{"job", ToText(job.job.id)}, {"status", std::string(status.message())}});
    } else {
      result.Update(status);
    }
  }
  // Of jobs that ended or are paused nothing is needed; after an error memory and store may differ.
  std::erase_if(runs_, [&](const auto& run) { return !advanced.contains(run.first); });
  return result;
}

absl::Status JobRunner::AdvanceJob(store::JobWithTasks& job) {
  std::unique_ptr<JobRun>& run = runs_[job.job.id];
  if (!run) {
    absl::StatusOr<JobPlan> plan = JobPlan::Read(
        {.file_name = job.job.file_name, .text = job.job.text, .files = job.job.files});
    if (!plan.ok()) return FailJob(job, std::string(plan.status().message()));
    run = std::make_unique<JobRun>(*std::move(plan));
  }
  if (job.job.state == store::State::kQueued) {
    RETURN_IF_ERROR(Move(store_, job.job, JobEvent::kStart, ""));
    job.job.state = StateAfter(JobEvent::kStart);
  }
  for (store::Task& task : job.tasks) {
    if (store::IsFinal(task.state)) continue;
    TaskRun& task_run = run->tasks.try_emplace(task.id, store_, run->plan).first->second;
    RETURN_IF_ERROR(task_run.Advance(job.job, task, options_.pending_per_task));
  }
  return SettleJob(job);
}

absl::Status JobRunner::SettleJob(const store::JobWithTasks& job) {
  const bool searching = AnyIn(job.tasks, store::State::kRunning);
  if (searching) return absl::OkStatus();
  if (AnyIn(job.tasks, store::State::kFinishing)) {
    if (job.job.state == store::State::kFinishing) return absl::OkStatus();
    return Move(store_, job.job, JobEvent::kCompare, ReasonOf(job.tasks));
  }
  if (AnyIn(job.tasks, store::State::kDone)) {
    return Move(store_, job.job, JobEvent::kSucceed, ReasonOf(job.tasks));
  }
  return Move(store_, job.job, JobEvent::kFail, ReasonOf(job.tasks));
}

absl::Status JobRunner::FailJob(const store::JobWithTasks& job, const std::string& reason) {
  for (const store::Task& task : job.tasks) {
    if (store::IsFinal(task.state)) continue;
    RETURN_IF_ERROR(store_.MoveTask(job.job.owner, task.id, StatesBefore(TaskEvent::kFail),
                                    StateAfter(TaskEvent::kFail), reason));
  }
  return Move(store_, job.job, JobEvent::kFail, reason);
}

}  // namespace burnish::jobs
