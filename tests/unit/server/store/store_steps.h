// Calls on a store as tests make them: one element at a time, and as the owner of every job.
#pragma once

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "server/store/store.h"

namespace burnish::store {

inline const ReplicaId kOwner("owner");

// The fence of a job that the test drives; taken again once somebody else has let it go.
inline Fence FenceOf(Store& store, JobId job) {
  const auto owned = store.OwnJobs(kOwner, absl::Hours(1));
  EXPECT_TRUE(owned.ok()) << owned.status();
  for (const OwnedJob& one : *owned) {
    if (one.job.job.id == job) return one.fence;
  }
  return Fence(0);
}

inline absl::Status MoveTask(Store& store, const Namespace& owner, const TaskId& task,
                             const std::vector<State>& from, State to,
                             const std::string& reason = "") {
  return store.MoveTask(owner, task, FenceOf(store, task.job), from, to, reason);
}

inline absl::Status AddTrials(Store& store, const Namespace& owner, const TaskId& task,
                              std::vector<NewTrial> trials) {
  const auto added = store.AddTrials({{owner, task, FenceOf(store, task.job), std::move(trials)}});
  return added.ok() ? added->at(0) : added.status();
}

inline absl::Status AddComparison(Store& store, const Namespace& owner, const TaskId& task,
                                  const work::CompareWork& work) {
  return store.AddComparison(owner, task, FenceOf(store, task.job), work);
}

inline absl::StatusOr<std::vector<TrialNumber>> WithdrawQueuedTrials(Store& store,
                                                                     const Namespace& owner,
                                                                     const TaskId& task) {
  return store.WithdrawQueuedTrials(owner, task, FenceOf(store, task.job));
}

inline std::vector<Trial> FinishedTrials(Store& store, const Namespace& owner, const TaskId& task,
                                         int64_t from = 0) {
  return store.FinishedTrials({{owner, task, from}})->at(0);
}

inline absl::StatusOr<work::ReportResult> StoreReport(Store& store, const SessionId& session,
                                                      const work::Report& report) {
  auto stored = store.StoreReports({{session, report}});
  if (!stored.ok()) return stored.status();
  return stored->at(0);
}

inline absl::StatusOr<std::vector<AttemptId>> RenewSession(Store& store, const SessionId& session,
                                                           const std::vector<HeldAttempt>& holding,
                                                           absl::Duration lease) {
  auto renewed = store.RenewSessions({{session, holding}}, lease);
  if (!renewed.ok()) return renewed.status();
  return renewed->at(0);
}

inline absl::StatusOr<std::vector<work::Assignment>> Claim(Store& store, const SessionId& session,
                                                           const DeviceId& device,
                                                           const TaskId& task, int limit,
                                                           absl::Duration lease) {
  auto claimed = store.Claim({{session, device, task, limit}}, lease);
  if (!claimed.ok()) return claimed.status();
  if (!claimed->at(0).ok()) return claimed->at(0).status();
  std::vector<work::Assignment> assignments;
  for (Grant& grant : *claimed->at(0)) assignments.push_back(std::move(grant.assignment));
  return assignments;
}

inline bool IsCurrent(Store& store, const HeldAttempt& held) {
  return store.LostAttempts({held})->empty();
}

}  // namespace burnish::store
