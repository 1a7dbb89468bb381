// Drives the active jobs that this server owns, from their stored state: proposes trials, observes
// results, decides when the budget is spent, has the finalists compared, publishes the winner.
//
// Everything it knows can be rebuilt from the store, so a restart resumes where it stood, and
// another server where a dead one stood. It talks to the dispatcher only through the store. Not
// thread-safe: one thread calls Advance().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/telemetry/metrics.h"
#include "server/jobs/job_machine.h"
#include "server/search/foresight.h"
#include "server/store/store.h"

namespace burnish::jobs {

struct JobRunnerOptions {
  ReplicaId replica{"server"};  // this life of this server
  // Another server takes a silent one's jobs after it.
  absl::Duration ownership = absl::Seconds(15);
  // Trials proposed and not finished, for each device that serves the task: twice an agent's usual
  // prefetch, so that there are as many to take as it has just finished.
  int pending_per_task = 8;
  // How well the models of searches that ended had foretold (search/foresight.h).
  telemetry::Histogram rank_correlation;
  telemetry::Histogram regret;
};

class JobRunner {
 public:
  JobRunner(store::Store& store, JobRunnerOptions options);
  ~JobRunner();

  // One round over all jobs that this server owns; whether it changed anything in the store. A job
  // whose stored text no longer reads, or any other fault of one job, fails that job with a reason
  // and leaves the others alone; the status is the store's.
  absl::StatusOr<bool> Advance();
  // Other servers may take the jobs at once. Nothing is advanced afterwards.
  absl::Status Release();

 private:
  struct JobRun;
  struct Searching;

  absl::Status Prepare(store::OwnedJob& owned);
  absl::StatusOr<std::unique_ptr<JobRun>> MakeRun(const store::OwnedJob& owned);
  // What every searching task has to observe, and where its new trials go.
  absl::Status SearchAll(std::vector<store::OwnedJob>& jobs);
  void Foretold(const store::Job& job, const store::Task& task, const search::Foresight& foresight);
  absl::Status StoreTrials(const std::vector<Searching>& searching,
                           const std::vector<store::TaskTrials>& proposed);
  absl::Status Settle(const store::OwnedJob& owned);
  absl::Status Move(const store::OwnedJob& owned, JobEvent event, const std::string& reason);
  absl::Status FailJob(const store::OwnedJob& owned, const std::string& reason);
  // Forgets a job's run if somebody else moved or took the job; any other error is the store's.
  absl::Status Tolerate(JobId job, const absl::Status& status);

  store::Store& store_;
  const JobRunnerOptions options_;
  std::map<JobId, std::unique_ptr<JobRun>> runs_;
  int64_t changes_ = 0;
};

}  // namespace burnish::jobs
