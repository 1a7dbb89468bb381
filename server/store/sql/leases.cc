#include "server/store/sql/leases.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"
#include "server/store/sql/sessions.h"
#include "server/store/sql/tasks.h"
#include "server/store/sql/work_items.h"

namespace burnish::store::sql {
namespace {

struct ClaimingDevice {
  bool active = false;
  double control_seconds = 0;
};

absl::StatusOr<ClaimingDevice> FindOwnDevice(Connection& connection, const SessionRow& session,
                                             const DeviceId& device) {
  Query query(connection,
              "SELECT standing = 'active', control_seconds FROM devices "
              "WHERE id = ? AND session_id = ?",
              device.value(), session.row);
  if (query.Next()) return ClaimingDevice{query.Boolean(0), query.Real(1)};
  return absl::FailedPreconditionError(absl::StrCat(
      "device ", device.value(), " does not belong to the session that claims for it"));
}

// Whether a device other than `device` still serves the task (it can work, or it holds leases that
// have not been seen to end) and the two cannot share it, because nothing tells how their times
// compare.
bool ServedByAnother(Connection& connection, absl::Time now, const TaskRow& task,
                     const DeviceId& device, double control_seconds) {
  if (task.device.empty() || task.device == device) return false;
  Query query(connection,
              "SELECT coalesce((SELECT d.control_seconds FROM devices d WHERE d.id = ?), 0), "
              "EXISTS (SELECT 1 FROM devices d JOIN sessions s ON s.id = d.session_id "
              "WHERE d.id = ? AND d.available AND d.standing = 'active' AND s.ended_ns IS NULL "
              "AND s.live_until_ns > ?) "
              "OR EXISTS (SELECT 1 FROM work_items WHERE task_id = ? AND state = 'leased')",
              task.device.value(), task.device.value(), now, task.row);
  query.Next();
  if (control_seconds > 0 && query.Real(0) > 0) return false;
  return query.Boolean(1);
}

bool IsOpen(const TaskRow& task) {
  return (task.state == State::kRunning || task.state == State::kFinishing) &&
         task.job_state != State::kPaused && !IsFinal(task.job_state);
}

std::string DatabaseId(Connection& connection) {
  Query query(connection, "SELECT database_id FROM identity");
  query.Next();
  return query.Text(0);
}

// Leases the oldest queued items; `granted` gets them with their new fences.
absl::Status LeaseOldest(Connection& connection, absl::Time until, const SessionRow& session,
                         const DeviceId& device, const TaskRow& task, int limit,
                         std::vector<work::Assignment>& granted) {
  Query leased(connection,
               "WITH picked AS MATERIALIZED (SELECT id FROM work_items WHERE task_id = ? "
               "AND state = 'queued' ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED) "
               "UPDATE work_items SET state = 'leased', fence = fence + 1, session_id = ?, "
               "device_id = ?, lease_until_ns = ? FROM picked WHERE work_items.id = picked.id "
               "RETURNING work_items.id, fence, kind, work_json",
               task.row, limit, session.row, device.value(), until);
  while (leased.Next()) {
    ASSIGN_OR_RETURN(work::Work work, DecodeWork(leased.Text(2), leased.Text(3)));
    granted.push_back({.attempt = {},
                       .work_item = WorkItemId(leased.Integer(0)),
                       .fence = Fence(leased.Integer(1)),
                       .device = device,
                       .task = task.hash,
                       .work = std::move(work)});
  }
  std::ranges::sort(granted, {}, &work::Assignment::work_item);
  return absl::OkStatus();
}

void InsertAttempts(Connection& connection, absl::Time now, const SessionRow& session,
                    const DeviceId& device, std::vector<work::Assignment>& granted) {
  const std::string database_id = DatabaseId(connection);
  Batch attempts({{"attempt", Batch::Type::kText},
                  {"item", Batch::Type::kInteger},
                  {"fence", Batch::Type::kInteger}});
  for (work::Assignment& one : granted) {
    one.attempt = AttemptId(
        absl::StrCat("a", one.work_item.value(), ".", one.fence.value(), ".", database_id));
    attempts.Add(
        {ToValue(one.attempt.value()), ToValue(one.work_item.value()), ToValue(one.fence.value())});
  }
  Change(connection, attempts,
         "INSERT INTO attempts (id, work_item_id, fence, agent_id, device_id, granted_ns) "
         "SELECT b.attempt, b.item, b.fence, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT) "
         "FROM batch b",
         session.agent.value(), device.value(), now);
}

std::vector<int64_t> ExpiredItems(Connection& connection, absl::Time now) {
  std::vector<int64_t> items;
  Query query(
      connection,
      "SELECT id FROM work_items WHERE state = 'leased' AND lease_until_ns <= ? ORDER BY id", now);
  while (query.Next()) items.push_back(query.Integer(0));
  return items;
}

}  // namespace

absl::StatusOr<std::vector<work::Assignment>> Claim(Connection& connection, absl::Time now,
                                                    const SessionId& session,
                                                    const DeviceId& device, const TaskId& task_id,
                                                    int limit, absl::Duration lease) {
  ASSIGN_OR_RETURN(const SessionRow owner, FindCurrentSession(connection, session));
  ASSIGN_OR_RETURN(const ClaimingDevice claiming, FindOwnDevice(connection, owner, device));
  ASSIGN_OR_RETURN(const TaskRow task, LockTask(connection, task_id));
  std::vector<work::Assignment> granted;
  if (owner.live_until <= now || !claiming.active || !IsOpen(task)) return granted;
  if (ServedByAnother(connection, now, task, device, claiming.control_seconds)) return granted;
  RETURN_IF_ERROR(LeaseOldest(connection, now + lease, owner, device, task, limit, granted));
  if (granted.empty()) return granted;
  InsertAttempts(connection, now, owner, device, granted);
  if (task.device != device) {
    Change(connection, "UPDATE tasks SET device_id = ? WHERE id = ?", device.value(), task.row);
  }
  return granted;
}

bool AnyExpired(Connection& connection, absl::Time now) {
  Query query(connection,
              "SELECT 1 FROM work_items WHERE state = 'leased' AND lease_until_ns <= ? LIMIT 1",
              now);
  return query.Next();
}

absl::StatusOr<std::vector<ExpiredLease>> ExpireLeases(Connection& connection, absl::Time now) {
  // Read again once locked: a lease may have been renewed in between.
  LockItems(connection, ExpiredItems(connection, now));
  std::vector<ExpiredLease> expired;
  std::vector<int64_t> ids;
  {
    Query query(connection,
                "SELECT a.id, a.agent_id, t.job_id, t.ordinal, i.id FROM work_items i "
                "JOIN attempts a ON a.work_item_id = i.id AND a.fence = i.fence "
                "JOIN tasks t ON t.id = i.task_id "
                "WHERE i.state = 'leased' AND i.lease_until_ns <= ? ORDER BY i.id",
                now);
    while (query.Next()) {
      expired.push_back(
          {.attempt = AttemptId(query.Text(0)),
           .agent = AgentId(query.Text(1)),
           .task = TaskId{JobId(query.Integer(2)), static_cast<int32_t>(query.Integer(3))}});
      ids.push_back(query.Integer(4));
    }
  }
  std::vector<ItemRow> items;
  for (auto& [id, item] : LockItems(connection, ids)) items.push_back(std::move(item));
  CountLostLeases(connection, items);
  return expired;
}

std::vector<AttemptId> LostAttempts(Connection& connection, const std::vector<HeldAttempt>& held) {
  std::vector<AttemptId> lost;
  if (held.empty()) return lost;
  Batch batch({{"attempt", Batch::Type::kText},
               {"item", Batch::Type::kInteger},
               {"fence", Batch::Type::kInteger}});
  for (const HeldAttempt& one : held) {
    batch.Add(
        {ToValue(one.attempt.value()), ToValue(one.work_item.value()), ToValue(one.fence.value())});
  }
  Query query(connection, batch,
              "SELECT b.attempt FROM batch b WHERE NOT EXISTS (SELECT 1 FROM work_items i "
              "JOIN attempts a ON a.work_item_id = i.id AND a.fence = i.fence "
              "JOIN tasks t ON t.id = i.task_id WHERE i.id = b.item AND i.fence = b.fence "
              "AND i.state = 'leased' AND a.id = b.attempt "
              "AND t.state NOT IN ('done', 'failed', 'cancelled'))");
  while (query.Next()) lost.push_back(AttemptId(query.Text(0)));
  return lost;
}

}  // namespace burnish::store::sql
