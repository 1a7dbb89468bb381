#include "server/store/sqlite/work_items.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "server/store/sqlite/codec.h"
#include "server/store/sqlite/tasks.h"

namespace burnish::store::sqlite {
namespace {

void PlaceFinishedTrial(Connection& connection, int64_t task_row, int64_t number) {
  Query(connection,
        "UPDATE trials SET finished_position = (SELECT coalesce(max(finished_position) + 1, 0) "
        "FROM trials WHERE task_id = ?1 AND finished_position IS NOT NULL) "
        "WHERE task_id = ?1 AND number = ?2",
        task_row, number)
      .Run();
}

}  // namespace

int64_t InsertItem(Connection& connection, const Namespace& owner, int64_t task_row,
                   std::optional<int64_t> trial_number, const work::Work& work) {
  const auto* measure = std::get_if<work::MeasureWork>(&work);
  const std::optional<std::string> configuration =
      measure ? std::optional(space::CanonicalJson(measure->configuration)) : std::nullopt;
  Query insert(connection,
               "INSERT INTO work_items (namespace, task_id, kind, trial_number, work_json, "
               "configuration, state) VALUES (?, ?, ?, ?, ?, ?, 'queued') RETURNING id",
               owner.value(), task_row, work::WorkKindName(work), trial_number, EncodeWork(work),
               configuration);
  insert.Next();
  return insert.Integer(0);
}

std::optional<ItemRow> FindItem(Connection& connection, int64_t id) {
  Query query(connection,
              "SELECT namespace, task_id, kind, trial_number, state, fence, failed_attempts "
              "FROM work_items WHERE id = ?",
              id);
  if (!query.Next()) return std::nullopt;
  return ItemRow{.id = id,
                 .owner = Namespace(query.Text(0)),
                 .task_row = query.Integer(1),
                 .kind = query.Text(2),
                 .trial_number = query.IsNull(3) ? std::nullopt : std::optional(query.Integer(3)),
                 .state = query.Text(4),
                 .fence = query.Integer(5),
                 .failed_attempts = query.Integer(6)};
}

void FinishItem(Connection& connection, const ItemRow& item, const ItemEnd& end) {
  Query(connection,
        "UPDATE work_items SET state = 'done', session_id = NULL, device_id = NULL, "
        "lease_until_ns = NULL, outcome = ?, message = ?, result_sequence = ? WHERE id = ?",
        work::OutcomeName(end.outcome), end.message, end.result_sequence, item.id)
      .Run();
  if (item.trial_number.has_value()) {
    PlaceFinishedTrial(connection, item.task_row, *item.trial_number);
  }
}

void QueueAgain(Connection& connection, int64_t id) {
  Query(connection,
        "UPDATE work_items SET state = 'queued', session_id = NULL, device_id = NULL, "
        "lease_until_ns = NULL WHERE id = ?",
        id)
      .Run();
}

void CountFailedAttempt(Connection& connection, const ItemRow& item, const ItemEnd& end) {
  Query(connection, "UPDATE work_items SET failed_attempts = failed_attempts + 1 WHERE id = ?",
        item.id)
      .Run();
  if (item.failed_attempts + 1 < limits::kAttemptsWithoutReport) {
    QueueAgain(connection, item.id);
  } else {
    FinishItem(connection, item, end);
  }
}

void CountLostLease(Connection& connection, const ItemRow& item) {
  CountFailedAttempt(connection, item,
                     {.outcome = work::Outcome::kInfrastructure,
                      .message = absl::StrCat(item.failed_attempts + 1,
                                              " attempts failed, the last one ended without a "
                                              "report"),
                      .result_sequence = std::nullopt});
}

absl::Status AddComparison(Connection& connection, const Namespace& owner, const TaskId& id,
                           const work::CompareWork& work) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Query known(connection, "SELECT 1 FROM work_items WHERE task_id = ? AND kind = 'compare'",
              task.row);
  if (!known.Next()) InsertItem(connection, owner, task.row, std::nullopt, work);
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

}  // namespace burnish::store::sqlite
