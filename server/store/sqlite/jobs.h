// Statements on jobs and their files. Each runs inside the caller's transaction and may throw
// SQLite::Exception.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/store/sqlite/connection.h"
#include "server/store/store.h"

namespace burnish::store::sqlite {

// NotFound for a job of another namespace too.
absl::Status CheckJob(Connection& connection, const Namespace& owner, JobId id);
// Jobs without a request id never match: each is its own.
std::optional<JobId> FindJobOfRequest(Connection& connection, const Namespace& owner,
                                      const std::string& client_request_id);
absl::StatusOr<std::pair<JobId, bool>> CreateJob(Connection& connection, absl::Time now,
                                                 const Namespace& owner, const NewJob& job);
absl::StatusOr<JobWithTasks> GetJob(Connection& connection, const Namespace& owner, JobId id);
absl::StatusOr<std::vector<JobWithTasks>> ListJobs(Connection& connection, const Namespace& owner,
                                                   int limit);
absl::StatusOr<std::vector<JobWithTasks>> ActiveJobs(Connection& connection);
absl::Status MoveJob(Connection& connection, const Namespace& owner, JobId id,
                     const std::vector<State>& from, State to, const std::string& reason);
absl::Status RequestFinish(Connection& connection, const Namespace& owner, JobId id);
absl::Status CancelJob(Connection& connection, absl::Time now, const Namespace& owner, JobId id,
                       const std::string& reason);
absl::Status SetHold(Connection& connection, const Namespace& owner, JobId id,
                     const std::string& hold_id);

}  // namespace burnish::store::sqlite
