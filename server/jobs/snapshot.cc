#include "server/jobs/snapshot.h"

#include <algorithm>
#include <utility>

#include "common/base/status_macros.h"
#include "server/jobs/waiting.h"

namespace burnish::jobs {
namespace {

ConfigurationResult FromTrial(const store::Trial& trial) {
  return {.configuration = trial.what.configuration,
          .trial = trial.what.number,
          .latency_seconds = trial.latency->seconds,
          .interval = trial.latency->interval,
          .verified = trial.correctness.verified,
          .max_relative_error = trial.correctness.max_relative_error,
          .figures = trial.figures};
}

const store::Trial* FindTrial(const std::vector<store::Trial>& ranked,
                              const space::Configuration& configuration) {
  const auto found = std::ranges::find_if(ranked, [&](const store::Trial& trial) {
    return space::SameConfiguration(trial.what.configuration, configuration);
  });
  return found == ranked.end() ? nullptr : &*found;
}

void AddFront(const TaskProgress& progress, TaskSnapshot& snapshot) {
  const work::Goals& goals = progress.goals();
  const Ranking& best = progress.best();
  std::vector<store::Trial> front(best.trials.begin(),
                                  best.trials.begin() + static_cast<int64_t>(best.front));
  std::ranges::stable_sort(front, {}, [&](const store::Trial& trial) {
    return work::CostOf(goals.objectives.front(), ValuesOf(trial));
  });
  for (const store::Trial& trial : front) {
    if (trial.what.number == best.trials.front().what.number) snapshot.knee = snapshot.front.size();
    snapshot.front.push_back(FromTrial(trial));
  }
  const auto& default_trial = progress.default_trial();
  snapshot.hypervolume = HypervolumeShare(front, default_trial ? &*default_trial : nullptr, goals);
}

// What the trials say so far.
void AddScreening(const TaskProgress& progress, TaskSnapshot& snapshot) {
  snapshot.objectives = progress.goals().objectives;
  if (progress.default_trial()) snapshot.default_result = FromTrial(*progress.default_trial());
  if (progress.best().trials.empty()) return;
  const store::Trial& best = progress.best().trials.front();
  snapshot.best = FromTrial(best);
  snapshot.statistic = best.latency->statistic;
  if (progress.goals().several()) AddFront(progress, snapshot);
}

work::Figures FiguresOf(const store::Trial* trial) {
  return trial == nullptr ? work::Figures() : trial->figures;
}

// What the finalists' comparison decided stands above what the trials said.
void AddResult(const store::TaskResult& result, const std::vector<store::Trial>& ranked,
               TaskSnapshot& snapshot) {
  if (!result.best) return;
  const store::Trial* const trial = FindTrial(ranked, *result.best);
  snapshot.best = {.configuration = *result.best,
                   .trial = trial == nullptr ? std::nullopt : std::optional(trial->what.number),
                   .latency_seconds = result.best_seconds,
                   .interval = result.best_interval,
                   .verified = result.verified,
                   .max_relative_error = result.max_relative_error,
                   .figures = FiguresOf(trial)};
  if (snapshot.default_result && result.default_seconds > 0) {
    snapshot.default_result->latency_seconds = result.default_seconds;
    snapshot.default_result->interval = result.default_interval;
  }
  for (const store::TiedFinalist& tied : result.tie) {
    const store::Trial* const measured = FindTrial(ranked, tied.configuration);
    snapshot.tie.push_back(
        {.configuration = tied.configuration,
         .trial = measured == nullptr ? std::nullopt : std::optional(measured->what.number),
         .latency_seconds = tied.seconds,
         .interval = tied.interval,
         .verified = tied.verified,
         .max_relative_error = tied.max_relative_error,
         .figures = FiguresOf(measured)});
  }
  snapshot.speedup = result.speedup;
  snapshot.speedup_interval = result.speedup_interval;
}

void AddRoofShares(TaskSnapshot& snapshot) {
  if (!snapshot.device.has_value()) return;
  const auto add = [&](ConfigurationResult& result) {
    result.roof_share =
        work::RoofShare(snapshot.device->device.info.roofs, snapshot.work, result.latency_seconds);
  };
  if (snapshot.best) add(*snapshot.best);
  if (snapshot.default_result) add(*snapshot.default_result);
  for (ConfigurationResult& tied : snapshot.tie) add(tied);
  for (ConfigurationResult& point : snapshot.front) add(point);
}

absl::StatusOr<TaskSnapshot> SnapshotTask(store::Store& store, const Namespace& owner,
                                          const store::Task& task,
                                          const std::vector<store::DeviceRow>& devices,
                                          bool with_result, TaskProgress& progress) {
  ASSIGN_OR_RETURN(const auto finished,
                   store.FinishedTrials({{owner, task.id, progress.observed()}}));
  progress.Observe(finished.front());
  TaskSnapshot snapshot;
  snapshot.id = task.id;
  snapshot.problem = task.what.problem;
  snapshot.device_class = task.what.device_class;
  for (const store::DeviceRow& device : devices) {
    if (device.device.id == task.device) snapshot.device = device;
  }
  snapshot.state = task.state;
  snapshot.reason = task.reason;
  snapshot.trials = progress.observed();
  snapshot.budget_trials = task.what.budget_trials;
  snapshot.budget_seconds = task.what.budget_seconds;
  snapshot.budget_device_seconds = task.what.budget_device_seconds;
  snapshot.device_seconds = progress.device_seconds();
  snapshot.valid = progress.valid();
  ASSIGN_OR_RETURN(snapshot.running, store.RunningItems(owner, task.id));
  snapshot.outcomes = progress.outcomes();
  AddScreening(progress, snapshot);
  if (with_result) AddResult(task.result, progress.best().trials, snapshot);
  if (task.started) {
    snapshot.seconds = absl::ToDoubleSeconds(task.ended.value_or(store.Now()) - *task.started);
  }
  snapshot.work = task.what.work;
  AddRoofShares(snapshot);
  snapshot.space_size = task.what.space_size;
  snapshot.history = task.history;
  snapshot.pruned = task.pruned;
  return snapshot;
}

absl::StatusOr<JobSnapshot> Take(store::Store& store, const Namespace& owner, JobId id,
                                 const std::optional<expr::Expression>& where,
                                 JobProgress& progress) {
  ASSIGN_OR_RETURN(store::JobWithTasks found, store.GetJob(owner, id));
  ASSIGN_OR_RETURN(const std::vector<store::DeviceRow> devices, store.Devices());
  JobSnapshot snapshot;
  int64_t running = 0;
  for (const store::Task& task : found.tasks) {
    if (!progress.contains(task.id)) {
      ASSIGN_OR_RETURN(work::Goals goals, work::ReadGoals(task.what.goals));
      if (where) goals.limits.push_back(*where);
      progress.emplace(task.id, std::move(goals));
    }
    ASSIGN_OR_RETURN(TaskSnapshot taken,
                     SnapshotTask(store, owner, task, devices, !where, progress.at(task.id)));
    running += taken.running;
    // Pausing is the job's; its tasks keep where they stand in the store and go on from there.
    if (found.job.state == store::State::kPaused && !store::IsFinal(taken.state)) {
      taken.state = store::State::kPaused;
    }
    snapshot.tasks.push_back(std::move(taken));
  }
  if (running == 0 && !store::IsFinal(found.job.state)) {
    ASSIGN_OR_RETURN(snapshot.waiting, WhyWaiting(store, found, devices));
  }
  snapshot.job = std::move(found.job);
  return snapshot;
}

}  // namespace

absl::StatusOr<JobSnapshot> TakeSnapshot(store::Store& store, const Namespace& owner, JobId id,
                                         const std::optional<expr::Expression>& where) {
  JobProgress progress;
  return Take(store, owner, id, where, progress);
}

absl::StatusOr<JobSnapshot> TakeSnapshot(store::Store& store, const Namespace& owner, JobId id,
                                         JobProgress& progress) {
  return Take(store, owner, id, std::nullopt, progress);
}

}  // namespace burnish::jobs
