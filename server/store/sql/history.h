// Statements on the history of tasks and what it is made of. Each runs inside the caller's
// transaction and may throw Failure.
#pragma once

#include <string>
#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

// NotFound for a task of another namespace too.
absl::StatusOr<std::vector<HistorySource>> TaskHistory(Connection& connection,
                                                       const Namespace& owner, const TaskId& id);
std::vector<RecordSet> RecordSets(Connection& connection, const Namespace& owner,
                                  const NewTask& task, int limit);
// Of a set that tasks have measured.
absl::StatusOr<std::vector<MeasuredConfiguration>> TrialRecords(Connection& connection,
                                                                const Namespace& owner,
                                                                const std::string& family,
                                                                const RecordSet& set, int limit);

}  // namespace burnish::store::sql
