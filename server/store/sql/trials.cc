#include "server/store/sql/trials.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"
#include "server/store/sql/ownership.h"
#include "server/store/sql/tasks.h"

namespace burnish::store::sql {
namespace {

// Reads columns 0 to 11 of either SELECT below.
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
    ASSIGN_OR_RETURN(trial.figures, DecodeFigures(row.Text(7)));
  }
  if (!row.IsNull(8)) {
    ASSIGN_OR_RETURN(trial.correctness, DecodeCorrectness(row.Text(8)));
  }
  if (!row.IsNull(9)) {
    trial.control_seconds = row.Real(9);
    trial.device = DeviceId(row.Text(10));
  }
  trial.device_seconds = row.Real(11);
  return trial;
}

// The rows of the tasks that are there and owned as their fences say; `results` gets a status for
// each. Until the end of the transaction nobody can take the jobs over.
std::vector<std::optional<int64_t>> OwnedTasks(Connection& connection,
                                               const std::vector<TaskTrials>& tasks,
                                               std::vector<absl::Status>& results) {
  Batch batch({{"n", Batch::Type::kInteger},
               {"owner", Batch::Type::kText},
               {"job", Batch::Type::kInteger},
               {"ordinal", Batch::Type::kInteger},
               {"fence", Batch::Type::kInteger}});
  for (size_t n = 0; n < tasks.size(); ++n) {
    batch.Add({ToValue(static_cast<int64_t>(n)), ToValue(tasks[n].owner.value()),
               ToValue(tasks[n].task.job.value()), ToValue(tasks[n].task.ordinal),
               ToValue(tasks[n].fence.value())});
  }
  std::vector<std::optional<int64_t>> rows(tasks.size());
  {
    Query query(connection, batch,
                "SELECT b.n, t.id FROM batch b "
                "JOIN job_leases l ON l.job_id = b.job AND l.fence = b.fence "
                "JOIN tasks t ON t.job_id = b.job AND t.ordinal = b.ordinal "
                "AND t.namespace = b.owner ORDER BY l.job_id FOR SHARE OF l");
    while (query.Next()) rows[static_cast<size_t>(query.Integer(0))] = query.Integer(1);
  }
  for (size_t n = 0; n < tasks.size(); ++n) {
    results.push_back(absl::OkStatus());
    if (rows[n].has_value()) continue;
    const absl::Status owned = CheckOwned(connection, tasks[n].task.job, tasks[n].fence);
    results.back() = owned.ok() ? NoSuchTask(tasks[n].task) : owned;
  }
  return rows;
}

}  // namespace

std::vector<absl::Status> AddTrials(Connection& connection, absl::Time now,
                                    const std::vector<TaskTrials>& tasks) {
  std::vector<absl::Status> results;
  const std::vector<std::optional<int64_t>> rows = OwnedTasks(connection, tasks, results);
  Batch items({{"owner", Batch::Type::kText},
               {"task", Batch::Type::kInteger},
               {"number", Batch::Type::kInteger},
               {"work", Batch::Type::kText},
               {"configuration", Batch::Type::kText},
               {"incumbent", Batch::Type::kText}});
  for (size_t n = 0; n < tasks.size(); ++n) {
    if (!rows[n].has_value()) continue;
    for (const NewTrial& trial : tasks[n].trials) {
      items.Add({ToValue(tasks[n].owner.value()), ToValue(rows[n]), ToValue(trial.number.value()),
                 ToValue(EncodeWork(work::MeasureWork{trial.configuration})),
                 ToValue(space::CanonicalJson(trial.configuration)),
                 ToValue(EncodeIncumbent(trial.incumbent))});
    }
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> item_of;  // by task and number
  {
    Query inserted(connection, items,
                   "INSERT INTO work_items (namespace, task_id, kind, trial_number, work_json, "
                   "configuration, incumbent_json, state, queued_ns) "
                   "SELECT b.owner, b.task, 'measure', b.number, b.work, b.configuration, "
                   "b.incumbent, 'queued', CAST(? AS BIGINT) FROM batch b "
                   "WHERE NOT EXISTS (SELECT 1 FROM trials t WHERE t.task_id = b.task "
                   "AND t.number = b.number) ORDER BY b.task, b.number "
                   "RETURNING task_id, trial_number, id",
                   now);
    while (inserted.Next()) {
      item_of.emplace(std::pair(inserted.Integer(0), inserted.Integer(1)), inserted.Integer(2));
    }
  }
  Batch trials({{"owner", Batch::Type::kText},
                {"task", Batch::Type::kInteger},
                {"number", Batch::Type::kInteger},
                {"place", Batch::Type::kInteger},
                {"observed", Batch::Type::kInteger},
                {"item", Batch::Type::kInteger}});
  for (size_t n = 0; n < tasks.size(); ++n) {
    if (!rows[n].has_value()) continue;
    for (const NewTrial& trial : tasks[n].trials) {
      const auto item = item_of.find({*rows[n], trial.number.value()});
      if (item == item_of.end()) continue;  // it was there already
      trials.Add({ToValue(tasks[n].owner.value()), ToValue(rows[n]), ToValue(trial.number.value()),
                  ToValue(std::bit_cast<int64_t>(trial.index)), ToValue(trial.observed),
                  ToValue(item->second)});
    }
  }
  Change(connection, trials,
         "INSERT INTO trials (namespace, task_id, number, configuration_index, observed, "
         "work_item_id) SELECT b.owner, b.task, b.number, b.place, b.observed, b.item "
         "FROM batch b");
  return results;
}

absl::StatusOr<std::vector<Trial>> Trials(Connection& connection, const Namespace& owner,
                                          const TaskId& id) {
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Query query(connection,
              "SELECT t.number, t.configuration_index, i.work_json, t.observed, "
              "t.finished_position, i.outcome, i.message, r.latency_json, r.correctness_json, "
              "r.control_seconds, a.device_id, i.device_seconds "
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
              "r.control_seconds, a.device_id, i.device_seconds, b.n "
              "FROM batch b JOIN tasks k ON k.job_id = b.job AND k.ordinal = b.ordinal "
              "AND k.namespace = b.owner "
              // Both bounds as rows: no part of the condition is then left out of the index scan.
              "JOIN trials t ON (t.task_id, t.finished_position) >= (k.id, b.position) "
              "AND (t.task_id, t.finished_position) < (k.id + 1, 0) "
              "AND t.finished_position IS NOT NULL "
              "JOIN work_items i ON i.id = t.work_item_id "
              "LEFT JOIN results r ON r.sequence = i.result_sequence "
              "LEFT JOIN attempts a ON a.id = r.attempt_id "
              "ORDER BY b.n, t.finished_position");
  std::vector<std::vector<Trial>> finished(tasks.size());
  while (query.Next()) {
    ASSIGN_OR_RETURN(Trial trial, ReadTrial(query));
    finished[static_cast<size_t>(query.Integer(12))].push_back(std::move(trial));
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
