#include "server/store/postgres/postgres_store.h"

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "tests/unit/server/store/postgres_fixture.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const Namespace kLab("lab");

TaskId NewTask(Store& store, const std::string& request, int64_t trials) {
  const TaskId task{
      store.CreateJob(kLab, {.client_request_id = request, .name = "n", .tasks = {{}}})->first, 1};
  EXPECT_TRUE(store.MoveJob(kLab, task.job, {State::kQueued}, State::kRunning, "").ok());
  EXPECT_TRUE(MoveTask(store, kLab, task, {State::kQueued}, State::kRunning).ok());
  std::vector<NewTrial> added;
  for (int64_t number = 0; number < trials; ++number) added.push_back(TrialOf(number));
  EXPECT_TRUE(AddTrials(store, kLab, task, added).ok());
  return task;
}

TEST(PostgresStoreTest, MessagesNeverShowAPassword) {
  EXPECT_EQ(PostgresName("postgresql://anna:geheim@db:5432/lab"), "postgresql://anna@db:5432/lab");
  EXPECT_EQ(PostgresName("postgresql:///lab?password=geheim&host=db"),
            "postgresql:///lab?password=…&host=db");
  const absl::Status status =
      OpenPostgresStore("postgresql://anna:geheim@127.0.0.1:1/lab").status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("postgresql://anna@127.0.0.1:1/lab"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("geheim")));
}

TEST(PostgresStoreTest, TheClockOfLeasesIsTheDatabases) {
  const auto store = *OpenPostgresStore(NewPostgresSchema());
  const SessionId session = store->OpenSession(AgentId("a"), {CpuDevice()}, {}, kLease)->session;
  const std::string text =
      *SharedPostgres().Sql("SELECT CAST(extract(epoch FROM now()) * 1000 AS BIGINT)");
  const absl::Time database = absl::FromUnixMillis(std::stoll(text));
  EXPECT_LT(absl::AbsDuration(store->Devices()->at(0).last_seen - database), absl::Seconds(30));
  EXPECT_LT(absl::AbsDuration(store->Now() - database), absl::Seconds(30));
}

TEST(PostgresStoreTest, ADatabaseThatWasNotMigratedIsRefusedWithWhatToDo) {
  ASSERT_TRUE(SharedPostgres().Sql("CREATE SCHEMA bare").ok());
  const absl::Status status =
      OpenPostgresStore(absl::StrCat(SharedPostgres().Url(), "&options=-csearch_path%3Dbare"))
          .status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("burnish-server migrate"));
}

// Two servers with four threads each claim, report, renew and expire in three jobs at once.
TEST(PostgresStoreTest, ManyThreadsOfTwoServersGrantAndStoreEverythingOnce) {
  constexpr int64_t kTrials = 60;
  const std::string url = NewPostgresSchema();
  const std::unique_ptr<Store> servers[] = {*OpenPostgresStore(url), *OpenPostgresStore(url)};
  std::vector<TaskId> tasks;
  for (const char* request : {"x", "y", "z"}) {
    tasks.push_back(NewTask(*servers[0], request, kTrials));
  }
  absl::Mutex mutex;
  std::map<WorkItemId, Fence> granted;
  std::atomic<int> stored = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Store& store = *servers[i % 2];
      const AgentId agent(absl::StrCat("a", i));
      const SessionId session = store.OpenSession(agent, {CpuDevice()}, {}, kLease)->session;
      const DeviceId device(absl::StrCat("a", i, "/cpu:0"));
      ASSERT_TRUE(store.RecordCanary(session, device, OkMeasurement()).ok());  // may share tasks
      for (int idle = 0; idle < 3;) {
        bool any = false;
        for (const TaskId& task : tasks) {
          const auto claimed = store::Claim(store, session, device, task, 3, kLease);
          ASSERT_TRUE(claimed.ok()) << claimed.status();
          std::vector<SessionReport> reports;
          std::vector<HeldAttempt> held;
          for (const work::Assignment& one : *claimed) {
            any = true;
            const absl::MutexLock lock(&mutex);
            EXPECT_TRUE(granted.emplace(one.work_item, one.fence).second);
            held.push_back(HeldOf(one));
            reports.push_back({session, ReportOf(one, OkMeasurement())});
          }
          EXPECT_TRUE(store.RenewSessions({{session, held}}, kLease).ok());
          EXPECT_TRUE(store.ExpireLeases().ok());
          const auto results = store.StoreReports(reports);
          ASSERT_TRUE(results.ok()) << results.status();
          for (const auto& result : *results) {
            EXPECT_EQ(*result, work::ReportResult::kStored);
            ++stored;
          }
        }
        idle = any ? 0 : idle + 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored, 3 * kTrials);
  for (const TaskId& task : tasks) {
    const auto finished = FinishedTrials(*servers[1], kLab, task);
    ASSERT_THAT(finished, SizeIs(kTrials));
    std::set<int64_t> sequences;
    for (int64_t i = 0; i < kTrials; ++i) EXPECT_EQ(finished[i].finished_position, i);
    const std::vector<ResultRow> rows = *servers[1]->Results(kLab, task.job, "measure", 0, 1000);
    for (const ResultRow& row : rows) {
      EXPECT_TRUE(sequences.insert(row.sequence).second);
    }
    EXPECT_THAT(sequences, SizeIs(kTrials));
  }
}

TEST(PostgresStoreTest, ViewsShowJobsTrialsAndDevices) {
  const std::string url = NewPostgresSchema();
  const std::string schema = url.substr(url.rfind("%3D") + 3);
  const auto store = *OpenPostgresStore(url);
  const TaskId task = NewTask(*store, "r", 2);
  const SessionId session = store->OpenSession(AgentId("a"), {CpuDevice()}, {}, kLease)->session;
  const auto claimed = *store::Claim(*store, session, DeviceId("a/cpu:0"), task, 1, kLease);
  ASSERT_TRUE(StoreReport(*store, session, ReportOf(claimed[0], OkMeasurement(0.25))).ok());
  const auto rows = [&](const std::string& columns, const std::string& view) {
    return *SharedPostgres().Sql(absl::StrCat("SELECT ", columns, " FROM ", schema, ".", view));
  };
  EXPECT_EQ(rows("job_id, state, tasks, created > now() - interval '1 hour'", "burnish_jobs"),
            "j1|running|1|t");
  EXPECT_EQ(rows("task_id, finished_trials, speedup IS NULL", "burnish_tasks"), "j1.1|1|t");
  EXPECT_EQ(rows("job_id, trial, outcome, latency_seconds, verified, device_id, "
                 "configuration::json ->> 'BLOCK'",
                 "burnish_trials"),
            "j1|0|ok|0.25|t|a/cpu:0|0");
  EXPECT_EQ(rows("device_id, backend, device_class, standing", "burnish_devices"),
            "a/cpu:0|cpu|cpu-test|active");
}

}  // namespace
}  // namespace burnish::store
