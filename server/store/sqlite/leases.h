// Statements that grant, test and expire leases. Each runs inside the caller's transaction and may
// throw SQLite::Exception.
#pragma once

#include <vector>

#include "server/store/sqlite/connection.h"
#include "server/store/store.h"

namespace burnish::store::sqlite {

absl::StatusOr<std::vector<work::Assignment>> Claim(Connection& connection, absl::Time now,
                                                    const SessionId& session,
                                                    const DeviceId& device, const TaskId& task,
                                                    int limit, absl::Duration lease);
absl::StatusOr<std::vector<ExpiredLease>> ExpireLeases(Connection& connection, absl::Time now);
absl::StatusOr<bool> IsCurrent(Connection& connection, const HeldAttempt& held);

}  // namespace burnish::store::sqlite
