#include "server/jobs/job_runner.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/jobs/job_machine.h"
#include "server/jobs/job_plan.h"
#include "server/jobs/task_run.h"

namespace burnish::jobs {
namespace {

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
  explicit JobRun(Fence ownership) : fence(ownership) {}

  TaskRun& RunOf(store::Store& store, const TaskId& task) {
    return tasks.try_emplace(task, store, *plans.at(task), fence).first->second;
  }

  const Fence fence;
  // Those of a user's kernel share what was read.
  std::map<TaskId, std::shared_ptr<const JobPlan>> plans;
  std::map<TaskId, TaskRun> tasks;
};

struct JobRunner::Searching {
  store::OwnedJob* owned = nullptr;
  store::Task* task = nullptr;
  TaskRun* run = nullptr;
};

JobRunner::JobRunner(store::Store& store, JobRunnerOptions options)
    : store_(store), options_(std::move(options)) {}
JobRunner::~JobRunner() = default;

absl::StatusOr<bool> JobRunner::Advance() {
  const int64_t changes_before = changes_;
  ASSIGN_OR_RETURN(std::vector<store::OwnedJob> jobs,
                   store_.OwnJobs(options_.replica, options_.ownership));
  std::erase_if(jobs, [](const store::OwnedJob& owned) {
    return owned.job.job.state == store::State::kPaused;
  });
  // Of jobs that ended, are paused, or were another server's meanwhile, nothing is of use.
  std::erase_if(runs_, [&](const auto& run) {
    return std::ranges::none_of(jobs, [&](const store::OwnedJob& owned) {
      return owned.job.job.id == run.first && owned.fence == run.second->fence;
    });
  });
  for (store::OwnedJob& owned : jobs) {
    RETURN_IF_ERROR(Tolerate(owned.job.job.id, Prepare(owned)));
  }
  RETURN_IF_ERROR(SearchAll(jobs));
  for (const store::OwnedJob& owned : jobs) {
    if (!runs_.contains(owned.job.job.id)) continue;
    RETURN_IF_ERROR(Tolerate(owned.job.job.id, Settle(owned)));
  }
  return changes_ != changes_before;
}

absl::Status JobRunner::Release() {
  runs_.clear();
  return store_.ReleaseJobs(options_.replica);
}

absl::Status JobRunner::Tolerate(JobId job, const absl::Status& status) {
  if (status.ok()) return status;
  // Memory and store may differ now.
  runs_.erase(job);
  if (!absl::IsFailedPrecondition(status) && !absl::IsAborted(status)) return status;
  // Somebody moved it, or took it over, meanwhile; the next round sees its new state.
  Log(LogLevel::kDebug, "job_moved_meanwhile",
      {{"job", ToText(job)}, {"status", std::string(status.message())}});
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<JobRunner::JobRun>> JobRunner::MakeRun(
    const store::OwnedJob& owned) {
  ASSIGN_OR_RETURN(store::JobSource source,
                   store_.GetJobSource(owned.job.job.owner, owned.job.job.id));
  const spec::JobText text = {.file_name = std::move(source.file_name),
                              .text = std::move(source.text),
                              .files = std::move(source.files)};
  auto run = std::make_unique<JobRun>(owned.fence);
  std::shared_ptr<const JobPlan> shared;
  for (const store::Task& task : owned.job.tasks) {
    if (store::IsFinal(task.state)) continue;
    ASSIGN_OR_RETURN(const std::string schedule, store_.TaskSchedule(owned.job.job.owner, task.id));
    if (shared == nullptr || !schedule.empty()) {
      absl::StatusOr<JobPlan> plan = JobPlan::Read(text, schedule);
      if (!plan.ok()) {
        RETURN_IF_ERROR(FailJob(owned, std::string(plan.status().message())));
        return nullptr;
      }
      shared = std::make_shared<const JobPlan>(*std::move(plan));
    }
    run->plans[task.id] = shared;
    if (task.history.empty()) continue;
    ASSIGN_OR_RETURN(const auto history, store_.TaskHistory(owned.job.job.owner, task.id));
    absl::StatusOr<JobPlan> warmed = shared->WithHistory(history);
    if (!warmed.ok()) {
      RETURN_IF_ERROR(FailJob(owned, std::string(warmed.status().message())));
      return nullptr;
    }
    run->plans[task.id] = std::make_shared<const JobPlan>(*std::move(warmed));
  }
  return run;
}

absl::Status JobRunner::Prepare(store::OwnedJob& owned) {
  store::Job& job = owned.job.job;
  if (!runs_.contains(job.id)) {
    ASSIGN_OR_RETURN(std::unique_ptr<JobRun> made, MakeRun(owned));
    if (made == nullptr) return absl::OkStatus();
    runs_[job.id] = std::move(made);
  }
  if (job.state == store::State::kQueued) {
    RETURN_IF_ERROR(Move(owned, JobEvent::kStart, ""));
    job.state = StateAfter(JobEvent::kStart);
  }
  for (store::Task& task : owned.job.tasks) {
    if (store::IsFinal(task.state)) continue;
    TaskRun& run = runs_[job.id]->RunOf(store_, task.id);
    const int64_t before = run.changes();
    RETURN_IF_ERROR(run.Prepare(job, task));
    changes_ += run.changes() - before;
  }
  return absl::OkStatus();
}

absl::Status JobRunner::SearchAll(std::vector<store::OwnedJob>& jobs) {
  std::vector<Searching> searching;
  std::vector<store::FinishedSince> since;
  for (store::OwnedJob& owned : jobs) {
    const auto run = runs_.find(owned.job.job.id);
    if (run == runs_.end()) continue;
    for (store::Task& task : owned.job.tasks) {
      if (task.state != store::State::kRunning) continue;
      TaskRun& task_run = run->second->RunOf(store_, task.id);
      searching.push_back({.owned = &owned, .task = &task, .run = &task_run});
      since.push_back({owned.job.job.owner, task.id, task_run.observed()});
    }
  }
  if (searching.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto finished, store_.FinishedTrials(since));
  std::vector<Searching> proposing;
  std::vector<store::TaskTrials> proposed;
  for (size_t i = 0; i < searching.size(); ++i) {
    const auto& [owned, task, run] = searching[i];
    const store::Job& job = owned->job.job;
    if (!runs_.contains(job.id)) continue;  // another of its tasks found it moved
    const int64_t before = run->changes();
    auto trials = run->Search(job, *task, finished[i],
                              options_.pending_per_task * std::max(1, task->devices_serving));
    changes_ += run->changes() - before;
    if (task->state != store::State::kRunning) Foretold(job, *task, run->foresight());
    if (!trials.ok()) {
      RETURN_IF_ERROR(Tolerate(job.id, trials.status()));
    } else if (!trials->empty()) {
      proposing.push_back(searching[i]);
      proposed.push_back({job.owner, task->id, owned->fence, *std::move(trials)});
    }
  }
  return StoreTrials(proposing, proposed);
}

void JobRunner::Foretold(const store::Job& job, const store::Task& task,
                         const search::Foresight& foresight) {
  if (!foresight.rank_correlation || !foresight.regret) return;
  options_.rank_correlation.Observe(*foresight.rank_correlation);
  options_.regret.Observe(*foresight.regret);
  Log(LogLevel::kInfo, "search_ended",
      {{"job", ToText(job.id)},
       {"task", ToText(task.id)},
       {"expected", absl::StrCat(foresight.trials)},
       {"rank_correlation", absl::StrFormat("%.3f", *foresight.rank_correlation)},
       {"regret", absl::StrFormat("%.4f", *foresight.regret)}});
}

absl::Status JobRunner::StoreTrials(const std::vector<Searching>& searching,
                                    const std::vector<store::TaskTrials>& proposed) {
  if (proposed.empty()) return absl::OkStatus();
  const auto added = store_.AddTrials(proposed);
  ++changes_;
  if (!added.ok()) {
    // Nobody knows what of it is stored: every search is made anew from what is.
    for (const Searching& one : searching) runs_.erase(one.owned->job.job.id);
    return added.status();
  }
  for (size_t i = 0; i < searching.size(); ++i) {
    RETURN_IF_ERROR(Tolerate(searching[i].owned->job.job.id, added->at(i)));
  }
  return absl::OkStatus();
}

absl::Status JobRunner::Settle(const store::OwnedJob& owned) {
  const std::vector<store::Task>& tasks = owned.job.tasks;
  if (AnyIn(tasks, store::State::kRunning)) return absl::OkStatus();
  if (AnyIn(tasks, store::State::kFinishing)) {
    if (owned.job.job.state == store::State::kFinishing) return absl::OkStatus();
    return Move(owned, JobEvent::kCompare, ReasonOf(tasks));
  }
  return Move(owned, AnyIn(tasks, store::State::kDone) ? JobEvent::kSucceed : JobEvent::kFail,
              ReasonOf(tasks));
}

absl::Status JobRunner::Move(const store::OwnedJob& owned, JobEvent event,
                             const std::string& reason) {
  const store::Job& job = owned.job.job;
  RETURN_IF_ERROR(store_.MoveOwnedJob(job.owner, job.id, owned.fence, StatesBefore(event),
                                      StateAfter(event), reason));
  ++changes_;
  Log(LogLevel::kInfo, "job_state",
      {{"job", ToText(job.id)}, {"state", store::StateName(StateAfter(event))}});
  return absl::OkStatus();
}

absl::Status JobRunner::FailJob(const store::OwnedJob& owned, const std::string& reason) {
  for (const store::Task& task : owned.job.tasks) {
    if (store::IsFinal(task.state)) continue;
    RETURN_IF_ERROR(store_.MoveTask(owned.job.job.owner, task.id, owned.fence,
                                    StatesBefore(TaskEvent::kFail), StateAfter(TaskEvent::kFail),
                                    reason));
  }
  return Move(owned, JobEvent::kFail, reason);
}

}  // namespace burnish::jobs
