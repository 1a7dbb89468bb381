// Statements that remove what is kept no longer, of one job that has ended. Each runs inside the
// caller's transaction and may throw Failure.
//
// The job's row is locked first, as everywhere (work_items.h): a report that comes for it meanwhile
// waits. A job that somebody else has locked is left to the next call. Environments, devices and
// sessions are the fleet's, and stay.
#pragma once

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

bool AnySamplesToDrop(Connection& connection, absl::Time before);
absl::StatusOr<Removed> DropSamples(Connection& connection, absl::Time before, int limit);
bool AnyJobToDelete(Connection& connection, absl::Time before);
Removed DeleteJobs(Connection& connection, absl::Time before, int limit);

}  // namespace burnish::store::sql
