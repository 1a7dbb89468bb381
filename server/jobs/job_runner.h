// Drives every active job from its stored state: proposes trials, observes results, decides when
// the budget is spent, has the finalists compared, publishes the winner.
//
// Everything it knows can be rebuilt from the store, so a restart resumes where it stood. It talks
// to the dispatcher only through the store. Not thread-safe: one thread calls Advance().
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/store/store.h"

namespace burnish::jobs {

struct JobRunnerOptions {
  int pending_per_task = 6;  // trials proposed and not finished
};

class JobRunner {
 public:
  JobRunner(store::Store& store, JobRunnerOptions options);
  ~JobRunner();

  // One round over all active jobs. A job whose stored text no longer reads, or any other fault of
  // one job, fails that job with a reason and leaves the others alone; the status is the store's.
  absl::Status Advance();

 private:
  struct JobRun;

  absl::Status AdvanceJob(store::JobWithTasks& job);
  absl::Status SettleJob(const store::JobWithTasks& job);
  absl::Status FailJob(const store::JobWithTasks& job, const std::string& reason);

  store::Store& store_;
  const JobRunnerOptions options_;
  std::map<JobId, std::unique_ptr<JobRun>> runs_;
};

}  // namespace burnish::jobs
