// Takes one task forward: queued, searching, comparing its finalists, ended. One per task, made by
// the job runner; everything in it can be rebuilt from the store. Not thread-safe.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "server/jobs/job_machine.h"
#include "server/jobs/job_plan.h"
#include "server/jobs/task_search.h"
#include "server/store/store.h"

namespace burnish::jobs {

class TaskRun {
 public:
  // Both outlive the run.
  TaskRun(store::Store& store, const JobPlan& plan) : store_(store), plan_(plan) {}

  // One step; keeps `task` in line with what it stored. The status is the store's: after an error
  // what is in memory may be ahead of what is stored, and the run has to be made anew.
  absl::Status Advance(const store::Job& job, store::Task& task, int pending_target);

 private:
  struct Ending {
    std::string reason;
    bool hopeless = false;
  };

  absl::Status Search(const store::Job& job, store::Task& task, int pending_target);
  std::optional<Ending> EndingOf(const store::Job& job, const store::Task& task);
  // Waits for the trials that agents hold; true when none is left.
  absl::StatusOr<bool> Drain(const store::Job& job, const store::Task& task);
  absl::Status EndSearch(const store::Job& job, store::Task& task, const Ending& ending);
  absl::Status Conclude(const store::Job& job, store::Task& task);
  absl::Status Move(const store::Job& job, store::Task& task, TaskEvent event,
                    const std::string& reason);

  store::Store& store_;
  const JobPlan& plan_;
  std::optional<TaskSearch> search_;
};

}  // namespace burnish::jobs
