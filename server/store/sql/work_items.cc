#include "server/store/sql/work_items.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"
#include "server/store/sql/ownership.h"
#include "server/store/sql/tasks.h"

namespace burnish::store::sql {
namespace {

Batch ItemBatch(const std::vector<int64_t>& ids) {
  Batch batch({{"item", Batch::Type::kInteger}});
  for (const int64_t id : ids) batch.Add({ToValue(id)});
  return batch;
}

// Behind those of each task that have finished before, in the order given.
void PlaceFinishedTrials(Connection& connection, const std::vector<EndedItem>& ended) {
  std::map<int64_t, int64_t> next;  // by task
  Batch places({{"task", Batch::Type::kInteger},
                {"number", Batch::Type::kInteger},
                {"place", Batch::Type::kInteger}});
  for (const EndedItem& one : ended) {
    if (!one.item.trial_number.has_value()) continue;
    places.Add({ToValue(one.item.task_row), ToValue(*one.item.trial_number),
                ToValue(next[one.item.task_row]++)});
  }
  if (places.empty()) return;
  Change(connection, places,
         // Goes on behind the relation `batch`.
         ", finished AS MATERIALIZED (SELECT k.task, (SELECT coalesce(max(t.finished_position) "
         "+ 1, 0) FROM trials t WHERE t.task_id = k.task AND t.finished_position IS NOT NULL) "
         "AS trials FROM (SELECT DISTINCT task FROM batch) k) "
         "UPDATE trials SET finished_position = f.trials + b.place FROM batch b "
         "JOIN finished f ON f.task = b.task "
         "WHERE trials.task_id = b.task AND trials.number = b.number");
}

}  // namespace

std::map<int64_t, ItemRow> LockItems(Connection& connection, const std::vector<int64_t>& ids) {
  std::map<int64_t, ItemRow> items;
  if (ids.empty()) return items;
  const Batch batch = ItemBatch(ids);
  if (connection.LocksRows()) {
    Query(connection, batch,
          "SELECT j.id FROM jobs j WHERE j.id IN (SELECT t.job_id FROM batch b "
          "JOIN work_items i ON i.id = b.item JOIN tasks t ON t.id = i.task_id) "
          "ORDER BY j.id FOR NO KEY UPDATE OF j");
  }
  Query query(connection, batch,
              "SELECT id, namespace, task_id, kind, trial_number, state, fence, failed_attempts "
              "FROM work_items WHERE id IN (SELECT item FROM batch) ORDER BY id FOR UPDATE");
  while (query.Next()) {
    items.emplace(query.Integer(0), ItemRow{.id = query.Integer(0),
                                            .owner = Namespace(query.Text(1)),
                                            .task_row = query.Integer(2),
                                            .kind = query.Text(3),
                                            .trial_number = query.OptionalInteger(4),
                                            .state = query.Text(5),
                                            .fence = query.Integer(6),
                                            .failed_attempts = query.Integer(7)});
  }
  return items;
}

void FinishItems(Connection& connection, const std::vector<EndedItem>& ended) {
  if (ended.empty()) return;
  Batch batch({{"item", Batch::Type::kInteger},
               {"outcome", Batch::Type::kText},
               {"message", Batch::Type::kText},
               {"sequence", Batch::Type::kInteger},
               {"seconds", Batch::Type::kText}});
  for (const auto& [item, end] : ended) {
    batch.Add({ToValue(item.id), ToValue(work::OutcomeName(end.outcome)), ToValue(end.message),
               ToValue(end.result_sequence), ToValue(FormatReal(end.device_seconds))});
  }
  Change(connection, batch,
         "UPDATE work_items SET state = 'done', session_id = NULL, device_id = NULL, "
         "lease_until_ns = NULL, outcome = b.outcome, message = b.message, "
         "result_sequence = b.sequence, "
         "device_seconds = work_items.device_seconds + CAST(b.seconds AS DOUBLE PRECISION) "
         "FROM batch b WHERE work_items.id = b.item");
  PlaceFinishedTrials(connection, ended);
}

void QueueAgain(Connection& connection, const std::vector<int64_t>& ids) {
  if (ids.empty()) return;
  Change(connection, ItemBatch(ids),
         "UPDATE work_items SET state = 'queued', queued_ns = ?, session_id = NULL, "
         "device_id = NULL, lease_until_ns = NULL WHERE id IN (SELECT item FROM batch)",
         connection.Now());
}

void CountFailedAttempts(Connection& connection, const std::vector<EndedItem>& failed) {
  if (failed.empty()) return;
  Batch all({{"item", Batch::Type::kInteger}, {"seconds", Batch::Type::kText}});
  std::vector<int64_t> again;
  std::vector<EndedItem> last;
  for (const EndedItem& one : failed) {
    all.Add({ToValue(one.item.id), ToValue(FormatReal(one.end.device_seconds))});
    if (one.item.failed_attempts + 1 < limits::kAttemptsWithoutReport) {
      again.push_back(one.item.id);
    } else {
      last.push_back(one);
      last.back().end.device_seconds = 0;  // counted here
    }
  }
  Change(connection, all,
         "UPDATE work_items SET failed_attempts = failed_attempts + 1, "
         "device_seconds = work_items.device_seconds + CAST(b.seconds AS DOUBLE PRECISION) "
         "FROM batch b WHERE work_items.id = b.item");
  QueueAgain(connection, again);
  FinishItems(connection, last);
}

void CountLostLeases(Connection& connection, const std::vector<ItemRow>& items) {
  std::vector<EndedItem> failed;
  for (const ItemRow& item : items) {
    failed.push_back({.item = item,
                      .end = {.outcome = work::Outcome::kInfrastructure,
                              .message = absl::StrCat(item.failed_attempts + 1,
                                                      " attempts failed, the last one ended "
                                                      "without a report"),
                              .result_sequence = std::nullopt}});
  }
  CountFailedAttempts(connection, failed);
}

void WithdrawItemsOfJob(Connection& connection, JobId job) {
  Change(connection,
         "DELETE FROM trials WHERE finished_position IS NULL "
         "AND task_id IN (SELECT id FROM tasks WHERE job_id = ?)",
         job.value());
  Change(connection,
         "UPDATE work_items SET state = 'withdrawn', session_id = NULL, device_id = NULL, "
         "lease_until_ns = NULL WHERE state IN ('queued', 'leased') "
         "AND task_id IN (SELECT id FROM tasks WHERE job_id = ?)",
         job.value());
}

absl::Status AddComparison(Connection& connection, absl::Time now, const Namespace& owner,
                           const TaskId& id, Fence fence, const work::CompareWork& work) {
  RETURN_IF_ERROR(CheckOwned(connection, id.job, fence));
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  {
    Query known(connection, "SELECT 1 FROM work_items WHERE task_id = ? AND kind = 'compare'",
                task.row);
    if (known.Next()) return absl::OkStatus();
  }
  Change(connection,
         "INSERT INTO work_items (namespace, task_id, kind, work_json, state, queued_ns) "
         "VALUES (?, ?, 'compare', ?, 'queued', ?)",
         owner.value(), task.row, EncodeWork(work), now);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> RunningItems(Connection& connection, const Namespace& owner,
                                     const TaskId& id) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Query query(connection, "SELECT count(*) FROM work_items WHERE task_id = ? AND state = 'leased'",
              task.row);
  query.Next();
  return query.Integer(0);
}

}  // namespace burnish::store::sql
