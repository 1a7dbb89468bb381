// Statements on agents' sessions and their devices. Each runs inside the caller's transaction and
// may throw SQLite::Exception.
#pragma once

#include <cstdint>
#include <vector>

#include "server/store/sqlite/connection.h"
#include "server/store/store.h"

namespace burnish::store::sqlite {

struct SessionRow {
  int64_t row = 0;
  AgentId agent;
  absl::Time live_until;
  bool ended = false;
};

// NotFound for a session that never was.
absl::StatusOr<SessionRow> FindSession(Connection& connection, const SessionId& id);
// NotFound for one that has ended too.
absl::StatusOr<SessionRow> FindCurrentSession(Connection& connection, const SessionId& id);

absl::StatusOr<Store::OpenedSession> OpenSession(Connection& connection, absl::Time now,
                                                 const AgentId& agent,
                                                 const std::vector<work::DeviceInfo>& devices,
                                                 const std::vector<HeldAttempt>& holding,
                                                 absl::Duration lease);
absl::StatusOr<std::vector<AttemptId>> RenewSession(Connection& connection, absl::Time now,
                                                    const SessionId& session,
                                                    const std::vector<HeldAttempt>& holding,
                                                    absl::Duration lease);
absl::Status CloseSession(Connection& connection, absl::Time now, const SessionId& session);
absl::StatusOr<std::vector<DeviceRow>> Devices(Connection& connection, absl::Time now);

}  // namespace burnish::store::sqlite
