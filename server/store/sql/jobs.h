// Statements on jobs and their files. Each runs inside the caller's transaction and may throw
// Failure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

// NotFound for a job of another namespace too.
absl::Status CheckJob(Connection& connection, const Namespace& owner, JobId id);
// Jobs without a request id never match: each is its own.
std::optional<JobId> FindJobOfRequest(Connection& connection, const Namespace& owner,
                                      const std::string& client_request_id);
absl::StatusOr<std::pair<JobId, bool>> CreateJob(Connection& connection, absl::Time now,
                                                 const Namespace& owner, const NewJob& job);
int64_t CountActiveJobs(Connection& connection, const Namespace& owner);
absl::StatusOr<JobWithTasks> GetJob(Connection& connection, const Namespace& owner, JobId id);
absl::StatusOr<JobSource> GetJobSource(Connection& connection, const Namespace& owner, JobId id);
absl::StatusOr<std::vector<JobWithTasks>> ListJobs(Connection& connection, const Namespace& owner,
                                                   int limit);
absl::StatusOr<std::vector<JobWithTasks>> ActiveJobs(Connection& connection);
absl::Status MoveJob(Connection& connection, const Namespace& owner, JobId id,
                     const std::vector<State>& from, State to, const std::string& reason);
absl::Status MoveOwnedJob(Connection& connection, const Namespace& owner, JobId id, Fence fence,
                          const std::vector<State>& from, State to, const std::string& reason);
absl::Status CancelJob(Connection& connection, absl::Time now, const Namespace& owner, JobId id,
                       const std::string& reason);
absl::Status RequestFinish(Connection& connection, const Namespace& owner, JobId id);
absl::Status SetHold(Connection& connection, const Namespace& owner, JobId id,
                     const std::string& hold_id);

struct Ownership {
  std::vector<OwnedJob> jobs;  // the active ones whose lease the replica holds, oldest first
  // Whether the replica should call TakeJobs: there are active jobs to take, or leases of its own
  // of which less than half is left.
  bool should_take = false;
};
absl::StatusOr<Ownership> FindOwned(Connection& connection, absl::Time now,
                                    const ReplicaId& replica, absl::Duration lease);

}  // namespace burnish::store::sql
