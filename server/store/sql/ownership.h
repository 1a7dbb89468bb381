// Which server drives which job: one lease row per job that was ever driven. Each statement runs
// inside the caller's transaction and may throw Failure.
#pragma once

#include <set>
#include <utility>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

// Aborted unless `fence` is the one of the job's newest lease. Until the end of the transaction
// nobody can take the job over.
absl::Status CheckOwned(Connection& connection, JobId job, Fence fence);
// The same for many: those of the jobs whose newest lease has the fence beside them.
std::set<std::pair<JobId, Fence>> Owned(Connection& connection,
                                        const std::set<std::pair<JobId, Fence>>& jobs);
absl::Status TakenOver(JobId job);

// Whether the replica should call TakeJobs now: there are active jobs to take, or leases of its own
// of which less than half is left.
bool ShouldTakeJobs(Connection& connection, absl::Time now, const ReplicaId& replica,
                    absl::Duration lease);
// Renews the leases of the replica's active jobs and takes those that are free.
void TakeJobs(Connection& connection, absl::Time now, const ReplicaId& replica,
              absl::Duration lease);
void ReleaseJobs(Connection& connection, absl::Time now, const ReplicaId& replica);

}  // namespace burnish::store::sql
