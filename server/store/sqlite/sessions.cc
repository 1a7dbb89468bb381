#include "server/store/sqlite/sessions.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "server/store/sqlite/codec.h"
#include "server/store/sqlite/work_items.h"

namespace burnish::store::sqlite {
namespace {

SessionId IdOf(int64_t row) { return SessionId(absl::StrCat("s", row)); }

absl::Status NoSuchSession(const SessionId& id) {
  return absl::NotFoundError(absl::StrCat("there is no session ", id.value()));
}

void EndSession(Connection& connection, absl::Time now, int64_t row) {
  Query(connection, "UPDATE sessions SET ended_ns = ? WHERE id = ?", now, row).Run();
}

std::optional<int64_t> CurrentSessionOf(Connection& connection, const AgentId& agent) {
  Query query(connection, "SELECT id FROM sessions WHERE agent_id = ? AND ended_ns IS NULL",
              agent.value());
  if (!query.Next()) return std::nullopt;
  return query.Integer(0);
}

int64_t InsertSession(Connection& connection, absl::Time now, const AgentId& agent,
                      absl::Duration lease) {
  Query insert(connection,
               "INSERT INTO sessions (agent_id, opened_ns, last_seen_ns, live_until_ns) "
               "VALUES (?1, ?2, ?2, ?3) RETURNING id",
               agent.value(), now, now + lease);
  insert.Next();
  return insert.Integer(0);
}

void PutDevice(Connection& connection, int64_t session_row, const AgentId& agent,
               const work::DeviceInfo& info) {
  Query(connection,
        "INSERT INTO devices (id, agent_id, session_id, available, info_json) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
        "session_id = excluded.session_id, available = excluded.available, "
        "info_json = excluded.info_json",
        DeviceIdOf(agent, info).value(), agent.value(), session_row,
        info.unavailable_reason.empty(), EncodeDevice(info))
      .Run();
}

std::vector<int64_t> LeasedItems(Connection& connection, int64_t session_row) {
  std::vector<int64_t> items;
  Query query(connection,
              "SELECT id FROM work_items WHERE state = 'leased' AND session_id = ? ORDER BY id",
              session_row);
  while (query.Next()) items.push_back(query.Integer(0));
  return items;
}

// Moves a lease to a new session if its device is part of that; the device's id.
std::optional<DeviceId> MoveLease(Connection& connection, absl::Time until, int64_t old_row,
                                  int64_t new_row, const HeldAttempt& held) {
  Query update(connection,
               "UPDATE work_items SET session_id = ?1, lease_until_ns = ?2 "
               "WHERE id = ?3 AND fence = ?4 AND state = 'leased' AND session_id = ?5 "
               "AND EXISTS (SELECT 1 FROM attempts WHERE id = ?6 AND work_item_id = ?3 "
               "AND fence = ?4) "
               "AND device_id IN (SELECT id FROM devices WHERE session_id = ?1) "
               "RETURNING device_id",
               new_row, until, held.work_item.value(), held.fence.value(), old_row,
               held.attempt.value());
  if (!update.Next()) return std::nullopt;
  return DeviceId(update.Text(0));
}

bool RenewLease(Connection& connection, absl::Time until, int64_t session_row,
                const HeldAttempt& held) {
  Query update(connection,
               "UPDATE work_items SET lease_until_ns = ?1 "
               "WHERE id = ?2 AND fence = ?3 AND state = 'leased' AND session_id = ?4 "
               "AND EXISTS (SELECT 1 FROM attempts WHERE id = ?5 AND work_item_id = ?2 "
               "AND fence = ?3) "
               "AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = work_items.task_id "
               "AND t.state IN ('done', 'failed', 'cancelled'))",
               until, held.work_item.value(), held.fence.value(), session_row,
               held.attempt.value());
  return update.Run() > 0;
}

}  // namespace

absl::StatusOr<SessionRow> FindSession(Connection& connection, const SessionId& id) {
  std::string_view digits = id.value();
  if (!digits.starts_with('s')) return NoSuchSession(id);
  digits.remove_prefix(1);
  const std::optional<int64_t> row = ParseInteger(digits);
  if (!row.has_value()) return NoSuchSession(id);
  Query query(connection, "SELECT agent_id, live_until_ns, ended_ns FROM sessions WHERE id = ?",
              *row);
  if (!query.Next()) return NoSuchSession(id);
  return SessionRow{.row = *row,
                    .agent = AgentId(query.Text(0)),
                    .live_until = query.Time(1),
                    .ended = !query.IsNull(2)};
}

absl::StatusOr<SessionRow> FindCurrentSession(Connection& connection, const SessionId& id) {
  ASSIGN_OR_RETURN(SessionRow session, FindSession(connection, id));
  if (session.ended) {
    return absl::NotFoundError(absl::StrCat("session ", id.value(), " of agent ",
                                            session.agent.value(),
                                            " has ended; a newer one may have taken over"));
  }
  return session;
}

absl::StatusOr<Store::OpenedSession> OpenSession(Connection& connection, absl::Time now,
                                                 const AgentId& agent,
                                                 const std::vector<work::DeviceInfo>& devices,
                                                 const std::vector<HeldAttempt>& holding,
                                                 absl::Duration lease) {
  const std::optional<int64_t> old_row = CurrentSessionOf(connection, agent);
  if (old_row.has_value()) EndSession(connection, now, *old_row);
  const int64_t row = InsertSession(connection, now, agent, lease);
  for (const work::DeviceInfo& info : devices) PutDevice(connection, row, agent, info);
  Store::OpenedSession opened{.session = IdOf(row), .kept = {}};
  if (!old_row.has_value()) return opened;
  for (const HeldAttempt& held : holding) {
    std::optional<DeviceId> device = MoveLease(connection, now + lease, *old_row, row, held);
    if (device.has_value()) opened.kept.push_back({held, *std::move(device)});
  }
  for (const int64_t item : LeasedItems(connection, *old_row)) {
    CountLostLease(connection, *FindItem(connection, item));
  }
  return opened;
}

absl::StatusOr<std::vector<AttemptId>> RenewSession(Connection& connection, absl::Time now,
                                                    const SessionId& session,
                                                    const std::vector<HeldAttempt>& holding,
                                                    absl::Duration lease) {
  ASSIGN_OR_RETURN(const SessionRow current, FindCurrentSession(connection, session));
  Query(connection, "UPDATE sessions SET last_seen_ns = ?, live_until_ns = ? WHERE id = ?", now,
        now + lease, current.row)
      .Run();
  std::vector<AttemptId> renewed;
  for (const HeldAttempt& held : holding) {
    if (RenewLease(connection, now + lease, current.row, held)) renewed.push_back(held.attempt);
  }
  return renewed;
}

absl::Status CloseSession(Connection& connection, absl::Time now, const SessionId& session) {
  ASSIGN_OR_RETURN(const SessionRow found, FindSession(connection, session));
  if (found.ended) return absl::OkStatus();
  EndSession(connection, now, found.row);
  for (const int64_t item : LeasedItems(connection, found.row)) QueueAgain(connection, item);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<DeviceRow>> Devices(Connection& connection, absl::Time now) {
  std::vector<DeviceRow> devices;
  Query query(connection,
              "SELECT d.id, d.agent_id, d.info_json, s.id, s.ended_ns IS NULL AND "
              "s.live_until_ns > ?, s.last_seen_ns "
              "FROM devices d JOIN sessions s ON s.id = d.session_id ORDER BY d.id",
              now);
  while (query.Next()) {
    ASSIGN_OR_RETURN(work::DeviceInfo info, DecodeDevice(query.Text(2)));
    devices.push_back({.device = {.id = DeviceId(query.Text(0)),
                                  .agent = AgentId(query.Text(1)),
                                  .info = std::move(info)},
                       .session = IdOf(query.Integer(3)),
                       .live = query.Boolean(4),
                       .last_seen = query.Time(5)});
  }
  return devices;
}

}  // namespace burnish::store::sqlite
