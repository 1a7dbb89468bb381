// Statements on tasks, and the rule for moving from state to state. Each runs inside the caller's
// transaction and may throw Failure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

// A task's place in the database, beside the id that people see.
struct TaskRow {
  int64_t row = 0;
  State state = State::kQueued;
  State job_state = State::kQueued;
  TaskHash hash;
  DeviceId device;
};

// What ReadTask reads, of `tasks t`; the first columns of its statement. A macro, because
// statements are literals.
#define BURNISH_TASK_COLUMNS                                                                \
  "t.ordinal, t.device_class, t.selector, t.definition_hash, t.problem, t.problem_key, "    \
  "t.source_hash, t.space_size, t.budget_trials, t.flops, t.state, t.reason, t.device_id, " \
  "t.result_json, t.started_ns, t.ended_ns, t.job_id, "                                     \
  "(SELECT count(DISTINCT i.device_id) FROM work_items i "                                  \
  "WHERE i.task_id = t.id AND i.state = 'leased'), t.bytes, t.working_set_bytes, t.dtype, " \
  "t.budget_seconds, t.budget_device_seconds, t.goals, t.history_json, "                    \
  "t.roofs_from, t.roofs_json, t.pruned"
inline constexpr int kTaskColumns = 28;
absl::StatusOr<Task> ReadTask(const Query& row);
// The same for ReadTaskRow, of `tasks t JOIN jobs j`.
#define BURNISH_TASK_ROW_COLUMNS "t.id, t.state, j.state, t.definition_hash, t.device_id"
absl::StatusOr<TaskRow> ReadTaskRow(const Query& row);

absl::StatusOr<State> ReadState(const std::string& name);
// FailedPrecondition unless `state` is one of `from`.
absl::Status CheckMove(const std::string& what, State state, const std::vector<State>& from,
                       State to);

void InsertTasks(Connection& connection, const Namespace& owner, JobId job,
                 const std::vector<NewTask>& tasks);
// In order of their numbers.
absl::StatusOr<std::map<JobId, std::vector<Task>>> TasksOf(Connection& connection,
                                                           const std::vector<JobId>& jobs);
// NotFound for a task of another namespace too.
absl::StatusOr<std::string> TaskSchedule(Connection& connection, const Namespace& owner,
                                         const TaskId& id);
absl::StatusOr<std::vector<TaskCost>> EarlierCosts(Connection& connection, const Namespace& owner,
                                                   const NewTask& task, int limit);
absl::StatusOr<TaskRow> FindTask(Connection& connection, const Namespace& owner, const TaskId& id);
absl::Status NoSuchTask(const TaskId& id);

absl::Status MoveTask(Connection& connection, absl::Time now, const Namespace& owner,
                      const TaskId& id, Fence fence, const std::vector<State>& from, State to,
                      const std::string& reason);
absl::Status SetTaskResult(Connection& connection, const Namespace& owner, const TaskId& id,
                           Fence fence, const TaskResult& result);
absl::Status SetTaskRoofs(Connection& connection, const Namespace& owner, const TaskId& id,
                          Fence fence, const TaskRoofs& roofs);
absl::Status SetTaskPruned(Connection& connection, const Namespace& owner, const TaskId& id,
                           Fence fence, const std::string& pruned);
absl::StatusOr<std::vector<OpenTask>> OpenTasks(Connection& connection, absl::Time now);

}  // namespace burnish::store::sql
