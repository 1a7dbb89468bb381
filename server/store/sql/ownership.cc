#include "server/store/sql/ownership.h"

#include "absl/strings/str_cat.h"

namespace burnish::store::sql {

absl::Status CheckOwned(Connection& connection, JobId job, Fence fence) {
  Query query(connection, "SELECT 1 FROM job_leases WHERE job_id = ? AND fence = ? FOR SHARE",
              job.value(), fence.value());
  if (query.Next()) return absl::OkStatus();
  return absl::AbortedError(
      absl::StrCat("job ", ToText(job), " is driven by another server by now"));
}

void TakeJobs(Connection& connection, absl::Time now, const ReplicaId& replica,
              absl::Duration lease) {
  const absl::Time until = now + lease;
  Change(connection,
         "UPDATE job_leases SET until_ns = ? WHERE replica = ? "
         "AND job_id IN (SELECT id FROM jobs WHERE state NOT IN ('done', 'failed', 'cancelled'))",
         until, replica.value());
  // A renewal that comes in between keeps its job: the condition is tested again on the locked row.
  Change(connection,
         "UPDATE job_leases SET replica = ?, fence = fence + 1, until_ns = ? WHERE until_ns <= ? "
         "AND job_id IN (SELECT id FROM jobs WHERE state NOT IN ('done', 'failed', 'cancelled'))",
         replica.value(), until, now);
  Change(connection,
         "INSERT INTO job_leases (job_id, replica, fence, until_ns) "
         "SELECT j.id, CAST(? AS TEXT), 1, CAST(? AS BIGINT) FROM jobs j "
         "WHERE j.state NOT IN ('done', 'failed', 'cancelled') "
         "AND NOT EXISTS (SELECT 1 FROM job_leases l WHERE l.job_id = j.id) "
         "ON CONFLICT (job_id) DO NOTHING",
         replica.value(), until);
}

void ReleaseJobs(Connection& connection, absl::Time now, const ReplicaId& replica) {
  Change(connection, "UPDATE job_leases SET until_ns = ? WHERE replica = ? AND until_ns > ?", now,
         replica.value(), now);
}

}  // namespace burnish::store::sql
