// Statements on trials. Each runs inside the caller's transaction and may throw Failure.
#pragma once

#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

std::vector<absl::Status> AddTrials(Connection& connection, absl::Time now,
                                    const std::vector<TaskTrials>& tasks);
absl::StatusOr<std::vector<Trial>> Trials(Connection& connection, const Namespace& owner,
                                          const TaskId& id);
absl::StatusOr<std::vector<std::vector<Trial>>> FinishedTrials(
    Connection& connection, const std::vector<FinishedSince>& tasks);
absl::StatusOr<std::vector<TrialNumber>> WithdrawQueuedTrials(Connection& connection,
                                                              const Namespace& owner,
                                                              const TaskId& id, Fence fence);

}  // namespace burnish::store::sql
