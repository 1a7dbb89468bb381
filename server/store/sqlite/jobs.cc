#include "server/store/sqlite/jobs.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/sqlite/tasks.h"
#include "server/store/sqlite/trials.h"

namespace burnish::store::sqlite {
namespace {

absl::Status NoSuchJob(JobId id) {
  return absl::NotFoundError(absl::StrCat("there is no job ", ToText(id)));
}

absl::StatusOr<State> StateOfJob(Connection& connection, const Namespace& owner, JobId id) {
  Query query(connection, "SELECT state FROM jobs WHERE id = ? AND namespace = ?", id.value(),
              owner.value());
  if (!query.Next()) return NoSuchJob(id);
  return ReadState(query.Text(0));
}

std::map<std::string, std::string> FilesOf(Connection& connection, JobId id) {
  std::map<std::string, std::string> files;
  Query query(connection, "SELECT name, content FROM job_files WHERE job_id = ?", id.value());
  while (query.Next()) files.emplace(query.Text(0), query.Text(1));
  return files;
}

// Nothing checks the owner here: the caller's query does.
absl::StatusOr<JobWithTasks> LoadJob(Connection& connection, JobId id) {
  Query row(connection,
            "SELECT namespace, name, file_name, text, hold_id, state, reason, finish_requested, "
            "created_ns FROM jobs WHERE id = ?",
            id.value());
  if (!row.Next()) return NoSuchJob(id);
  JobWithTasks result;
  Job& job = result.job;
  job.id = id;
  job.owner = Namespace(row.Text(0));
  job.name = row.Text(1);
  job.file_name = row.Text(2);
  job.text = row.Text(3);
  job.hold_id = row.Text(4);
  ASSIGN_OR_RETURN(job.state, ReadState(row.Text(5)));
  job.reason = row.Text(6);
  job.finish_requested = row.Boolean(7);
  job.created = row.Time(8);
  job.files = FilesOf(connection, id);
  ASSIGN_OR_RETURN(result.tasks, TasksOf(connection, id));
  return result;
}

absl::StatusOr<std::vector<JobWithTasks>> LoadJobs(Connection& connection, Query& ids) {
  std::vector<JobWithTasks> jobs;
  while (ids.Next()) {
    ASSIGN_OR_RETURN(JobWithTasks job, LoadJob(connection, JobId(ids.Integer(0))));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace

absl::Status CheckJob(Connection& connection, const Namespace& owner, JobId id) {
  return StateOfJob(connection, owner, id).status();
}

std::optional<JobId> FindJobOfRequest(Connection& connection, const Namespace& owner,
                                      const std::string& client_request_id) {
  Query query(connection,
              "SELECT id FROM jobs WHERE namespace = ? AND client_request_id = ? "
              "AND client_request_id <> ''",
              owner.value(), client_request_id);
  if (!query.Next()) return std::nullopt;
  return JobId(query.Integer(0));
}

absl::StatusOr<std::pair<JobId, bool>> CreateJob(Connection& connection, absl::Time now,
                                                 const Namespace& owner, const NewJob& job) {
  const std::optional<JobId> known = FindJobOfRequest(connection, owner, job.client_request_id);
  if (known.has_value()) return std::make_pair(*known, true);
  Query insert(connection,
               "INSERT INTO jobs (namespace, client_request_id, name, file_name, text, hold_id, "
               "state, reason, finish_requested, created_ns) "
               "VALUES (?, ?, ?, ?, ?, ?, 'queued', '', 0, ?) RETURNING id",
               owner.value(), job.client_request_id, job.name, job.file_name, job.text, job.hold_id,
               now);
  insert.Next();
  const JobId id(insert.Integer(0));
  for (const auto& [name, content] : job.files) {
    Query(connection, "INSERT INTO job_files (job_id, name, content) VALUES (?, ?, ?)", id.value(),
          name, content)
        .Run();
  }
  InsertTasks(connection, owner, id, job.tasks);
  return std::make_pair(id, false);
}

absl::StatusOr<JobWithTasks> GetJob(Connection& connection, const Namespace& owner, JobId id) {
  RETURN_IF_ERROR(CheckJob(connection, owner, id));
  return LoadJob(connection, id);
}

absl::StatusOr<std::vector<JobWithTasks>> ListJobs(Connection& connection, const Namespace& owner,
                                                   int limit) {
  Query ids(connection, "SELECT id FROM jobs WHERE namespace = ? ORDER BY id DESC LIMIT ?",
            owner.value(), limit);
  return LoadJobs(connection, ids);
}

absl::StatusOr<std::vector<JobWithTasks>> ActiveJobs(Connection& connection) {
  Query ids(connection,
            "SELECT id FROM jobs WHERE state NOT IN ('done', 'failed', 'cancelled') ORDER BY id");
  return LoadJobs(connection, ids);
}

absl::Status MoveJob(Connection& connection, const Namespace& owner, JobId id,
                     const std::vector<State>& from, State to, const std::string& reason) {
  ASSIGN_OR_RETURN(const State state, StateOfJob(connection, owner, id));
  RETURN_IF_ERROR(CheckMove(absl::StrCat("job ", ToText(id)), state, from, to));
  Query(connection, "UPDATE jobs SET state = ?, reason = ? WHERE id = ?", StateName(to), reason,
        id.value())
      .Run();
  return absl::OkStatus();
}

absl::Status RequestFinish(Connection& connection, const Namespace& owner, JobId id) {
  Query update(connection, "UPDATE jobs SET finish_requested = 1 WHERE id = ? AND namespace = ?",
               id.value(), owner.value());
  return update.Run() == 0 ? NoSuchJob(id) : absl::OkStatus();
}

absl::Status CancelJob(Connection& connection, absl::Time now, const Namespace& owner, JobId id,
                       const std::string& reason) {
  ASSIGN_OR_RETURN(const State state, StateOfJob(connection, owner, id));
  if (state == State::kCancelled) return absl::OkStatus();
  const std::vector<State> open = {State::kQueued, State::kRunning, State::kPaused,
                                   State::kFinishing};
  RETURN_IF_ERROR(MoveJob(connection, owner, id, open, State::kCancelled, reason));
  ASSIGN_OR_RETURN(const std::vector<Task> tasks, TasksOf(connection, id));
  for (const Task& task : tasks) {
    if (IsFinal(task.state)) continue;
    RETURN_IF_ERROR(WithdrawQueuedTrials(connection, owner, task.id).status());
    RETURN_IF_ERROR(MoveTask(connection, now, owner, task.id, open, State::kCancelled, reason));
  }
  // What is left are queued comparisons.
  Query(connection,
        "UPDATE work_items SET state = 'withdrawn' WHERE state = 'queued' "
        "AND task_id IN (SELECT id FROM tasks WHERE job_id = ?)",
        id.value())
      .Run();
  return absl::OkStatus();
}

absl::Status SetHold(Connection& connection, const Namespace& owner, JobId id,
                     const std::string& hold_id) {
  Query update(connection, "UPDATE jobs SET hold_id = ? WHERE id = ? AND namespace = ?", hold_id,
               id.value(), owner.value());
  return update.Run() == 0 ? NoSuchJob(id) : absl::OkStatus();
}

}  // namespace burnish::store::sqlite
