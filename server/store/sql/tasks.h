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
absl::StatusOr<TaskRow> FindTask(Connection& connection, const Namespace& owner, const TaskId& id);
// Those that are there, of any namespace; nobody else grants work of them until the transaction's
// end.
absl::StatusOr<std::map<TaskId, TaskRow>> LockTasks(Connection& connection,
                                                    const std::vector<TaskId>& ids);
absl::Status NoSuchTask(const TaskId& id);

absl::Status MoveTask(Connection& connection, absl::Time now, const Namespace& owner,
                      const TaskId& id, Fence fence, const std::vector<State>& from, State to,
                      const std::string& reason);
absl::Status SetTaskResult(Connection& connection, const Namespace& owner, const TaskId& id,
                           Fence fence, const TaskResult& result);
absl::StatusOr<std::vector<OpenTask>> OpenTasks(Connection& connection, absl::Time now);

}  // namespace burnish::store::sql
