#include "server/store/sql/ownership.h"

#include "absl/strings/str_cat.h"

namespace burnish::store::sql {

absl::Status CheckOwned(Connection& connection, JobId job, Fence fence) {
  Query query(connection, "SELECT 1 FROM job_leases WHERE job_id = ? AND fence = ? FOR SHARE",
              job.value(), fence.value());
  return query.Next() ? absl::OkStatus() : TakenOver(job);
}

std::set<std::pair<JobId, Fence>> Owned(Connection& connection,
                                        const std::set<std::pair<JobId, Fence>>& jobs) {
  Batch batch({{"job", Batch::Type::kInteger}, {"fence", Batch::Type::kInteger}});
  for (const auto& [job, fence] : jobs) batch.Add({ToValue(job.value()), ToValue(fence.value())});
  Query query(connection, batch,
              "SELECT l.job_id, l.fence FROM batch b "
              "JOIN job_leases l ON l.job_id = b.job AND l.fence = b.fence "
              "ORDER BY l.job_id FOR SHARE OF l");
  std::set<std::pair<JobId, Fence>> owned;
  while (query.Next()) owned.emplace(query.Integer(0), query.Integer(1));
  return owned;
}

absl::Status TakenOver(JobId job) {
  return absl::AbortedError(
      absl::StrCat("job ", ToText(job), " is driven by another server by now"));
}

bool ShouldTakeJobs(Connection& connection, absl::Time now, const ReplicaId& replica,
                    absl::Duration lease) {
  Query query(connection,
              "SELECT 1 FROM jobs j LEFT JOIN job_leases l ON l.job_id = j.id "
              "WHERE j.state NOT IN ('done', 'failed', 'cancelled') AND (l.job_id IS NULL "
              "OR l.until_ns <= ? OR (l.replica = ? AND l.until_ns <= ?)) LIMIT 1",
              now, replica.value(), now + lease / 2);
  return query.Next();
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
