#include "server/store/sql/tasks.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "server/store/sql/codec.h"
#include "server/store/sql/history_codec.h"
#include "server/store/sql/ownership.h"

namespace burnish::store::sql {
absl::StatusOr<Task> ReadTask(const Query& row) {
  Task task;
  task.id = TaskId{JobId(row.Integer(16)), static_cast<int32_t>(row.Integer(0))};
  task.what = NewTask{.device_class = row.Text(1),
                      .selector = row.Text(2),
                      .hash = TaskHash(row.Text(3)),
                      .problem = row.Text(4),
                      .problem_key = row.Text(5),
                      .source_hash = row.Text(6),
                      .space_size = std::bit_cast<uint64_t>(row.Integer(7)),
                      .budget_trials = row.Integer(8),
                      .budget_seconds = row.Real(21),
                      .budget_device_seconds = row.Real(22),
                      .work = {.flops = row.Real(9),
                               .bytes = row.Real(18),
                               .working_set_bytes = row.Integer(19),
                               .dtype = row.Text(20)},
                      .goals = row.Text(23)};
  ASSIGN_OR_RETURN(task.state, ReadState(row.Text(10)));
  task.reason = row.Text(11);
  task.device = DeviceId(row.Text(12));
  if (!row.IsNull(13)) {
    ASSIGN_OR_RETURN(task.result, DecodeTaskResult(row.Text(13)));
  }
  task.devices_serving = static_cast<int>(row.Integer(17));
  task.started = row.OptionalTime(14);
  task.ended = row.OptionalTime(15);
  ASSIGN_OR_RETURN(task.history, DecodeHistorySummary(row.Text(24)));
  if (!row.IsNull(25)) {
    ASSIGN_OR_RETURN(auto roofs, DecodeRoofs("", row.Text(26)));
    task.roofs = {.from = TrialNumber(row.Integer(25)),
                  .roofs = std::move(roofs).value_or(work::Roofs())};
  }
  task.pruned = row.Text(27);
  return task;
}

absl::StatusOr<TaskRow> ReadTaskRow(const Query& query) {
  TaskRow task;
  task.row = query.Integer(0);
  ASSIGN_OR_RETURN(task.state, ReadState(query.Text(1)));
  ASSIGN_OR_RETURN(task.job_state, ReadState(query.Text(2)));
  task.hash = TaskHash(query.Text(3));
  task.device = DeviceId(query.Text(4));
  return task;
}

absl::Status NoSuchTask(const TaskId& id) {
  return absl::NotFoundError(absl::StrCat("there is no task ", ToText(id)));
}

absl::StatusOr<State> ReadState(const std::string& name) {
  const std::optional<State> state = ParseState(name);
  if (!state.has_value()) {
    return absl::DataLossError(absl::StrCat("the database holds an unknown state: ", name));
  }
  return *state;
}

absl::Status CheckMove(const std::string& what, State state, const std::vector<State>& from,
                       State to) {
  if (std::find(from.begin(), from.end(), state) != from.end()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      what, " is ", StateName(state), "; only one that is ",
      absl::StrJoin(from, " or ", [](std::string* out, State one) { *out += StateName(one); }),
      " can become ", StateName(to)));
}

void InsertTasks(Connection& connection, const Namespace& owner, JobId job,
                 const std::vector<NewTask>& tasks) {
  int32_t ordinal = 0;
  for (const NewTask& task : tasks) {
    Query inserted(
        connection,
        "INSERT INTO tasks (namespace, job_id, ordinal, device_class, selector, "
        "definition_hash, problem, problem_key, source_hash, space_size, budget_trials, flops, "
        "bytes, working_set_bytes, dtype, schedule, budget_seconds, budget_device_seconds, goals, "
        "family, history_json, state, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?, ?, 'queued', '') RETURNING id",
        owner.value(), job.value(), ++ordinal, task.device_class, task.selector, task.hash.value(),
        task.problem, task.problem_key, task.source_hash, std::bit_cast<int64_t>(task.space_size),
        task.budget_trials, task.work.flops, task.work.bytes, task.work.working_set_bytes,
        task.work.dtype, task.schedule, task.budget_seconds, task.budget_device_seconds, task.goals,
        task.family, EncodeHistorySummary(task.history));
    inserted.Next();
    if (task.history.empty()) continue;
    Change(connection, "INSERT INTO task_history (task_id, sources_json) VALUES (?, ?)",
           inserted.Integer(0), EncodeHistory(task.history));
  }
}

absl::StatusOr<std::map<JobId, std::vector<Task>>> TasksOf(Connection& connection,
                                                           const std::vector<JobId>& jobs) {
  std::map<JobId, std::vector<Task>> tasks;
  Batch batch({{"job", Batch::Type::kInteger}});
  for (const JobId job : jobs) batch.Add({ToValue(job.value())});
  Query query(
      connection, batch,
      "SELECT " BURNISH_TASK_COLUMNS
      " FROM tasks t WHERE t.job_id IN (SELECT job FROM batch) ORDER BY t.job_id, t.ordinal");
  while (query.Next()) {
    ASSIGN_OR_RETURN(Task task, ReadTask(query));
    tasks[task.id.job].push_back(std::move(task));
  }
  return tasks;
}

absl::StatusOr<std::string> TaskSchedule(Connection& connection, const Namespace& owner,
                                         const TaskId& id) {
  Query query(connection,
              "SELECT schedule FROM tasks WHERE job_id = ? AND ordinal = ? AND namespace = ?",
              id.job.value(), id.ordinal, owner.value());
  if (!query.Next()) return NoSuchTask(id);
  return query.Text(0);
}

absl::StatusOr<std::vector<TaskCost>> EarlierCosts(Connection& connection, const Namespace& owner,
                                                   const NewTask& task, int limit) {
  Query query(connection,
              "SELECT t.started_ns, t.ended_ns, (SELECT count(*) FROM trials r "
              "WHERE r.task_id = t.id AND r.finished_position IS NOT NULL), "
              "(SELECT coalesce(sum(i.device_seconds), 0.0) FROM work_items i "
              "WHERE i.task_id = t.id AND i.state = 'done') "
              "FROM (SELECT id, started_ns, ended_ns FROM tasks WHERE namespace = ? "
              "AND source_hash = ? AND device_class = ? AND problem_key = ? AND state = 'done' "
              "ORDER BY id DESC LIMIT ?) t ORDER BY t.id DESC",
              owner.value(), task.source_hash, task.device_class, task.problem_key, limit);
  std::vector<TaskCost> costs;
  while (query.Next()) {
    costs.push_back({.trials = query.Integer(2),
                     .device_seconds = query.Real(3),
                     .seconds = absl::ToDoubleSeconds(query.Time(1) - query.Time(0))});
  }
  return costs;
}

absl::StatusOr<TaskRow> FindTask(Connection& connection, const Namespace& owner, const TaskId& id) {
  Query query(connection,
              "SELECT " BURNISH_TASK_ROW_COLUMNS
              " FROM tasks t JOIN jobs j ON j.id = t.job_id "
              "WHERE t.job_id = ? AND t.ordinal = ? AND t.namespace = ?",
              id.job.value(), id.ordinal, owner.value());
  if (!query.Next()) return NoSuchTask(id);
  return ReadTaskRow(query);
}

absl::Status MoveTask(Connection& connection, absl::Time now, const Namespace& owner,
                      const TaskId& id, Fence fence, const std::vector<State>& from, State to,
                      const std::string& reason) {
  RETURN_IF_ERROR(CheckOwned(connection, id.job, fence));
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  RETURN_IF_ERROR(CheckMove(absl::StrCat("task ", ToText(id)), task.state, from, to));
  const std::optional<absl::Time> started =
      to == State::kRunning ? std::optional(now) : std::nullopt;
  const std::optional<absl::Time> ended = IsFinal(to) ? std::optional(now) : std::nullopt;
  Change(connection,
         "UPDATE tasks SET state = ?, reason = ?, started_ns = coalesce(started_ns, ?), "
         "ended_ns = ? WHERE id = ?",
         StateName(to), reason, started, ended, task.row);
  return absl::OkStatus();
}

absl::Status SetTaskResult(Connection& connection, const Namespace& owner, const TaskId& id,
                           Fence fence, const TaskResult& result) {
  RETURN_IF_ERROR(CheckOwned(connection, id.job, fence));
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Change(connection, "UPDATE tasks SET result_json = ? WHERE id = ?", EncodeTaskResult(result),
         task.row);
  return absl::OkStatus();
}

absl::Status SetTaskRoofs(Connection& connection, const Namespace& owner, const TaskId& id,
                          Fence fence, const TaskRoofs& roofs) {
  RETURN_IF_ERROR(CheckOwned(connection, id.job, fence));
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Change(connection, "UPDATE tasks SET roofs_from = ?, roofs_json = ? WHERE id = ?",
         roofs.from.value(), EncodeRoofs("", roofs.roofs), task.row);
  return absl::OkStatus();
}

absl::Status SetTaskPruned(Connection& connection, const Namespace& owner, const TaskId& id,
                           Fence fence, const std::string& pruned) {
  RETURN_IF_ERROR(CheckOwned(connection, id.job, fence));
  ASSIGN_OR_RETURN(const TaskRow task, FindTask(connection, owner, id));
  Change(connection, "UPDATE tasks SET pruned = ? WHERE id = ?", pruned, task.row);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<OpenTask>> OpenTasks(Connection& connection, absl::Time now) {
  std::vector<OpenTask> tasks;
  Query query(connection,
              "SELECT t.namespace, t.job_id, t.ordinal, t.device_class, t.selector, "
              "t.definition_hash, t.device_id, coalesce(d.available AND d.standing = 'active' "
              "AND s.ended_ns IS NULL AND s.live_until_ns > ?, false), "
              "(SELECT count(*) FROM work_items i WHERE i.task_id = t.id AND i.state = 'queued'), "
              "j.priority FROM tasks t JOIN jobs j ON j.id = t.job_id "
              "LEFT JOIN devices d ON d.id = t.device_id LEFT JOIN sessions s ON s.id = "
              "d.session_id WHERE t.state IN ('running', 'finishing') "
              "AND j.state NOT IN ('paused', 'done', 'failed', 'cancelled') "
              "ORDER BY t.job_id, t.ordinal",
              now);
  while (query.Next()) {
    if (query.Integer(8) == 0) continue;
    tasks.push_back({.owner = Namespace(query.Text(0)),
                     .id = TaskId{JobId(query.Integer(1)), static_cast<int32_t>(query.Integer(2))},
                     .device_class = query.Text(3),
                     .selector = query.Text(4),
                     .hash = TaskHash(query.Text(5)),
                     .device = DeviceId(query.Text(6)),
                     .device_live = query.Boolean(7),
                     .queued = query.Integer(8),
                     .priority = static_cast<int>(query.Integer(9))});
  }
  return tasks;
}

}  // namespace burnish::store::sql
