#include "server/store/sql/trials.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"
#include "server/store/sql/ownership.h"
#include "server/store/sql/tasks.h"

namespace burnish::store::sql {
namespace {

// Reads columns 0 to 10 of either SELECT below.
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
  if (!row.IsNull(9)) {
    trial.control_seconds = row.Real(9);
    trial.device = DeviceId(row.Text(10));
  }
  return trial;
}

}  // namespace

absl::Status AddTrials(Connection& connection, const TaskTrials& added) {
  RETURN_IF_ERROR(CheckOwned(connection, added.task.job, added.fence));
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, added.owner, added.task));
  Batch items({{"number", Batch::Type::kInteger},
               {"work", Batch::Type::kText},
               {"configuration", Batch::Type::kText}});
  for (const NewTrial& trial : added.trials) {
    items.Add({ToValue(trial.number.value()),
               ToValue(EncodeWork(work::MeasureWork{trial.configuration})),
               ToValue(space::CanonicalJson(trial.configuration))});
  }
  std::map<int64_t, int64_t> item_of;  // by number
  {
    Query inserted(connection, items,
                   "INSERT INTO work_items (namespace, task_id, kind, trial_number, work_json, "
                   "configuration, state) SELECT CAST(? AS TEXT), CAST(? AS BIGINT), 'measure', "
                   "b.number, b.work, b.configuration, 'queued' FROM batch b "
                   "WHERE NOT EXISTS (SELECT 1 FROM trials t WHERE t.task_id = ? "
                   "AND t.number = b.number) ORDER BY b.number RETURNING trial_number, id",
                   added.owner.value(), task.row, task.row);
    while (inserted.Next()) item_of.emplace(inserted.Integer(0), inserted.Integer(1));
  }
  Batch trials({{"number", Batch::Type::kInteger},
                {"place", Batch::Type::kInteger},
                {"observed", Batch::Type::kInteger},
                {"item", Batch::Type::kInteger}});
  for (const NewTrial& trial : added.trials) {
    const auto item = item_of.find(trial.number.value());
    if (item == item_of.end()) continue;  // it was there already
    trials.Add({ToValue(trial.number.value()), ToValue(std::bit_cast<int64_t>(trial.index)),
                ToValue(trial.observed), ToValue(item->second)});
  }
  Change(connection, trials,
         "INSERT INTO trials (namespace, task_id, number, configuration_index, observed, "
         "work_item_id) SELECT CAST(? AS TEXT), CAST(? AS BIGINT), b.number, b.place, b.observed, "
         "b.item FROM batch b",
         added.owner.value(), task.row);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Trial>> Trials(Connection& connection, const Namespace& owner,
                                          const TaskId& id) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Query query(connection,
              "SELECT t.number, t.configuration_index, i.work_json, t.observed, "
              "t.finished_position, i.outcome, i.message, r.latency_json, r.correctness_json, "
              "r.control_seconds, a.device_id "
              "FROM trials t JOIN work_items i ON i.id = t.work_item_id "
              "LEFT JOIN results r ON r.sequence = i.result_sequence "
              "LEFT JOIN attempts a ON a.id = r.attempt_id "
              "WHERE t.task_id = ? ORDER BY t.number",
              task.row);
  std::vector<Trial> trials;
  while (query.Next()) {
    ASSIGN_OR_RETURN(Trial trial, ReadTrial(query));
    trials.push_back(std::move(trial));
  }
  return trials;
}

absl::StatusOr<std::vector<std::vector<Trial>>> FinishedTrials(
    Connection& connection, const std::vector<FinishedSince>& tasks) {
  Batch batch({{"n", Batch::Type::kInteger},
               {"owner", Batch::Type::kText},
               {"job", Batch::Type::kInteger},
               {"ordinal", Batch::Type::kInteger},
               {"position", Batch::Type::kInteger}});
  for (size_t n = 0; n < tasks.size(); ++n) {
    const FinishedSince& since = tasks[n];
    batch.Add({ToValue(static_cast<int64_t>(n)), ToValue(since.owner.value()),
               ToValue(since.task.job.value()), ToValue(since.task.ordinal), ToValue(since.from)});
  }
  Query query(connection, batch,
              "SELECT t.number, t.configuration_index, i.work_json, t.observed, "
              "t.finished_position, i.outcome, i.message, r.latency_json, r.correctness_json, "
              "r.control_seconds, a.device_id, b.n "
              "FROM batch b JOIN tasks k ON k.job_id = b.job AND k.ordinal = b.ordinal "
              "AND k.namespace = b.owner "
              "JOIN trials t ON t.task_id = k.id AND t.finished_position >= b.position "
              "AND t.finished_position IS NOT NULL "
              "JOIN work_items i ON i.id = t.work_item_id "
              "LEFT JOIN results r ON r.sequence = i.result_sequence "
              "LEFT JOIN attempts a ON a.id = r.attempt_id "
              "ORDER BY b.n, t.finished_position");
  std::vector<std::vector<Trial>> finished(tasks.size());
  while (query.Next()) {
    ASSIGN_OR_RETURN(Trial trial, ReadTrial(query));
    finished[static_cast<size_t>(query.Integer(11))].push_back(std::move(trial));
  }
  return finished;
}

absl::StatusOr<std::vector<TrialNumber>> WithdrawQueuedTrials(Connection& connection,
                                                              const Namespace& owner,
                                                              const TaskId& id, Fence fence) {
  RETURN_IF_ERROR(CheckOwned(connection, id.job, fence));
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Batch queued({{"item", Batch::Type::kInteger}});
  std::vector<TrialNumber> numbers;
  {
    // Locked: what is being claimed right now is no longer queued afterwards, and is left alone.
    Query query(connection,
                "SELECT id, trial_number FROM work_items WHERE task_id = ? AND state = 'queued' "
                "AND kind = 'measure' ORDER BY id FOR UPDATE",
                task.row);
    while (query.Next()) {
      queued.Add({ToValue(query.Integer(0))});
      numbers.push_back(TrialNumber(query.Integer(1)));
    }
  }
  Change(connection, queued, "DELETE FROM trials WHERE work_item_id IN (SELECT item FROM batch)");
  // Items that were granted before are kept for late reports.
  Change(connection, queued,
         "UPDATE work_items SET state = 'withdrawn' WHERE id IN (SELECT item FROM batch)");
  Change(connection, queued,
         "DELETE FROM work_items WHERE id IN (SELECT item FROM batch) AND fence = 0");
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace burnish::store::sql
