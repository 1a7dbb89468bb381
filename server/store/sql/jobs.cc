#include "server/store/sql/jobs.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/sql/blobs.h"
#include "server/store/sql/ownership.h"
#include "server/store/sql/tasks.h"
#include "server/store/sql/work_items.h"

namespace burnish::store::sql {
namespace {

absl::Status NoSuchJob(JobId id) {
  return absl::NotFoundError(absl::StrCat("there is no job ", ToText(id)));
}

// Holds off other transactions that move the job, until the end of this one.
absl::StatusOr<State> LockedStateOfJob(Connection& connection, const Namespace& owner, JobId id) {
  Query query(connection, "SELECT state FROM jobs WHERE id = ? AND namespace = ? FOR NO KEY UPDATE",
              id.value(), owner.value());
  if (!query.Next()) return NoSuchJob(id);
  return ReadState(query.Text(0));
}

// From the column `first` on: namespace, name, hold_id, state, reason, finish_requested,
// created_ns, id, priority.
absl::StatusOr<Job> ReadJob(const Query& row, int first) {
  Job job{.id = JobId(row.Integer(first + 7)),
          .owner = Namespace(row.Text(first)),
          .name = row.Text(first + 1),
          .hold_id = row.Text(first + 2),
          .reason = row.Text(first + 4),
          .finish_requested = row.Boolean(first + 5),
          .priority = static_cast<int>(row.Integer(first + 8)),
          .created = row.Time(first + 6)};
  ASSIGN_OR_RETURN(job.state, ReadState(row.Text(first + 3)));
  return job;
}

// In the order of `ids`. Nothing checks the owner here: the caller's query does.
absl::StatusOr<std::vector<JobWithTasks>> LoadJobs(Connection& connection,
                                                   const std::vector<JobId>& ids) {
  if (ids.empty()) return std::vector<JobWithTasks>();
  Batch batch({{"job", Batch::Type::kInteger}});
  for (const JobId id : ids) batch.Add({ToValue(id.value())});
  ASSIGN_OR_RETURN(auto tasks, TasksOf(connection, ids));
  std::map<JobId, JobWithTasks> found;
  Query row(connection, batch,
            "SELECT namespace, name, hold_id, state, reason, finish_requested, created_ns, id, "
            "priority "
            "FROM jobs WHERE id IN (SELECT job FROM batch)");
  while (row.Next()) {
    ASSIGN_OR_RETURN(Job job, ReadJob(row, 0));
    const JobId id = job.id;
    found.emplace(id, JobWithTasks{.job = std::move(job), .tasks = std::move(tasks[id])});
  }
  std::vector<JobWithTasks> jobs;
  for (const JobId id : ids) {
    const auto job = found.find(id);
    if (job == found.end()) return NoSuchJob(id);
    jobs.push_back(std::move(job->second));
  }
  return jobs;
}

std::vector<JobId> ReadIds(Query& query) {
  std::vector<JobId> ids;
  while (query.Next()) ids.push_back(JobId(query.Integer(0)));
  return ids;
}

std::vector<JobId> ActiveIds(Connection& connection) {
  Query query(connection,
              "SELECT id FROM jobs WHERE state NOT IN ('done', 'failed', 'cancelled') ORDER BY id");
  return ReadIds(query);
}

absl::Status Move(Connection& connection, const Namespace& owner, JobId id,
                  const std::vector<State>& from, State to, const std::string& reason) {
  ASSIGN_OR_RETURN(const State state, LockedStateOfJob(connection, owner, id));
  if (state == to) return absl::OkStatus();
  RETURN_IF_ERROR(CheckMove(absl::StrCat("job ", ToText(id)), state, from, to));
  const std::optional<absl::Time> ended =
      IsFinal(to) ? std::optional(connection.Now()) : std::nullopt;
  Change(connection, "UPDATE jobs SET state = ?, reason = ?, ended_ns = ? WHERE id = ?",
         StateName(to), reason, ended, id.value());
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckJob(Connection& connection, const Namespace& owner, JobId id) {
  Query query(connection, "SELECT 1 FROM jobs WHERE id = ? AND namespace = ?", id.value(),
              owner.value());
  return query.Next() ? absl::OkStatus() : NoSuchJob(id);
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
  JobId id;
  {
    Query insert(connection,
                 "INSERT INTO jobs (namespace, client_request_id, name, file_name, text, hold_id, "
                 "state, reason, finish_requested, priority, created_ns) "
                 "VALUES (?, ?, ?, ?, ?, ?, 'queued', '', false, ?, ?) RETURNING id",
                 owner.value(), job.client_request_id, job.name, job.file_name, job.text,
                 job.hold_id, job.priority, now);
    insert.Next();
    id = JobId(insert.Integer(0));
  }
  for (const auto& [name, content] : job.files) {
    Change(connection, "INSERT INTO job_files (job_id, name, content) VALUES (?, ?, ?)", id.value(),
           name, Bytes{content});
  }
  for (const auto& [name, blob] : job.blobs) {
    if (!KeepBlob(connection, now, owner, blob)) return MissingBlob(name, blob);
    Change(connection, "INSERT INTO job_files (job_id, name, content, sha256) VALUES (?, ?, ?, ?)",
           id.value(), name, Bytes{}, blob.value());
  }
  InsertTasks(connection, owner, id, job.tasks);
  return std::make_pair(id, false);
}

int64_t CountActiveJobs(Connection& connection, const Namespace& owner) {
  Query query(connection,
              "SELECT count(*) FROM jobs WHERE namespace = ? "
              "AND state NOT IN ('done', 'failed', 'cancelled')",
              owner.value());
  query.Next();
  return query.Integer(0);
}

absl::StatusOr<JobWithTasks> GetJob(Connection& connection, const Namespace& owner, JobId id) {
  RETURN_IF_ERROR(CheckJob(connection, owner, id));
  ASSIGN_OR_RETURN(std::vector<JobWithTasks> jobs, LoadJobs(connection, {id}));
  return std::move(jobs.front());
}

absl::StatusOr<JobSource> GetJobSource(Connection& connection, const Namespace& owner, JobId id) {
  JobSource source;
  {
    Query row(connection, "SELECT file_name, text FROM jobs WHERE id = ? AND namespace = ?",
              id.value(), owner.value());
    if (!row.Next()) return NoSuchJob(id);
    source.file_name = row.Text(0);
    source.text = row.Text(1);
  }
  {
    Query files(connection, "SELECT name, content, sha256 FROM job_files WHERE job_id = ?",
                id.value());
    while (files.Next()) {
      if (files.IsNull(2)) {
        source.files.emplace(files.Text(0), files.Binary(1));
      } else {
        source.blobs.emplace(files.Text(0), files.Text(2));
      }
    }
  }
  for (const auto& [name, blob] : source.blobs) {
    ASSIGN_OR_RETURN(source.files[name], ReadBlob(connection, owner, blob));
  }
  return source;
}

absl::StatusOr<std::vector<JobWithTasks>> ListJobs(Connection& connection, const Namespace& owner,
                                                   int limit) {
  std::vector<JobId> ids;
  {
    Query query(connection, "SELECT id FROM jobs WHERE namespace = ? ORDER BY id DESC LIMIT ?",
                owner.value(), limit);
    ids = ReadIds(query);
  }
  return LoadJobs(connection, ids);
}

absl::StatusOr<std::vector<JobWithTasks>> ActiveJobs(Connection& connection) {
  return LoadJobs(connection, ActiveIds(connection));
}

absl::Status MoveJob(Connection& connection, const Namespace& owner, JobId id,
                     const std::vector<State>& from, State to, const std::string& reason) {
  return Move(connection, owner, id, from, to, reason);
}

absl::Status MoveOwnedJob(Connection& connection, const Namespace& owner, JobId id, Fence fence,
                          const std::vector<State>& from, State to, const std::string& reason) {
  RETURN_IF_ERROR(CheckOwned(connection, id, fence));
  return Move(connection, owner, id, from, to, reason);
}

absl::Status CancelJob(Connection& connection, absl::Time now, const Namespace& owner, JobId id,
                       const std::string& reason) {
  ASSIGN_OR_RETURN(const State state, LockedStateOfJob(connection, owner, id));
  if (state == State::kCancelled) return absl::OkStatus();
  RETURN_IF_ERROR(CheckMove(absl::StrCat("job ", ToText(id)), state,
                            {State::kQueued, State::kRunning, State::kPaused, State::kFinishing},
                            State::kCancelled));
  WithdrawItemsOfJob(connection, id);
  Change(connection,
         "UPDATE tasks SET state = 'cancelled', reason = ?, ended_ns = ? "
         "WHERE job_id = ? AND state NOT IN ('done', 'failed', 'cancelled')",
         reason, now, id.value());
  Change(connection, "UPDATE jobs SET state = 'cancelled', reason = ?, ended_ns = ? WHERE id = ?",
         reason, now, id.value());
  return absl::OkStatus();
}

absl::Status RequestFinish(Connection& connection, const Namespace& owner, JobId id) {
  const int64_t changed =
      Change(connection, "UPDATE jobs SET finish_requested = true WHERE id = ? AND namespace = ?",
             id.value(), owner.value());
  return changed == 0 ? NoSuchJob(id) : absl::OkStatus();
}

absl::Status SetHold(Connection& connection, const Namespace& owner, JobId id,
                     const std::string& hold_id) {
  const int64_t changed =
      Change(connection, "UPDATE jobs SET hold_id = ? WHERE id = ? AND namespace = ?", hold_id,
             id.value(), owner.value());
  return changed == 0 ? NoSuchJob(id) : absl::OkStatus();
}

absl::StatusOr<Ownership> FindOwned(Connection& connection, absl::Time now,
                                    const ReplicaId& replica, absl::Duration lease) {
  constexpr int kJob = kTaskColumns;
  // One statement, because it runs in every round of the job runner.
  Query row(connection,
            "SELECT " BURNISH_TASK_COLUMNS
            ", j.namespace, j.name, j.hold_id, j.state, j.reason, j.finish_requested, "
            "j.created_ns, j.id, j.priority, l.fence, l.until_ns, coalesce(l.replica = ?, false) "
            "FROM jobs j LEFT JOIN job_leases l ON l.job_id = j.id "
            "LEFT JOIN tasks t ON t.job_id = j.id "
            "WHERE j.state NOT IN ('done', 'failed', 'cancelled') "
            "AND (l.job_id IS NULL OR l.replica = ? OR l.until_ns <= ?) ORDER BY j.id, t.ordinal",
            replica.value(), replica.value(), now);
  Ownership found;
  while (row.Next()) {
    const bool owned = row.Boolean(kJob + 11);
    if (!owned || row.Time(kJob + 10) <= now + lease / 2) found.should_take = true;
    if (!owned) continue;
    if (found.jobs.empty() || found.jobs.back().job.job.id.value() != row.Integer(kJob + 7)) {
      ASSIGN_OR_RETURN(Job job, ReadJob(row, kJob));
      found.jobs.push_back(
          {.job = {.job = std::move(job), .tasks = {}}, .fence = Fence(row.Integer(kJob + 9))});
    }
    if (row.IsNull(0)) continue;
    ASSIGN_OR_RETURN(Task task, ReadTask(row));
    found.jobs.back().job.tasks.push_back(std::move(task));
  }
  return found;
}

}  // namespace burnish::store::sql
