// Which server drives which job: one lease row per job that was ever driven. Each statement runs
// inside the caller's transaction and may throw Failure.
#pragma once

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

// Aborted unless `fence` is the one of the job's newest lease. Until the end of the transaction
// nobody can take the job over.
absl::Status CheckOwned(Connection& connection, JobId job, Fence fence);

// Renews the leases of the replica's active jobs and takes those that are free.
void TakeJobs(Connection& connection, absl::Time now, const ReplicaId& replica,
              absl::Duration lease);
void ReleaseJobs(Connection& connection, absl::Time now, const ReplicaId& replica);

}  // namespace burnish::store::sql
