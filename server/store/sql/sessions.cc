#include "server/store/sql/sessions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"
#include "server/store/sql/fleet.h"
#include "server/store/sql/work_items.h"

namespace burnish::store::sql {
namespace {

SessionId IdOf(int64_t row) { return SessionId(absl::StrCat("s", row)); }

absl::Status NoSuchSession(const SessionId& id) {
  return absl::NotFoundError(absl::StrCat("there is no session ", id.value()));
}

void EndSession(Connection& connection, absl::Time now, int64_t row) {
  Change(connection, "UPDATE sessions SET ended_ns = ? WHERE id = ?", now, row);
}

std::optional<int64_t> CurrentSessionOf(Connection& connection, const AgentId& agent) {
  Query query(connection,
              "SELECT id FROM sessions WHERE agent_id = ? AND ended_ns IS NULL FOR UPDATE",
              agent.value());
  if (!query.Next()) return std::nullopt;
  return query.Integer(0);
}

int64_t InsertSession(Connection& connection, absl::Time now, const AgentId& agent,
                      absl::Duration lease) {
  Query insert(connection,
               "INSERT INTO sessions (agent_id, opened_ns, last_seen_ns, live_until_ns) "
               "VALUES (?, ?, ?, ?) RETURNING id",
               agent.value(), now, now, now + lease);
  insert.Next();
  return insert.Integer(0);
}

std::optional<std::string> RoofsColumn(const std::string& device_class, const work::Roofs& roofs) {
  if (!roofs.known()) return std::nullopt;
  return EncodeRoofs(device_class, roofs);
}

void PutDevice(Connection& connection, int64_t session_row, const AgentId& agent,
               const work::DeviceInfo& info) {
  Change(connection,
         "INSERT INTO devices (id, agent_id, session_id, available, info_json, roofs_json, "
         "roofs_absence) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
         "session_id = excluded.session_id, available = excluded.available, "
         "info_json = excluded.info_json, "
         "roofs_json = coalesce(excluded.roofs_json, devices.roofs_json), "
         "roofs_absence = excluded.roofs_absence",
         DeviceIdOf(agent, info).value(), agent.value(), session_row,
         info.unavailable_reason.empty(), EncodeDevice(info),
         RoofsColumn(info.device_class, info.roofs), info.roofs.absence);
}

std::vector<int64_t> LeasedItems(Connection& connection, int64_t session_row) {
  std::vector<int64_t> items;
  Query query(connection,
              "SELECT id FROM work_items WHERE state = 'leased' AND session_id = ? ORDER BY id",
              session_row);
  while (query.Next()) items.push_back(query.Integer(0));
  return items;
}

// Gives a lease that the agent lists to its new session, if its device is part of that: one of its
// old session, or one that expired and that nobody else has been granted since. The device's id.
std::optional<DeviceId> MoveLease(Connection& connection, absl::Time until, const AgentId& agent,
                                  int64_t new_row, const HeldAttempt& held) {
  Query update(connection,
               "UPDATE work_items SET state = 'leased', session_id = ?, lease_until_ns = ?, "
               "device_id = a.device_id FROM attempts a "
               "WHERE work_items.id = ? AND work_items.fence = ? "
               "AND work_items.state IN ('leased', 'queued') AND a.id = ? AND a.agent_id = ? "
               "AND a.work_item_id = work_items.id AND a.fence = work_items.fence "
               "AND a.device_id IN (SELECT id FROM devices WHERE session_id = ?) "
               "RETURNING work_items.device_id",
               new_row, until, held.work_item.value(), held.fence.value(), held.attempt.value(),
               agent.value(), new_row);
  if (!update.Next()) return std::nullopt;
  return DeviceId(update.Text(0));
}

Batch HeldBatch(const std::map<int64_t, const SessionRenewal*>& sessions) {
  Batch batch({{"session", Batch::Type::kInteger},
               {"attempt", Batch::Type::kText},
               {"item", Batch::Type::kInteger},
               {"fence", Batch::Type::kInteger}});
  for (const auto& [row, renewal] : sessions) {
    for (const HeldAttempt& held : renewal->holding) {
      batch.Add({ToValue(row), ToValue(held.attempt.value()), ToValue(held.work_item.value()),
                 ToValue(held.fence.value())});
    }
  }
  return batch;
}

struct RenewedLeases {
  std::vector<int64_t> items;
  std::set<std::pair<int64_t, AttemptId>> attempts;  // with the session that lists them
};

RenewedLeases RenewLeases(Connection& connection, absl::Time until, const Batch& held) {
  RenewedLeases renewed;
  if (held.empty()) return renewed;
  {
    Query query(connection, held,
                "SELECT i.id, b.session, b.attempt FROM batch b JOIN work_items i "
                "ON i.id = b.item AND i.fence = b.fence AND i.session_id = b.session "
                "JOIN attempts a ON a.id = b.attempt AND a.work_item_id = i.id "
                "AND a.fence = i.fence JOIN tasks t ON t.id = i.task_id "
                "WHERE i.state = 'leased' AND t.state NOT IN ('done', 'failed', 'cancelled') "
                "ORDER BY i.id FOR UPDATE OF i");
    while (query.Next()) {
      renewed.items.push_back(query.Integer(0));
      renewed.attempts.emplace(query.Integer(1), AttemptId(query.Text(2)));
    }
  }
  Batch items({{"item", Batch::Type::kInteger}});
  for (const int64_t item : renewed.items) items.Add({ToValue(item)});
  Change(connection, items,
         "UPDATE work_items SET lease_until_ns = ? WHERE id IN (SELECT item FROM batch)", until);
  return renewed;
}

// Leases of the sessions that were granted by `granted_before` and have not been renewed now.
std::vector<int64_t> Unlisted(Connection& connection, absl::Time granted_before,
                              const Batch& sessions, const RenewedLeases& renewed) {
  std::vector<int64_t> items;
  Query query(connection, sessions,
              "SELECT i.id FROM work_items i JOIN attempts a ON a.work_item_id = i.id "
              "AND a.fence = i.fence JOIN tasks t ON t.id = i.task_id "
              "WHERE i.state = 'leased' AND i.session_id IN (SELECT session FROM batch) "
              "AND a.granted_ns <= ? AND t.state NOT IN ('done', 'failed', 'cancelled') "
              "ORDER BY i.id FOR UPDATE OF i",
              granted_before);
  while (query.Next()) {
    if (!std::ranges::binary_search(renewed.items, query.Integer(0))) {
      items.push_back(query.Integer(0));
    }
  }
  return items;
}

}  // namespace

absl::Status SessionReplaced(const SessionId& id) {
  return absl::NotFoundError(
      absl::StrCat("session ", id.value(), " has ended; a newer one may have taken over"));
}

namespace {

// Why a session is not renewed.
absl::Status Ended(Connection& connection, const SessionId& id, std::optional<int64_t> row) {
  if (!row.has_value()) return NoSuchSession(id);
  Query newer(connection,
              "SELECT 1 FROM sessions s JOIN sessions n ON n.agent_id = s.agent_id "
              "WHERE s.id = ? AND s.ended_ns IS NOT NULL AND n.ended_ns IS NULL",
              *row);
  if (!newer.Next()) return SessionReplaced(id);
  return absl::AbortedError(
      absl::StrCat("the agent of session ", id.value(), " attached again; that session took over"));
}

}  // namespace

std::optional<int64_t> RowOf(const SessionId& id) {
  std::string_view digits = id.value();
  if (!digits.starts_with('s')) return std::nullopt;
  digits.remove_prefix(1);
  return ParseInteger(digits);
}

absl::StatusOr<SessionRow> FindSession(Connection& connection, const SessionId& id) {
  const std::optional<int64_t> row = RowOf(id);
  if (!row.has_value()) return NoSuchSession(id);
  Query query(connection, "SELECT agent_id, live_until_ns, ended_ns FROM sessions WHERE id = ?",
              *row);
  if (!query.Next()) return NoSuchSession(id);
  return SessionRow{.row = *row,
                    .agent = AgentId(query.Text(0)),
                    .live_until = query.Time(1),
                    .ended = !query.IsNull(2)};
}

absl::StatusOr<Store::OpenedSession> OpenSession(Connection& connection, absl::Time now,
                                                 const AgentId& agent,
                                                 const std::vector<work::DeviceInfo>& devices,
                                                 const std::vector<HeldAttempt>& holding,
                                                 absl::Duration lease) {
  const std::optional<int64_t> old_row = CurrentSessionOf(connection, agent);
  std::map<int64_t, ItemRow> leased;
  if (old_row.has_value()) {
    leased = LockItems(connection, LeasedItems(connection, *old_row));
    EndSession(connection, now, *old_row);
  }
  const int64_t row = InsertSession(connection, now, agent, lease);
  for (const work::DeviceInfo& info : devices) PutDevice(connection, row, agent, info);
  Store::OpenedSession opened{.session = IdOf(row), .kept = {}};
  for (const HeldAttempt& held : holding) {
    std::optional<DeviceId> device = MoveLease(connection, now + lease, agent, row, held);
    if (!device.has_value()) continue;
    opened.kept.push_back({held, *std::move(device)});
    leased.erase(held.work_item.value());
  }
  std::vector<ItemRow> lost;
  for (auto& [id, item] : leased) {
    if (item.state == "leased") lost.push_back(std::move(item));
  }
  CountLostLeases(connection, lost);
  return opened;
}

std::vector<absl::StatusOr<std::vector<AttemptId>>> RenewSessions(
    Connection& connection, absl::Time now, const std::vector<SessionRenewal>& sessions,
    absl::Duration lease) {
  Batch asked({{"session", Batch::Type::kInteger}});
  std::map<int64_t, const SessionRenewal*> by_row;
  for (const SessionRenewal& renewal : sessions) {
    const std::optional<int64_t> row = RowOf(renewal.session);
    if (row.has_value()) by_row.emplace(*row, &renewal);
  }
  for (const auto& [row, renewal] : by_row) asked.Add({ToValue(row)});
  std::set<int64_t> current;
  {
    Query update(connection, asked,
                 "UPDATE sessions SET last_seen_ns = ?, live_until_ns = ? "
                 "WHERE id IN (SELECT session FROM batch) AND ended_ns IS NULL RETURNING id",
                 now, now + lease);
    while (update.Next()) current.insert(update.Integer(0));
  }
  std::erase_if(by_row, [&](const auto& entry) { return !current.contains(entry.first); });
  const RenewedLeases renewed = RenewLeases(connection, now + lease, HeldBatch(by_row));
  Batch live({{"session", Batch::Type::kInteger}});
  for (const int64_t row : current) live.Add({ToValue(row)});
  QueueAgain(connection, Unlisted(connection, now - lease / 3, live, renewed));

  std::vector<absl::StatusOr<std::vector<AttemptId>>> results;
  for (const SessionRenewal& renewal : sessions) {
    const std::optional<int64_t> row = RowOf(renewal.session);
    if (!row.has_value() || !current.contains(*row)) {
      results.push_back(Ended(connection, renewal.session, row));
      continue;
    }
    std::vector<AttemptId> attempts;
    for (const HeldAttempt& held : renewal.holding) {
      if (renewed.attempts.contains({*row, held.attempt})) attempts.push_back(held.attempt);
    }
    results.push_back(std::move(attempts));
  }
  return results;
}

absl::Status CloseSession(Connection& connection, absl::Time now, const SessionId& session) {
  ASSIGN_OR_RETURN(const SessionRow found, FindSession(connection, session));
  if (found.ended) return absl::OkStatus();
  std::vector<int64_t> again;
  for (const auto& [id, item] : LockItems(connection, LeasedItems(connection, found.row))) {
    if (item.state == "leased") again.push_back(id);
  }
  EndSession(connection, now, found.row);
  QueueAgain(connection, again);
  return absl::OkStatus();
}

absl::Status RecordRoofs(Connection& connection, const SessionId& session, const DeviceId& device,
                         const work::Roofs& roofs) {
  ASSIGN_OR_RETURN(const SessionRow owner, FindSession(connection, session));
  if (owner.ended) return SessionReplaced(session);
  std::string info_json;
  {
    Query row(connection, "SELECT info_json FROM devices WHERE id = ? AND session_id = ?",
              device.value(), owner.row);
    if (!row.Next()) {
      return absl::InvalidArgumentError(
          absl::StrCat("roofs of device ", device.value(), ": not a device of this agent"));
    }
    info_json = row.Text(0);
  }
  ASSIGN_OR_RETURN(const work::DeviceInfo info, DecodeDevice(info_json));
  Change(connection,
         "UPDATE devices SET roofs_json = coalesce(?, roofs_json), roofs_absence = ? WHERE id = ?",
         RoofsColumn(info.device_class, roofs), roofs.absence, device.value());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<DeviceRow>> Devices(Connection& connection, absl::Time now) {
  std::vector<DeviceRow> devices;
  Query query(connection,
              "SELECT d.id, d.agent_id, d.info_json, s.id, s.ended_ns IS NULL AND "
              "s.live_until_ns > ?, s.last_seen_ns, d.standing, d.standing_reason, d.standing_by, "
              "d.control_seconds, (SELECT count(*) FROM work_items i WHERE i.state = 'leased' "
              "AND i.session_id = s.id AND i.device_id = d.id), d.roofs_json, d.roofs_absence "
              "FROM devices d JOIN sessions s ON s.id = d.session_id ORDER BY d.id",
              now);
  while (query.Next()) {
    ASSIGN_OR_RETURN(work::DeviceInfo info, DecodeDevice(query.Text(2)));
    std::optional<work::Roofs> roofs;
    if (!query.IsNull(11)) {
      ASSIGN_OR_RETURN(roofs, DecodeRoofs(info.device_class, query.Text(11)));
    }
    info.roofs = roofs.has_value() ? *std::move(roofs) : work::Roofs{.absence = query.Text(12)};
    const DeviceId id(query.Text(0));
    ASSIGN_OR_RETURN(const Standing standing, ReadStanding(query.Text(6)));
    devices.push_back(
        {.device = {.id = id, .agent = AgentId(query.Text(1)), .info = std::move(info)},
         .session = IdOf(query.Integer(3)),
         .live = query.Boolean(4),
         .last_seen = query.Time(5),
         .standing = {id, standing, query.Text(7), query.Text(8)},
         .leased = query.Integer(10),
         .control_seconds = query.Real(9)});
  }
  return devices;
}

}  // namespace burnish::store::sql
