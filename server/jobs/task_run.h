// Takes one task forward: queued, searching, comparing its finalists, ended. One per task, made by
// the job runner; everything in it can be rebuilt from the store. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/jobs/job_machine.h"
#include "server/jobs/job_plan.h"
#include "server/jobs/task_search.h"
#include "server/store/store.h"

namespace burnish::jobs {

class TaskRun {
 public:
  // Both outlive the run. `fence` is that of the job's ownership.
  TaskRun(store::Store& store, const JobPlan& plan, Fence fence)
      : store_(store), plan_(plan), fence_(fence) {}

  // A round has two steps, so that all tasks of a server read and write together. Both keep `task`
  // in line with what they stored. The status is the store's: after an error what is in memory may
  // be ahead of what is stored, and the run has to be made anew.
  //
  // First: starts the task, or concludes it when its comparison is there.
  absl::Status Prepare(const store::Job& job, store::Task& task);
  // Finished trials from this position on belong into the second step.
  int64_t observed() const { return search_->observed(); }
  // Second, for a task in state running: observes, and ends the search or returns new trials to
  // store.
  absl::StatusOr<std::vector<store::NewTrial>> Search(const store::Job& job, store::Task& task,
                                                      const std::vector<store::Trial>& finished,
                                                      int pending_target);
  // Of the search, which has been made.
  search::Foresight foresight() const { return search_->foresight(); }
  // How often something was stored.
  int64_t changes() const { return changes_; }

 private:
  struct Ending {
    std::string reason;
    bool hopeless = false;
  };

  absl::Status Rebuild(const store::Job& job, store::Task& task);
  absl::StatusOr<std::optional<Ending>> EndingOf(const store::Job& job, const store::Task& task);
  absl::StatusOr<bool> RoofShareReached(const store::Task& task);
  // Those of the task's device into roofs_, as far as they are known.
  absl::Status ReadRoofs(const store::Task& task);
  // Once they are known, if the search has a use for them.
  absl::Status FixRoofs(const store::Job& job, store::Task& task);
  // Waits for the trials that agents hold; true when none is left.
  absl::StatusOr<bool> Drain(const store::Job& job, const store::Task& task);
  absl::Status EndSearch(const store::Job& job, store::Task& task, const Ending& ending);
  absl::Status Conclude(const store::Job& job, store::Task& task);
  absl::Status Move(const store::Job& job, store::Task& task, TaskEvent event,
                    const std::string& reason);

  store::Store& store_;
  const JobPlan& plan_;
  const Fence fence_;
  std::optional<TaskSearch> search_;
  DeviceId roofs_of_;  // the device whose roofs these are; kept, so that a decision stands
  work::Roofs roofs_;
  int64_t changes_ = 0;
};

}  // namespace burnish::jobs
