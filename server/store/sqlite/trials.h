// Statements on trials. Each runs inside the caller's transaction and may throw SQLite::Exception.
#pragma once

#include <cstdint>
#include <vector>

#include "server/store/sqlite/connection.h"
#include "server/store/store.h"

namespace burnish::store::sqlite {

absl::Status AddTrials(Connection& connection, const Namespace& owner, const TaskId& id,
                       const std::vector<NewTrial>& trials);
absl::StatusOr<std::vector<Trial>> Trials(Connection& connection, const Namespace& owner,
                                          const TaskId& id);
absl::StatusOr<std::vector<Trial>> FinishedTrials(Connection& connection, const Namespace& owner,
                                                  const TaskId& id, int64_t from);
absl::StatusOr<std::vector<TrialNumber>> WithdrawQueuedTrials(Connection& connection,
                                                              const Namespace& owner,
                                                              const TaskId& id);

}  // namespace burnish::store::sqlite
