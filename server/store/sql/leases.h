// Statements that grant, test and expire leases. Each runs inside the caller's transaction and may
// throw Failure.
#pragma once

#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

absl::StatusOr<std::vector<absl::StatusOr<std::vector<Grant>>>> Claim(
    Connection& connection, absl::Time now, const std::vector<ClaimRequest>& requests,
    absl::Duration lease);
// Whether ExpireLeases would find any.
bool AnyExpired(Connection& connection, absl::Time now);
absl::StatusOr<std::vector<ExpiredLease>> ExpireLeases(Connection& connection, absl::Time now);
std::vector<AttemptId> LostAttempts(Connection& connection, const std::vector<HeldAttempt>& held);

}  // namespace burnish::store::sql
