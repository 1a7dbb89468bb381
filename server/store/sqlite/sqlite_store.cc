#include "server/store/sqlite/sqlite_store.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/database_file.h"
#include "server/store/sqlite/jobs.h"
#include "server/store/sqlite/leases.h"
#include "server/store/sqlite/migrations.h"
#include "server/store/sqlite/results.h"
#include "server/store/sqlite/sessions.h"
#include "server/store/sqlite/tasks.h"
#include "server/store/sqlite/trials.h"
#include "server/store/sqlite/work_items.h"

namespace burnish::store {
namespace {

// Transactions and the mutex; the statements are in the files named after their tables.
class SqliteStore final : public Store {
 public:
  SqliteStore(UniqueFd lock, std::unique_ptr<sqlite::Connection> connection, const Clock& clock)
      : clock_(clock),
        opened_at_(clock.Now()),
        opened_monotonic_(clock.Monotonic()),
        lock_(std::move(lock)),
        connection_(std::move(connection)) {}

  // Anchored at the wall time of opening: a step of the machine's clock must not end leases.
  absl::Time Now() override { return opened_at_ + (clock_.Monotonic() - opened_monotonic_); }

  absl::StatusOr<std::pair<JobId, bool>> CreateJob(const Namespace& owner,
                                                   const NewJob& job) override {
    return Write([&](auto& c) { return sqlite::CreateJob(c, Now(), owner, job); });
  }
  absl::StatusOr<std::optional<JobId>> FindJobOfRequest(
      const Namespace& owner, const std::string& client_request_id) override {
    return Read([&](auto& c) -> absl::StatusOr<std::optional<JobId>> {
      return sqlite::FindJobOfRequest(c, owner, client_request_id);
    });
  }
  absl::StatusOr<JobWithTasks> GetJob(const Namespace& owner, JobId id) override {
    return Read([&](auto& c) { return sqlite::GetJob(c, owner, id); });
  }
  absl::StatusOr<std::vector<JobWithTasks>> ListJobs(const Namespace& owner, int limit) override {
    return Read([&](auto& c) { return sqlite::ListJobs(c, owner, limit); });
  }
  absl::Status MoveJob(const Namespace& owner, JobId id, const std::vector<State>& from, State to,
                       const std::string& reason) override {
    return Write([&](auto& c) { return sqlite::MoveJob(c, owner, id, from, to, reason); });
  }
  absl::Status RequestFinish(const Namespace& owner, JobId id) override {
    return Write([&](auto& c) { return sqlite::RequestFinish(c, owner, id); });
  }
  absl::Status CancelJob(const Namespace& owner, JobId id, const std::string& reason) override {
    return Write([&](auto& c) { return sqlite::CancelJob(c, Now(), owner, id, reason); });
  }
  absl::Status SetHold(const Namespace& owner, JobId id, const std::string& hold_id) override {
    return Write([&](auto& c) { return sqlite::SetHold(c, owner, id, hold_id); });
  }
  absl::StatusOr<std::vector<JobWithTasks>> ActiveJobs() override {
    return Read([&](auto& c) { return sqlite::ActiveJobs(c); });
  }

  absl::Status MoveTask(const Namespace& owner, const TaskId& id, const std::vector<State>& from,
                        State to, const std::string& reason) override {
    return Write([&](auto& c) { return sqlite::MoveTask(c, Now(), owner, id, from, to, reason); });
  }
  absl::Status SetTaskResult(const Namespace& owner, const TaskId& id,
                             const TaskResult& result) override {
    return Write([&](auto& c) { return sqlite::SetTaskResult(c, owner, id, result); });
  }

  absl::Status AddTrials(const Namespace& owner, const TaskId& id,
                         const std::vector<NewTrial>& trials) override {
    return Write([&](auto& c) { return sqlite::AddTrials(c, owner, id, trials); });
  }
  absl::StatusOr<std::vector<Trial>> Trials(const Namespace& owner, const TaskId& id) override {
    return Read([&](auto& c) { return sqlite::Trials(c, owner, id); });
  }
  absl::StatusOr<std::vector<Trial>> FinishedTrials(const Namespace& owner, const TaskId& id,
                                                    int64_t from) override {
    return Read([&](auto& c) { return sqlite::FinishedTrials(c, owner, id, from); });
  }
  absl::StatusOr<std::vector<TrialNumber>> WithdrawQueuedTrials(const Namespace& owner,
                                                                const TaskId& id) override {
    return Write([&](auto& c) { return sqlite::WithdrawQueuedTrials(c, owner, id); });
  }

  absl::Status AddComparison(const Namespace& owner, const TaskId& id,
                             const work::CompareWork& work) override {
    return Write([&](auto& c) { return sqlite::AddComparison(c, owner, id, work); });
  }
  absl::StatusOr<std::optional<work::Comparison>> ComparisonResult(const Namespace& owner,
                                                                   const TaskId& id) override {
    return Read([&](auto& c) { return sqlite::ComparisonResult(c, owner, id); });
  }
  absl::StatusOr<std::vector<ResultRow>> Results(const Namespace& owner, JobId id,
                                                 std::string_view kind, int64_t after,
                                                 int limit) override {
    return Read([&](auto& c) { return sqlite::Results(c, owner, id, kind, after, limit); });
  }
  absl::StatusOr<int64_t> RunningItems(const Namespace& owner, const TaskId& id) override {
    return Read([&](auto& c) { return sqlite::RunningItems(c, owner, id); });
  }

  absl::StatusOr<OpenedSession> OpenSession(const AgentId& agent,
                                            const std::vector<work::DeviceInfo>& devices,
                                            const std::vector<HeldAttempt>& holding,
                                            absl::Duration lease) override {
    return Write(
        [&](auto& c) { return sqlite::OpenSession(c, Now(), agent, devices, holding, lease); });
  }
  absl::StatusOr<std::vector<AttemptId>> RenewSession(const SessionId& session,
                                                      const std::vector<HeldAttempt>& holding,
                                                      absl::Duration lease) override {
    return Write([&](auto& c) { return sqlite::RenewSession(c, Now(), session, holding, lease); });
  }
  absl::Status CloseSession(const SessionId& session) override {
    return Write([&](auto& c) { return sqlite::CloseSession(c, Now(), session); });
  }
  absl::StatusOr<std::vector<DeviceRow>> Devices() override {
    return Read([&](auto& c) { return sqlite::Devices(c, Now()); });
  }

  absl::StatusOr<std::vector<OpenTask>> OpenTasks() override {
    return Read([&](auto& c) { return sqlite::OpenTasks(c, Now()); });
  }
  absl::StatusOr<std::vector<work::Assignment>> Claim(const SessionId& session,
                                                      const DeviceId& device, const TaskId& task,
                                                      int limit, absl::Duration lease) override {
    return Write(
        [&](auto& c) { return sqlite::Claim(c, Now(), session, device, task, limit, lease); });
  }
  absl::StatusOr<std::vector<ExpiredLease>> ExpireLeases() override {
    return Write([&](auto& c) { return sqlite::ExpireLeases(c, Now()); });
  }
  absl::StatusOr<work::ReportResult> StoreReport(const SessionId& session,
                                                 const work::Report& report) override {
    return Write([&](auto& c) { return sqlite::StoreReport(c, Now(), session, report); });
  }
  absl::StatusOr<bool> IsCurrent(const HeldAttempt& held) override {
    return Read([&](auto& c) { return sqlite::IsCurrent(c, held); });
  }

 private:
  template <typename Body>
  auto Write(const Body& body) -> decltype(body(std::declval<sqlite::Connection&>())) {
    const absl::MutexLock lock(&mutex_);
    return sqlite::RunInTransaction(*connection_, [&] { return body(*connection_); });
  }
  // Several SELECTs see one state, because nobody else writes while the mutex is held.
  template <typename Body>
  auto Read(const Body& body) -> decltype(body(std::declval<sqlite::Connection&>())) {
    const absl::MutexLock lock(&mutex_);
    return sqlite::Catching(*connection_, [&] { return body(*connection_); });
  }

  const Clock& clock_;
  const absl::Time opened_at_;
  const absl::Duration opened_monotonic_;
  const UniqueFd lock_;
  absl::Mutex mutex_;
  const std::unique_ptr<sqlite::Connection> connection_ ABSL_PT_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path,
                                                       const Clock& clock) {
  UniqueFd lock;
  if (path != sqlite::kInMemory) {
    RETURN_IF_ERROR(sqlite::MakeDatabaseFile(path));
    ASSIGN_OR_RETURN(lock, sqlite::LockDatabase(path));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Connection> connection, sqlite::Connection::Open(path));
  RETURN_IF_ERROR(sqlite::Migrate(*connection, sqlite::Migrations(), clock.Now()));
  return std::make_unique<SqliteStore>(std::move(lock), std::move(connection), clock);
}

}  // namespace burnish::store
