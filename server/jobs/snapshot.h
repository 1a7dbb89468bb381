// What people see of a job: counts, outcomes, default and best so far. Computed from the store.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/jobs/outcome_counts.h"
#include "server/jobs/task_progress.h"
#include "server/store/store.h"

namespace burnish::jobs {

struct ConfigurationResult {
  space::Configuration configuration;
  std::optional<TrialNumber> trial;
  double latency_seconds = 0;
  stats::Interval interval;
  bool verified = false;
  double max_relative_error = 0;
  work::Figures figures = {};        // as the trial measured them
  std::optional<double> roof_share;  // of what the task's device could do at most
};

struct TaskSnapshot {
  TaskId id;
  std::string problem;
  std::string device_class;
  std::optional<store::DeviceRow> device;
  store::State state = store::State::kQueued;
  std::string reason;
  int64_t trials = 0;  // finished
  int64_t budget_trials = 0;
  double budget_seconds = 0;  // 0: without bound
  double budget_device_seconds = 0;
  int64_t valid = 0;
  int64_t running = 0;
  std::vector<OutcomeCount> outcomes;
  std::string statistic;
  std::optional<ConfigurationResult> default_result;
  std::optional<ConfigurationResult> best;  // so far; of the comparison once that is done
  std::vector<ConfigurationResult> tie;     // the others of which the best does not stand out
  double speedup = 0;                       // 0: not known yet
  stats::Interval speedup_interval;
  double seconds = 0;         // since the start of the task, or what it took
  double device_seconds = 0;  // of the finished trials
  work::KernelWork work;
  uint64_t space_size = 0;
  std::vector<store::HistorySummary> history;  // that the search started from
  std::string pruned;                          // what it passed over as too slow, for people
  std::vector<spec::Objective> objectives;
  // With several objectives: what no other trial clearly beats, by the first one, best first.
  std::vector<ConfigurationResult> front;
  size_t knee = 0;                    // its compromise, which is the best, if it is not empty
  std::optional<double> hypervolume;  // of the front (HypervolumeShare)
};

struct JobSnapshot {
  store::Job job;
  std::vector<TaskSnapshot> tasks;
  std::string text;     // of the job file; only of a whole snapshot
  std::string waiting;  // why nothing runs; empty if something does
};

// What earlier snapshots of a job have read of its trials.
using JobProgress = std::map<TaskId, TaskProgress>;

// With `where`, default, best and front are those of the trials alone, and the best and the front
// of the trials within that limit.
absl::StatusOr<JobSnapshot> TakeSnapshot(
    store::Store& store, const Namespace& owner, JobId id,
    const std::optional<expr::Expression>& where = std::nullopt);
// The same, for snapshots in a row: reads only the trials that finished since the last one.
absl::StatusOr<JobSnapshot> TakeSnapshot(store::Store& store, const Namespace& owner, JobId id,
                                         JobProgress& progress);

}  // namespace burnish::jobs
