#include "server/store/sql/leases.h"

#include <algorithm>
#include <map>
#include <optional>
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

// A request with what the database says of its session and task.
struct Claimant {
  const ClaimRequest* request = nullptr;
  int64_t session_row = 0;
  AgentId agent;
  double control_seconds = 0;  // of the device
  TaskRow task;
};

// For each request its session and task, or why it may not claim; nothing to claim for a session
// that is no longer live, or for a device that is not active. Nobody else grants work of the tasks
// until the transaction's end.
absl::StatusOr<std::vector<absl::StatusOr<std::optional<Claimant>>>> FindClaimants(
    Connection& connection, absl::Time now, const std::vector<ClaimRequest>& requests) {
  Batch batch({{"n", Batch::Type::kInteger},
               {"session", Batch::Type::kInteger},
               {"device", Batch::Type::kText},
               {"job", Batch::Type::kInteger},
               {"ordinal", Batch::Type::kInteger}});
  std::vector<absl::StatusOr<std::optional<Claimant>>> claimants;
  for (size_t n = 0; n < requests.size(); ++n) {
    const ClaimRequest& request = requests[n];
    batch.Add({ToValue(static_cast<int64_t>(n)), ToValue(RowOf(request.session)),
               ToValue(request.device.value()), ToValue(request.task.job.value()),
               ToValue(request.task.ordinal)});
    claimants.push_back(absl::NotFoundError(absl::StrCat("session ", request.session.value(),
                                                         " has ended, or there is no task ",
                                                         ToText(request.task))));
  }
  Query query(connection, batch,
              "SELECT " BURNISH_TASK_ROW_COLUMNS
              ", b.n, s.id, s.agent_id, s.live_until_ns > ? AND d.standing = 'active', "
              "d.id IS NOT NULL, coalesce(d.control_seconds, 0) FROM batch b "
              "JOIN sessions s ON s.id = b.session AND s.ended_ns IS NULL "
              "JOIN tasks t ON t.job_id = b.job AND t.ordinal = b.ordinal "
              "JOIN jobs j ON j.id = t.job_id "
              "LEFT JOIN devices d ON d.id = b.device AND d.session_id = s.id "
              "ORDER BY t.id FOR NO KEY UPDATE OF t",
              now);
  while (query.Next()) {
    const auto n = static_cast<size_t>(query.Integer(5));
    if (!query.Boolean(9)) {
      claimants[n] = absl::FailedPreconditionError(
          absl::StrCat("device ", requests[n].device.value(),
                       " does not belong to the session that claims for it"));
    } else if (!query.Boolean(8)) {
      claimants[n] = std::nullopt;
    } else {
      ASSIGN_OR_RETURN(TaskRow task, ReadTaskRow(query));
      claimants[n] = Claimant{.request = &requests[n],
                              .session_row = query.Integer(6),
                              .agent = AgentId(query.Text(7)),
                              .control_seconds = query.Real(10),
                              .task = std::move(task)};
    }
  }
  return claimants;
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

// Leases the oldest queued items of each task; the grants by the task's row.
absl::StatusOr<std::map<int64_t, std::vector<Grant>>> LeaseOldest(
    Connection& connection, absl::Time until, const std::vector<Claimant>& claimants) {
  Batch batch({{"task", Batch::Type::kInteger},
               {"most", Batch::Type::kInteger},
               {"session", Batch::Type::kInteger},
               {"device", Batch::Type::kText}});
  std::map<int64_t, const Claimant*> by_task;
  for (const Claimant& one : claimants) {
    by_task.emplace(one.task.row, &one);
    batch.Add({ToValue(one.task.row), ToValue(one.request->limit), ToValue(one.session_row),
               ToValue(one.request->device.value())});
  }
  std::map<int64_t, std::vector<Grant>> granted;
  Query leased(connection, batch,
               // Goes on behind the relation `batch`.
               ", ranked AS MATERIALIZED (SELECT i.id, b.most, "
               "row_number() OVER (PARTITION BY i.task_id ORDER BY i.id) AS place "
               "FROM batch b JOIN work_items i ON i.task_id = b.task AND i.state = 'queued'), "
               "picked AS MATERIALIZED (SELECT i.id FROM ranked r JOIN work_items i "
               "ON i.id = r.id AND i.state = 'queued' WHERE r.place <= r.most "
               "ORDER BY i.id FOR UPDATE OF i SKIP LOCKED) "
               "UPDATE work_items SET state = 'leased', fence = fence + 1, "
               "session_id = b.session, device_id = b.device, lease_until_ns = ? "
               "FROM picked, batch b WHERE work_items.id = picked.id "
               "AND work_items.task_id = b.task "
               "RETURNING work_items.id, fence, kind, work_json, queued_ns, task_id, "
               "(SELECT database_id FROM identity), incumbent_json",
               until);
  while (leased.Next()) {
    const Claimant& claimant = *by_task.at(leased.Integer(5));
    ASSIGN_OR_RETURN(work::Work work, DecodeWork(leased.Text(2), leased.Text(3)));
    auto* const measure = std::get_if<work::MeasureWork>(&work);
    if (measure != nullptr) {
      ASSIGN_OR_RETURN(measure->incumbent, DecodeIncumbent(leased.Text(7)));
    }
    AttemptId attempt(
        absl::StrCat("a", leased.Integer(0), ".", leased.Integer(1), ".", leased.Text(6)));
    granted[claimant.task.row].push_back({.assignment = {.attempt = std::move(attempt),
                                                         .work_item = WorkItemId(leased.Integer(0)),
                                                         .fence = Fence(leased.Integer(1)),
                                                         .device = claimant.request->device,
                                                         .task = claimant.task.hash,
                                                         .work = std::move(work)},
                                          .queued = leased.Time(4)});
  }
  for (auto& [task, grants] : granted) {
    std::ranges::sort(grants, {}, [](const Grant& one) { return one.assignment.work_item; });
  }
  return granted;
}

void InsertAttempts(Connection& connection, absl::Time now, const std::vector<Claimant>& claimants,
                    const std::map<int64_t, std::vector<Grant>>& granted) {
  Batch attempts({{"attempt", Batch::Type::kText},
                  {"item", Batch::Type::kInteger},
                  {"fence", Batch::Type::kInteger},
                  {"agent", Batch::Type::kText},
                  {"device", Batch::Type::kText}});
  for (const Claimant& claimant : claimants) {
    const auto grants = granted.find(claimant.task.row);
    if (grants == granted.end()) continue;
    for (const auto& [assignment, queued] : grants->second) {
      attempts.Add({ToValue(assignment.attempt.value()), ToValue(assignment.work_item.value()),
                    ToValue(assignment.fence.value()), ToValue(claimant.agent.value()),
                    ToValue(assignment.device.value())});
    }
  }
  Change(connection, attempts,
         "INSERT INTO attempts (id, work_item_id, fence, agent_id, device_id, granted_ns) "
         "SELECT b.attempt, b.item, b.fence, b.agent, b.device, CAST(? AS BIGINT) FROM batch b",
         now);
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

absl::StatusOr<std::vector<absl::StatusOr<std::vector<Grant>>>> Claim(
    Connection& connection, absl::Time now, const std::vector<ClaimRequest>& requests,
    absl::Duration lease) {
  ASSIGN_OR_RETURN(auto found, FindClaimants(connection, now, requests));
  std::vector<absl::StatusOr<std::vector<Grant>>> results(requests.size(), std::vector<Grant>());
  std::map<int64_t, size_t> places;  // by task row: which request gets its grants
  std::vector<Claimant> claimants;
  for (size_t n = 0; n < requests.size(); ++n) {
    if (!found[n].ok()) {
      results[n] = found[n].status();
    } else if (found[n]->has_value() && IsOpen((*found[n])->task) &&
               !ServedByAnother(connection, now, (*found[n])->task, requests[n].device,
                                (*found[n])->control_seconds) &&
               places.emplace((*found[n])->task.row, n).second) {
      claimants.push_back(**std::move(found[n]));
    }
  }
  if (claimants.empty()) return results;
  ASSIGN_OR_RETURN(auto granted, LeaseOldest(connection, now + lease, claimants));
  if (granted.empty()) return results;
  InsertAttempts(connection, now, claimants, granted);
  for (const Claimant& one : claimants) {
    std::vector<Grant>& grants = granted[one.task.row];
    if (!grants.empty() && one.task.device != one.request->device) {
      Change(connection, "UPDATE tasks SET device_id = ? WHERE id = ?", one.request->device.value(),
             one.task.row);
    }
    results[places.at(one.task.row)] = std::move(grants);
  }
  return results;
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
