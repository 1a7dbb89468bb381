#include "server/store/sqlite/trials.h"

#include <bit>
#include <string>
#include <utility>

#include "common/base/status_macros.h"
#include "server/store/sqlite/codec.h"
#include "server/store/sqlite/tasks.h"
#include "server/store/sqlite/work_items.h"

namespace burnish::store::sqlite {
namespace {

// Reads a row of either SELECT below.
absl::StatusOr<Trial> ReadTrial(const Query& row) {
  Trial trial;
  trial.what.number = TrialNumber(row.Integer(0));
  trial.what.index = std::bit_cast<uint64_t>(row.Integer(1));
  ASSIGN_OR_RETURN(trial.what.configuration, space::ConfigurationFromJson(row.Text(2)));
  trial.what.observed = row.Integer(3);
  if (row.IsNull(4)) return trial;
  trial.finished_position = row.Integer(4);
  ASSIGN_OR_RETURN(trial.outcome, DecodeOutcome(row.Text(5)));
  trial.message = row.Text(6);
  if (!row.IsNull(7)) {
    ASSIGN_OR_RETURN(trial.latency, DecodeLatency(row.Text(7)));
  }
  if (!row.IsNull(8)) {
    ASSIGN_OR_RETURN(trial.correctness, DecodeCorrectness(row.Text(8)));
  }
  return trial;
}

absl::StatusOr<std::vector<Trial>> ReadTrials(Query& query) {
  std::vector<Trial> trials;
  while (query.Next()) {
    ASSIGN_OR_RETURN(Trial trial, ReadTrial(query));
    trials.push_back(std::move(trial));
  }
  return trials;
}

bool HasTrial(Connection& connection, int64_t task_row, TrialNumber number) {
  Query query(connection, "SELECT 1 FROM trials WHERE task_id = ? AND number = ?", task_row,
              number.value());
  return query.Next();
}

}  // namespace

absl::Status AddTrials(Connection& connection, const Namespace& owner, const TaskId& id,
                       const std::vector<NewTrial>& trials) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  for (const NewTrial& trial : trials) {
    if (HasTrial(connection, task.row, trial.number)) continue;
    const int64_t item = InsertItem(connection, owner, task.row, trial.number.value(),
                                    work::MeasureWork{trial.configuration});
    Query(connection,
          "INSERT INTO trials (namespace, task_id, number, configuration_index, observed, "
          "work_item_id) VALUES (?, ?, ?, ?, ?, ?)",
          owner.value(), task.row, trial.number.value(), std::bit_cast<int64_t>(trial.index),
          trial.observed, item)
        .Run();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Trial>> Trials(Connection& connection, const Namespace& owner,
                                          const TaskId& id) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Query query(connection,
              "SELECT t.number, t.configuration_index, i.work_json, t.observed, "
              "t.finished_position, i.outcome, i.message, r.latency_json, r.correctness_json "
              "FROM trials t JOIN work_items i ON i.id = t.work_item_id "
              "LEFT JOIN results r ON r.sequence = i.result_sequence "
              "WHERE t.task_id = ? ORDER BY t.number",
              task.row);
  return ReadTrials(query);
}

absl::StatusOr<std::vector<Trial>> FinishedTrials(Connection& connection, const Namespace& owner,
                                                  const TaskId& id, int64_t from) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Query query(connection,
              "SELECT t.number, t.configuration_index, i.work_json, t.observed, "
              "t.finished_position, i.outcome, i.message, r.latency_json, r.correctness_json "
              "FROM trials t JOIN work_items i ON i.id = t.work_item_id "
              "LEFT JOIN results r ON r.sequence = i.result_sequence "
              "WHERE t.task_id = ? AND t.finished_position >= ? "
              "AND t.finished_position IS NOT NULL ORDER BY t.finished_position",
              task.row, from);
  return ReadTrials(query);
}

absl::StatusOr<std::vector<TrialNumber>> WithdrawQueuedTrials(Connection& connection,
                                                              const Namespace& owner,
                                                              const TaskId& id) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  std::vector<TrialNumber> numbers;
  {
    Query query(connection,
                "SELECT t.number FROM trials t JOIN work_items i ON i.id = t.work_item_id "
                "WHERE t.task_id = ? AND i.state = 'queued' ORDER BY t.number",
                task.row);
    while (query.Next()) numbers.push_back(TrialNumber(query.Integer(0)));
  }
  for (const TrialNumber number : numbers) {
    Query(connection, "DELETE FROM trials WHERE task_id = ? AND number = ?", task.row,
          number.value())
        .Run();
  }
  Query(connection,
        "DELETE FROM work_items "
        "WHERE task_id = ? AND state = 'queued' AND kind = 'measure' AND fence = 0",
        task.row)
      .Run();
  Query(connection,
        "UPDATE work_items SET state = 'withdrawn' "
        "WHERE task_id = ? AND state = 'queued' AND kind = 'measure'",
        task.row)
      .Run();
  return numbers;
}

}  // namespace burnish::store::sqlite
