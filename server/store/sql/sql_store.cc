#include "server/store/sql/sql_store.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "server/store/sql/blobs.h"
#include "server/store/sql/fleet.h"
#include "server/store/sql/history.h"
#include "server/store/sql/imports.h"
#include "server/store/sql/jobs.h"
#include "server/store/sql/leases.h"
#include "server/store/sql/ownership.h"
#include "server/store/sql/results.h"
#include "server/store/sql/retention.h"
#include "server/store/sql/sessions.h"
#include "server/store/sql/tasks.h"
#include "server/store/sql/tokens.h"
#include "server/store/sql/transaction.h"
#include "server/store/sql/trials.h"
#include "server/store/sql/work_items.h"

namespace burnish::store::sql {
namespace {

class SqlStore final : public Store {
 public:
  SqlStore(std::unique_ptr<Database> database, std::span<const Migration> migrations,
           const StoreMetrics& metrics)
      : database_(std::move(database)), migrations_(migrations), metrics_(metrics) {}

  absl::Time Now() override { return database_->Now(); }
  absl::Status Check() override { return CheckMigrated(*database_, migrations_); }

  absl::StatusOr<std::pair<JobId, bool>> CreateJob(const Namespace& owner,
                                                   const NewJob& job) override {
    return Write("create_job",
                 [&](Connection& c) { return sql::CreateJob(c, c.Now(), owner, job); });
  }
  absl::StatusOr<std::optional<JobId>> FindJobOfRequest(
      const Namespace& owner, const std::string& client_request_id) override {
    return Read("find_job_of_request", [&](Connection& c) -> absl::StatusOr<std::optional<JobId>> {
      return sql::FindJobOfRequest(c, owner, client_request_id);
    });
  }
  absl::StatusOr<int64_t> CountActiveJobs(const Namespace& owner) override {
    return ReadOnce("count_active_jobs", [&](Connection& c) -> absl::StatusOr<int64_t> {
      return sql::CountActiveJobs(c, owner);
    });
  }
  absl::StatusOr<JobWithTasks> GetJob(const Namespace& owner, JobId id) override {
    return Read("get_job", [&](Connection& c) { return sql::GetJob(c, owner, id); });
  }
  absl::StatusOr<std::string> TaskSchedule(const Namespace& owner, const TaskId& id) override {
    return Read("task_schedule", [&](Connection& c) { return sql::TaskSchedule(c, owner, id); });
  }
  absl::StatusOr<std::vector<HistorySource>> TaskHistory(const Namespace& owner,
                                                         const TaskId& id) override {
    return Read("task_history", [&](Connection& c) { return sql::TaskHistory(c, owner, id); });
  }
  absl::StatusOr<std::vector<RecordSet>> RecordSets(const Namespace& owner, const NewTask& task,
                                                    int limit) override {
    return Read("record_sets", [&](Connection& c) -> absl::StatusOr<std::vector<RecordSet>> {
      return sql::RecordSets(c, owner, task, limit);
    });
  }
  absl::StatusOr<std::vector<MeasuredConfiguration>> Records(const Namespace& owner,
                                                             const std::string& family,
                                                             const RecordSet& set,
                                                             int limit) override {
    return Read("records", [&](Connection& c) {
      return set.import ? sql::ImportedRecords(c, owner, *set.import, limit)
                        : sql::TrialRecords(c, owner, family, set, limit);
    });
  }
  absl::StatusOr<JobSource> GetJobSource(const Namespace& owner, JobId id) override {
    return Read("get_job_source", [&](Connection& c) { return sql::GetJobSource(c, owner, id); });
  }
  absl::StatusOr<std::vector<JobWithTasks>> ListJobs(const Namespace& owner, int limit) override {
    return Read("list_jobs", [&](Connection& c) { return sql::ListJobs(c, owner, limit); });
  }
  absl::Status MoveJob(const Namespace& owner, JobId id, const std::vector<State>& from, State to,
                       const std::string& reason) override {
    return Write("move_job",
                 [&](Connection& c) { return sql::MoveJob(c, owner, id, from, to, reason); });
  }
  absl::Status CancelJob(const Namespace& owner, JobId id, const std::string& reason) override {
    return Write("cancel_job",
                 [&](Connection& c) { return sql::CancelJob(c, c.Now(), owner, id, reason); });
  }
  absl::Status RequestFinish(const Namespace& owner, JobId id) override {
    return Write("request_finish", [&](Connection& c) { return sql::RequestFinish(c, owner, id); });
  }
  absl::Status SetHold(const Namespace& owner, JobId id, const std::string& hold_id) override {
    return Write("set_hold", [&](Connection& c) { return sql::SetHold(c, owner, id, hold_id); });
  }
  absl::StatusOr<std::vector<JobWithTasks>> ActiveJobs() override {
    return Read("active_jobs", [&](Connection& c) { return sql::ActiveJobs(c); });
  }

  absl::StatusOr<std::vector<OwnedJob>> OwnJobs(const ReplicaId& replica,
                                                absl::Duration lease) override {
    ASSIGN_OR_RETURN(Ownership found, ReadOnce("own_jobs", [&](Connection& c) {
                       return sql::FindOwned(c, c.Now(), replica, lease);
                     }));
    if (!found.should_take) return std::move(found.jobs);
    return Write("own_jobs", [&](Connection& c) -> absl::StatusOr<std::vector<OwnedJob>> {
      sql::TakeJobs(c, c.Now(), replica, lease);
      ASSIGN_OR_RETURN(Ownership taken, sql::FindOwned(c, c.Now(), replica, lease));
      return std::move(taken.jobs);
    });
  }
  absl::Status ReleaseJobs(const ReplicaId& replica) override {
    return Write("release_jobs", [&](Connection& c) -> absl::Status {
      sql::ReleaseJobs(c, c.Now(), replica);
      return absl::OkStatus();
    });
  }
  absl::Status MoveOwnedJob(const Namespace& owner, JobId id, Fence fence,
                            const std::vector<State>& from, State to,
                            const std::string& reason) override {
    return Write("move_owned_job", [&](Connection& c) {
      return sql::MoveOwnedJob(c, owner, id, fence, from, to, reason);
    });
  }
  absl::Status MoveTask(const Namespace& owner, const TaskId& id, Fence fence,
                        const std::vector<State>& from, State to,
                        const std::string& reason) override {
    return Write("move_task", [&](Connection& c) {
      return sql::MoveTask(c, c.Now(), owner, id, fence, from, to, reason);
    });
  }
  absl::Status SetTaskResult(const Namespace& owner, const TaskId& id, Fence fence,
                             const TaskResult& result) override {
    return Write("set_task_result",
                 [&](Connection& c) { return sql::SetTaskResult(c, owner, id, fence, result); });
  }
  absl::Status SetTaskRoofs(const Namespace& owner, const TaskId& id, Fence fence,
                            const TaskRoofs& roofs) override {
    return Write("set_task_roofs",
                 [&](Connection& c) { return sql::SetTaskRoofs(c, owner, id, fence, roofs); });
  }
  absl::Status SetTaskPruned(const Namespace& owner, const TaskId& id, Fence fence,
                             const std::string& pruned) override {
    return Write("set_task_pruned",
                 [&](Connection& c) { return sql::SetTaskPruned(c, owner, id, fence, pruned); });
  }
  absl::StatusOr<std::vector<absl::Status>> AddTrials(
      const std::vector<TaskTrials>& tasks) override {
    return Write("add_trials", [&](Connection& c) -> absl::StatusOr<std::vector<absl::Status>> {
      return sql::AddTrials(c, c.Now(), tasks);
    });
  }
  absl::StatusOr<std::vector<TrialNumber>> WithdrawQueuedTrials(const Namespace& owner,
                                                                const TaskId& id,
                                                                Fence fence) override {
    return Write("withdraw_queued_trials",
                 [&](Connection& c) { return sql::WithdrawQueuedTrials(c, owner, id, fence); });
  }
  absl::Status AddComparison(const Namespace& owner, const TaskId& id, Fence fence,
                             const work::CompareWork& work) override {
    return Write("add_comparison", [&](Connection& c) {
      return sql::AddComparison(c, c.Now(), owner, id, fence, work);
    });
  }

  absl::StatusOr<std::vector<Trial>> Trials(const Namespace& owner, const TaskId& id) override {
    return Read("trials", [&](Connection& c) { return sql::Trials(c, owner, id); });
  }
  absl::StatusOr<std::vector<std::vector<Trial>>> FinishedTrials(
      const std::vector<FinishedSince>& tasks) override {
    return ReadOnce("finished_trials",
                    [&](Connection& c) { return sql::FinishedTrials(c, tasks); });
  }
  absl::StatusOr<std::optional<work::Comparison>> ComparisonResult(const Namespace& owner,
                                                                   const TaskId& id) override {
    return Read("comparison_result",
                [&](Connection& c) { return sql::ComparisonResult(c, owner, id); });
  }
  absl::StatusOr<std::vector<ResultRow>> Results(const Namespace& owner, JobId id,
                                                 std::string_view kind, int64_t after,
                                                 int limit) override {
    return Read("results",
                [&](Connection& c) { return sql::Results(c, owner, id, kind, after, limit); });
  }
  absl::StatusOr<ImportResult> StoreImport(const Namespace& owner,
                                           const NewImport& import) override {
    return Write("store_import",
                 [&](Connection& c) { return sql::StoreImport(c, c.Now(), owner, import); });
  }
  absl::StatusOr<std::vector<Import>> Imports(const Namespace& owner) override {
    return Read("imports", [&](Connection& c) -> absl::StatusOr<std::vector<Import>> {
      return sql::Imports(c, owner);
    });
  }
  absl::Status RemoveImport(const Namespace& owner, ImportId id) override {
    return Write("remove_import", [&](Connection& c) { return sql::RemoveImport(c, owner, id); });
  }
  absl::StatusOr<BlobState> StatBlob(const Namespace& owner, const BlobHash& blob) override {
    return Write("stat_blob", [&](Connection& c) -> absl::StatusOr<BlobState> {
      return sql::StatBlob(c, c.Now(), owner, blob);
    });
  }
  absl::StatusOr<BlobState> AppendBlobChunk(const Namespace& owner,
                                            const NewBlobChunk& chunk) override {
    ASSIGN_OR_RETURN(
        const std::optional<BlobState> state,
        Write("append_blob_chunk", [&](Connection& c) -> absl::StatusOr<std::optional<BlobState>> {
          return sql::AppendBlobChunk(c, c.Now(), owner, chunk);
        }));
    if (state.has_value()) return *state;
    return InvalidInput(
        absl::StrCat("what was received is not the content with SHA-256 ", chunk.blob.value()),
        "it is removed; upload it again, from a file that does not change meanwhile");
  }
  absl::StatusOr<std::string> ReadBlob(const Namespace& owner, const BlobHash& blob) override {
    return Read("read_blob", [&](Connection& c) { return sql::ReadBlob(c, owner, blob); });
  }
  absl::StatusOr<BlobChunk> FetchBlobChunk(const BlobHash& blob, int64_t offset) override {
    return Read("fetch_blob_chunk",
                [&](Connection& c) { return sql::FetchBlobChunk(c, blob, offset); });
  }
  absl::StatusOr<int64_t> CollectBlobs(absl::Time before, int limit) override {
    return Write("collect_blobs", [&](Connection& c) -> absl::StatusOr<int64_t> {
      return sql::CollectBlobs(c, before, limit);
    });
  }
  absl::StatusOr<std::vector<TaskCost>> EarlierCosts(const Namespace& owner, const NewTask& task,
                                                     int limit) override {
    return Read("earlier_costs",
                [&](Connection& c) { return sql::EarlierCosts(c, owner, task, limit); });
  }
  absl::StatusOr<int64_t> RunningItems(const Namespace& owner, const TaskId& id) override {
    return ReadOnce("running_items",
                    [&](Connection& c) { return sql::RunningItems(c, owner, id); });
  }

  absl::StatusOr<OpenedSession> OpenSession(const AgentId& agent,
                                            const std::vector<work::DeviceInfo>& devices,
                                            const std::vector<HeldAttempt>& holding,
                                            absl::Duration lease) override {
    return Write("open_session", [&](Connection& c) {
      return sql::OpenSession(c, c.Now(), agent, devices, holding, lease);
    });
  }
  absl::StatusOr<std::vector<absl::StatusOr<std::vector<AttemptId>>>> RenewSessions(
      const std::vector<SessionRenewal>& sessions, absl::Duration lease) override {
    // Of a renewal that was undone there is a next one, or the lease ends early.
    return WriteRelaxed(
        "renew_sessions",
        [&](Connection& c) -> absl::StatusOr<std::vector<absl::StatusOr<std::vector<AttemptId>>>> {
          return sql::RenewSessions(c, c.Now(), sessions, lease);
        });
  }
  absl::Status CloseSession(const SessionId& session) override {
    return Write("close_session",
                 [&](Connection& c) { return sql::CloseSession(c, c.Now(), session); });
  }
  absl::StatusOr<std::vector<DeviceRow>> Devices() override {
    return Read("devices", [&](Connection& c) { return sql::Devices(c, c.Now()); });
  }
  absl::Status SetStanding(const std::string& device_or_agent, Standing standing,
                           const std::string& reason, const std::string& by) override {
    return Write("set_standing", [&](Connection& c) {
      return sql::SetStanding(c, c.Now(), device_or_agent, standing, reason, by);
    });
  }
  absl::StatusOr<std::vector<DeviceStanding>> Standings() override {
    return ReadOnce("standings", [&](Connection& c) { return sql::Standings(c); });
  }
  absl::Status RecordCanary(const SessionId& session, const DeviceId& device,
                            const work::Measurement& measurement) override {
    return Write("record_canary", [&](Connection& c) {
      return sql::RecordCanary(c, c.Now(), session, device, measurement);
    });
  }
  absl::Status RecordRoofs(const SessionId& session, const DeviceId& device,
                           const work::Roofs& roofs) override {
    return Write("record_roofs",
                 [&](Connection& c) { return sql::RecordRoofs(c, session, device, roofs); });
  }
  absl::StatusOr<std::vector<Share>> Shares() override {
    return ReadOnce("shares", [&](Connection& c) -> absl::StatusOr<std::vector<Share>> {
      return sql::Shares(c, c.Now());
    });
  }
  absl::Status SetWeight(const Namespace& owner, double weight) override {
    return Write("set_weight",
                 [&](Connection& c) { return sql::SetWeight(c, c.Now(), owner, weight); });
  }

  absl::StatusOr<std::vector<OpenTask>> OpenTasks() override {
    return ReadOnce("open_tasks", [&](Connection& c) { return sql::OpenTasks(c, c.Now()); });
  }
  absl::StatusOr<std::vector<absl::StatusOr<std::vector<Grant>>>> Claim(
      const std::vector<ClaimRequest>& requests, absl::Duration lease) override {
    // An agent whose lease was undone is told so, as it is of one that was lost, and its report is
    // not taken.
    return WriteRelaxed("claim",
                        [&](Connection& c) { return sql::Claim(c, c.Now(), requests, lease); });
  }
  absl::StatusOr<std::vector<ExpiredLease>> ExpireLeases() override {
    ASSIGN_OR_RETURN(const bool any,
                     ReadOnce("expire_leases", [&](Connection& c) -> absl::StatusOr<bool> {
                       return sql::AnyExpired(c, c.Now());
                     }));
    if (!any) return std::vector<ExpiredLease>();
    return Write("expire_leases", [&](Connection& c) { return sql::ExpireLeases(c, c.Now()); });
  }
  absl::StatusOr<std::vector<absl::StatusOr<work::ReportResult>>> StoreReports(
      const std::vector<SessionReport>& reports) override {
    return Write(
        "store_reports",
        [&](Connection& c) -> absl::StatusOr<std::vector<absl::StatusOr<work::ReportResult>>> {
          return sql::StoreReports(c, c.Now(), reports);
        });
  }
  absl::StatusOr<std::vector<AttemptId>> LostAttempts(
      const std::vector<HeldAttempt>& held) override {
    return ReadOnce("lost_attempts", [&](Connection& c) -> absl::StatusOr<std::vector<AttemptId>> {
      return sql::LostAttempts(c, held);
    });
  }

  absl::StatusOr<Token> CreateToken(const NewToken& token) override {
    return Write("create_token",
                 [&](Connection& c) { return sql::CreateToken(c, c.Now(), token); });
  }
  absl::StatusOr<std::optional<Token>> FindToken(const std::string& hash) override {
    return ReadOnce("find_token", [&](Connection& c) { return sql::FindToken(c, hash); });
  }
  absl::StatusOr<std::vector<Token>> Tokens() override {
    return Read("tokens", [&](Connection& c) { return sql::Tokens(c); });
  }
  absl::StatusOr<bool> AnyToken() override {
    return ReadOnce("any_token",
                    [&](Connection& c) -> absl::StatusOr<bool> { return sql::AnyToken(c); });
  }
  absl::StatusOr<Token> RevokeToken(TokenId id) override {
    return Write("revoke_token", [&](Connection& c) { return sql::RevokeToken(c, c.Now(), id); });
  }
  absl::Status TouchToken(TokenId id) override {
    return Write("touch_token", [&](Connection& c) -> absl::Status {
      sql::TouchToken(c, c.Now(), id);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<Removed> DropSamples(absl::Time before, int limit) override {
    ASSIGN_OR_RETURN(const bool any,
                     ReadOnce("drop_samples", [&](Connection& c) -> absl::StatusOr<bool> {
                       return sql::AnySamplesToDrop(c, before);
                     }));
    if (!any) return Removed();
    return Write("drop_samples", [&](Connection& c) { return sql::DropSamples(c, before, limit); });
  }
  absl::StatusOr<Removed> DeleteJobs(absl::Time before, int limit) override {
    ASSIGN_OR_RETURN(const bool any,
                     ReadOnce("delete_jobs", [&](Connection& c) -> absl::StatusOr<bool> {
                       return sql::AnyJobToDelete(c, before);
                     }));
    if (!any) return Removed();
    return Write("delete_jobs", [&](Connection& c) -> absl::StatusOr<Removed> {
      return sql::DeleteJobs(c, before, limit);
    });
  }

 private:
  template <typename Body>
  auto Write(const char* call, const Body& body) -> decltype(body(std::declval<Connection&>())) {
    return Run(call, Access::kWrite, body);
  }
  template <typename Body>
  auto WriteRelaxed(const char* call, const Body& body)
      -> decltype(body(std::declval<Connection&>())) {
    return Run(call, Access::kWriteRelaxed, body);
  }
  template <typename Body>
  auto Read(const char* call, const Body& body) -> decltype(body(std::declval<Connection&>())) {
    return Run(call, Access::kRead, body);
  }
  // Of a single statement.
  template <typename Body>
  auto ReadOnce(const char* call, const Body& body) -> decltype(body(std::declval<Connection&>())) {
    return Run(call, Access::kReadOnce, body);
  }
  template <typename Body>
  auto Run(const char* call, Access access, const Body& body)
      -> decltype(body(std::declval<Connection&>())) {
    const absl::Duration start = SystemClock().Monotonic();
    auto result = RunInTransaction(*database_, access, body, metrics_.connections_in_use);
    metrics_.calls.With({call}).Observe(SystemClock().Monotonic() - start);
    return result;
  }

  const std::unique_ptr<Database> database_;
  const std::span<const Migration> migrations_;
  const StoreMetrics metrics_;
};

}  // namespace

std::unique_ptr<Store> MakeSqlStore(std::unique_ptr<Database> database,
                                    std::span<const Migration> migrations,
                                    const StoreMetrics& metrics) {
  return std::make_unique<SqlStore>(std::move(database), migrations, metrics);
}

}  // namespace burnish::store::sql
