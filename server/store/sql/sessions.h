// Statements on agents' sessions and their devices. Each runs inside the caller's transaction and
// may throw Failure.
#pragma once

#include <cstdint>
#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

struct SessionRow {
  int64_t row = 0;
  AgentId agent;
  absl::Time live_until;
  bool ended = false;
};

// Nothing for a text that is no session id.
std::optional<int64_t> RowOf(const SessionId& id);
// NotFound for a session that never was.
absl::StatusOr<SessionRow> FindSession(Connection& connection, const SessionId& id);
// NotFound, as calls for a session say it that has ended.
absl::Status SessionReplaced(const SessionId& id);

absl::StatusOr<Store::OpenedSession> OpenSession(Connection& connection, absl::Time now,
                                                 const AgentId& agent,
                                                 const std::vector<work::DeviceInfo>& devices,
                                                 const std::vector<HeldAttempt>& holding,
                                                 absl::Duration lease);
std::vector<absl::StatusOr<std::vector<AttemptId>>> RenewSessions(
    Connection& connection, absl::Time now, const std::vector<SessionRenewal>& sessions,
    absl::Duration lease);
absl::Status CloseSession(Connection& connection, absl::Time now, const SessionId& session);
absl::Status RecordRoofs(Connection& connection, const SessionId& session, const DeviceId& device,
                         const work::Roofs& roofs);
absl::StatusOr<std::vector<DeviceRow>> Devices(Connection& connection, absl::Time now);

}  // namespace burnish::store::sql
