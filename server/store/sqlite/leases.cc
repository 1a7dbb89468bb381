#include "server/store/sqlite/leases.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/sqlite/codec.h"
#include "server/store/sqlite/sessions.h"
#include "server/store/sqlite/tasks.h"
#include "server/store/sqlite/work_items.h"

namespace burnish::store::sqlite {
namespace {

absl::Status CheckOwnsDevice(Connection& connection, const SessionRow& session,
                             const DeviceId& device) {
  Query query(connection, "SELECT 1 FROM devices WHERE id = ? AND session_id = ?", device.value(),
              session.row);
  if (query.Next()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "device ", device.value(), " does not belong to the session that claims for it"));
}

// Whether a device other than `device` still serves the task: it can work, or it holds leases that
// have not been seen to end.
bool ServedByAnother(Connection& connection, absl::Time now, const TaskRow& task,
                     const DeviceId& device) {
  if (task.device.empty() || task.device == device) return false;
  Query query(connection,
              "SELECT EXISTS (SELECT 1 FROM devices d JOIN sessions s ON s.id = d.session_id "
              "WHERE d.id = ? AND d.available AND s.ended_ns IS NULL AND s.live_until_ns > ?) "
              "OR EXISTS (SELECT 1 FROM work_items WHERE task_id = ? AND state = 'leased')",
              task.device.value(), now, task.row);
  query.Next();
  return query.Boolean(0);
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

struct QueuedItem {
  int64_t id = 0;
  int64_t fence = 0;
  std::string kind;
  std::string work_json;
};

std::vector<QueuedItem> OldestQueued(Connection& connection, int64_t task_row, int limit) {
  std::vector<QueuedItem> items;
  Query query(connection,
              "SELECT id, fence, kind, work_json FROM work_items "
              "WHERE task_id = ? AND state = 'queued' ORDER BY id LIMIT ?",
              task_row, limit);
  while (query.Next()) {
    items.push_back({query.Integer(0), query.Integer(1), query.Text(2), query.Text(3)});
  }
  return items;
}

}  // namespace

absl::StatusOr<std::vector<work::Assignment>> Claim(Connection& connection, absl::Time now,
                                                    const SessionId& session,
                                                    const DeviceId& device, const TaskId& task_id,
                                                    int limit, absl::Duration lease) {
  ASSIGN_OR_RETURN(const SessionRow owner, FindCurrentSession(connection, session));
  RETURN_IF_ERROR(CheckOwnsDevice(connection, owner, device));
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, task_id));
  std::vector<work::Assignment> granted;
  if (owner.live_until <= now || !IsOpen(task)) return granted;
  if (ServedByAnother(connection, now, task, device)) return granted;
  const std::string database_id = DatabaseId(connection);
  for (const QueuedItem& item : OldestQueued(connection, task.row, limit)) {
    const int64_t fence = item.fence + 1;
    const std::string attempt = absl::StrCat("a", item.id, ".", fence, ".", database_id);
    ASSIGN_OR_RETURN(work::Work work, DecodeWork(item.kind, item.work_json));
    Query(connection,
          "UPDATE work_items SET state = 'leased', fence = ?, session_id = ?, device_id = ?, "
          "lease_until_ns = ? WHERE id = ?",
          fence, owner.row, device.value(), now + lease, item.id)
        .Run();
    Query(connection,
          "INSERT INTO attempts (id, work_item_id, fence, agent_id, device_id, granted_ns) "
          "VALUES (?, ?, ?, ?, ?, ?)",
          attempt, item.id, fence, owner.agent.value(), device.value(), now)
        .Run();
    granted.push_back({.attempt = AttemptId(attempt),
                       .work_item = WorkItemId(item.id),
                       .fence = Fence(fence),
                       .device = device,
                       .task = task.hash,
                       .work = std::move(work)});
  }
  if (!granted.empty() && task.device != device) {
    Query(connection, "UPDATE tasks SET device_id = ? WHERE id = ?", device.value(), task.row)
        .Run();
  }
  return granted;
}

absl::StatusOr<std::vector<ExpiredLease>> ExpireLeases(Connection& connection, absl::Time now) {
  std::vector<ExpiredLease> expired;
  std::vector<int64_t> items;
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
      items.push_back(query.Integer(4));
    }
  }
  for (const int64_t id : items) CountLostLease(connection, *FindItem(connection, id));
  return expired;
}

absl::StatusOr<bool> IsCurrent(Connection& connection, const HeldAttempt& held) {
  Query query(connection,
              "SELECT 1 FROM work_items i JOIN attempts a ON a.work_item_id = i.id "
              "AND a.fence = i.fence "
              "WHERE i.id = ? AND i.fence = ? AND i.state = 'leased' AND a.id = ?",
              held.work_item.value(), held.fence.value(), held.attempt.value());
  return query.Next();
}

}  // namespace burnish::store::sqlite
