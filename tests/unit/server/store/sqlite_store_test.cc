#include "server/store/sqlite/sqlite_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "SQLiteCpp/SQLiteCpp.h"
#include "absl/strings/str_cat.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class SqliteFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = absl::StrCat(testing::TempDir(), "burnish_store_XXXXXX");
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ / "burnish.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  absl::StatusOr<std::unique_ptr<Store>> Open() { return OpenSqliteStore(path_.string(), clock_); }

  SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(SqliteFileTest, ReopeningKeepsEverything) {
  const Namespace owner("lab");
  TaskId task;
  SessionId session;
  std::vector<work::Assignment> claimed;
  {
    const auto store = *Open();
    task = TaskId{store
                      ->CreateJob(owner, {.client_request_id = "r",
                                          .name = "n",
                                          .files = {{"a.cpp", "int a;"}},
                                          .tasks = {{.device_class = "c"}}})
                      ->first,
                  1};
    ASSERT_TRUE(store->MoveJob(owner, task.job, {State::kQueued}, State::kRunning, "").ok());
    ASSERT_TRUE(store::MoveTask(*store, owner, task, {State::kQueued}, State::kRunning, "").ok());
    ASSERT_TRUE(store::AddTrials(*store, owner, task, {TrialOf(0), TrialOf(1), TrialOf(2)}).ok());
    session = store->OpenSession(AgentId("a"), {CpuDevice()}, {}, kLease)->session;
    claimed = *store::Claim(*store, session, DeviceId("a/cpu:0"), task, 2, kLease);
    ASSERT_TRUE(store::StoreReport(*store, session, ReportOf(claimed[0], OkMeasurement())).ok());
  }
  const auto store = *Open();
  EXPECT_EQ(store->GetJobSource(owner, task.job)->files.at("a.cpp"), "int a;");
  EXPECT_TRUE(store->CreateJob(owner, {.client_request_id = "r"})->second);
  EXPECT_THAT(*store->Trials(owner, task), SizeIs(3));
  EXPECT_THAT(store::FinishedTrials(*store, owner, task, 0), SizeIs(1));
  EXPECT_TRUE(IsCurrent(*store, HeldOf(claimed[1])));
  EXPECT_EQ(*store::StoreReport(*store, session, ReportOf(claimed[0], OkMeasurement())),
            work::ReportResult::kDuplicate);
  EXPECT_EQ(*store::StoreReport(*store, session, ReportOf(claimed[1], OkMeasurement())),
            work::ReportResult::kStored);
  EXPECT_EQ(store::FinishedTrials(*store, owner, task, 1).at(0).finished_position, 1);
}

TEST_F(SqliteFileTest, ViewsShowJobsTrialsAndDevices) {
  const auto store = *Open();
  const Namespace owner("lab");
  const TaskId task{store->CreateJob(owner, {.name = "n", .tasks = {{}}})->first, 1};
  ASSERT_TRUE(store::MoveTask(*store, owner, task, {State::kQueued}, State::kRunning).ok());
  ASSERT_TRUE(store::AddTrials(*store, owner, task, {TrialOf(0)}).ok());
  const SessionId session = store->OpenSession(AgentId("a"), {CpuDevice()}, {}, kLease)->session;
  const auto claimed = *store::Claim(*store, session, DeviceId("a/cpu:0"), task, 1, kLease);
  ASSERT_TRUE(store::StoreReport(*store, session, ReportOf(claimed[0], OkMeasurement(0.25))).ok());
  SQLite::Database reader(path_.string(), SQLite::OPEN_READONLY);
  SQLite::Statement row(reader,
                        "SELECT t.job_id, t.outcome, t.latency_seconds, t.verified, t.device_id, "
                        "j.state, k.finished_trials, d.standing, j.created FROM burnish_trials t "
                        "JOIN burnish_jobs j ON j.job_id = t.job_id "
                        "JOIN burnish_tasks k ON k.task_id = t.task_id "
                        "JOIN burnish_devices d ON d.device_id = t.device_id");
  ASSERT_TRUE(row.executeStep());
  EXPECT_EQ(row.getColumn(0).getString(), "j1");
  EXPECT_EQ(row.getColumn(1).getString(), "ok");
  EXPECT_EQ(row.getColumn(2).getDouble(), 0.25);
  EXPECT_EQ(row.getColumn(3).getInt(), 1);
  EXPECT_EQ(row.getColumn(4).getString(), "a/cpu:0");
  EXPECT_EQ(row.getColumn(5).getString(), "queued");
  EXPECT_EQ(row.getColumn(6).getInt(), 1);
  EXPECT_EQ(row.getColumn(7).getString(), "active");
  EXPECT_THAT(row.getColumn(8).getString(), testing::StartsWith("2023-11-14 22:13:20"));
}

TEST_F(SqliteFileTest, ASecondServerOnTheSameDatabaseIsRefusedByName) {
  const auto first = Open();
  ASSERT_TRUE(first.ok()) << first.status();
  std::filesystem::create_symlink(path_, folder_ / "alias.db");
  for (const std::filesystem::path& path : {path_, folder_ / "alias.db"}) {
    const absl::Status second = OpenSqliteStore(path.string(), clock_).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
    EXPECT_EQ(second.message(),
              absl::StrCat("database ", path.string(), " is in use by another burnish-server (pid ",
                           ::getpid(), ")"));
  }
}

TEST_F(SqliteFileTest, TheDatabaseIsFreeAgainAfterItsStoreIsGone) {
  ASSERT_TRUE(Open().ok());
  EXPECT_TRUE(Open().ok());
}

TEST_F(SqliteFileTest, OnlyTheOwnerMayReadTheDatabase) {
  const auto store = Open();
  ASSERT_TRUE(store.ok());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(static_cast<int>(entry.status().permissions()), 0600) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 4);  // the database, its journal and shared memory, the lock
}

TEST_F(SqliteFileTest, DatabaseAndLockAreNotInheritedByChildren) {
  const auto store = Open();
  ASSERT_TRUE(store.ok());
  int open_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    if (!target.starts_with(folder_.string())) continue;
    ++open_files;
    EXPECT_NE(::fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC, 0) << target;
  }
  EXPECT_GE(open_files, 3);
}

TEST_F(SqliteFileTest, AFileThatIsNoDatabaseIsRefusedByName) {
  std::ofstream(path_) << std::string(10000, 'x');
  const absl::Status status = Open().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(status.message(),
            absl::StrCat("database ", path_.string(), ": the file is not an SQLite database"));
}

TEST_F(SqliteFileTest, AFolderAMissingFolderAndAnEmptyNameAreRefused) {
  const absl::Status folder = OpenSqliteStore(folder_.string(), clock_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(folder)) << folder;
  const absl::Status missing = OpenSqliteStore(folder_ / "none" / "b.db", clock_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(missing)) << missing;
  EXPECT_THAT(std::string(missing.message()), HasSubstr("No such file"));
  EXPECT_TRUE(absl::IsInvalidArgument(OpenSqliteStore("", clock_).status()));
  EXPECT_FALSE(std::filesystem::exists(folder_.string() + ".lock"));
  EXPECT_FALSE(std::filesystem::exists(".lock"));
}

TEST_F(SqliteFileTest, TwoDatabasesNeverGiveAnAttemptTheSameId) {
  std::vector<AttemptId> attempts;
  for (int i = 0; i < 2; ++i) {
    const auto store = *OpenSqliteStore(":memory:", clock_);
    const Namespace owner("lab");
    const TaskId task{store->CreateJob(owner, {.tasks = {{}}})->first, 1};
    ASSERT_TRUE(store::MoveTask(*store, owner, task, {State::kQueued}, State::kRunning, "").ok());
    ASSERT_TRUE(store::AddTrials(*store, owner, task, {TrialOf(0)}).ok());
    const SessionId session = store->OpenSession(AgentId("a"), {CpuDevice()}, {}, kLease)->session;
    attempts.push_back(
        store::Claim(*store, session, DeviceId("a/cpu:0"), task, 1, kLease)->at(0).attempt);
  }
  EXPECT_NE(attempts[0], attempts[1]);
}

// A clock whose wall time is set back by an hour while monotonic time goes on.
class SteppedClock : public Clock {
 public:
  absl::Time Now() const override { return absl::FromUnixSeconds(stepped ? 6400 : 10000); }
  absl::Duration Monotonic() const override { return absl::Seconds(stepped ? 31 : 0); }
  bool stepped = false;
};

TEST(SqliteStore, CountsItsCallsByName) {
  telemetry::Metrics metrics;
  const auto store =
      *OpenSqliteStore(":memory:", SystemClock(),
                       {.calls = metrics.Histograms(telemetry::kDbQuery),
                        .connections_in_use = metrics.NewGauge(telemetry::kDbPoolInUse)});
  ASSERT_TRUE(store->OpenTasks().ok());
  ASSERT_TRUE(store->OpenTasks().ok());
  EXPECT_THAT(metrics.Text(),
              testing::HasSubstr("burnish_db_query_seconds_count{query=\"open_tasks\"} 2"));
  EXPECT_THAT(metrics.Text(), testing::HasSubstr("burnish_db_pool_in_use 0"));
}

TEST(SqliteStoreTest, AStepOfTheWallClockNeitherEndsNorProlongsLeases) {
  SteppedClock clock;
  const auto store = *OpenSqliteStore(":memory:", clock);
  ASSERT_TRUE(store->OpenSession(AgentId("a"), {CpuDevice()}, {}, kLease).ok());
  EXPECT_TRUE(store->Devices()->at(0).live);
  clock.stepped = true;
  EXPECT_FALSE(store->Devices()->at(0).live);
}

TEST(SqliteStoreTest, ThreadsClaimEveryItemOnce) {
  SimulatedClock clock(absl::FromUnixSeconds(1'700'000'000));
  const auto store = *OpenSqliteStore(":memory:", clock);
  const Namespace owner("lab");
  const TaskId task{store->CreateJob(owner, {.tasks = {{}}})->first, 1};
  ASSERT_TRUE(store::MoveTask(*store, owner, task, {State::kQueued}, State::kRunning, "").ok());
  std::vector<NewTrial> trials;
  for (int64_t number = 0; number < 200; ++number) trials.push_back(TrialOf(number));
  ASSERT_TRUE(store::AddTrials(*store, owner, task, trials).ok());
  const SessionId session = store->OpenSession(AgentId("a"), {CpuDevice()}, {}, kLease)->session;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (true) {
        const auto claimed = *store::Claim(*store, session, DeviceId("a/cpu:0"), task, 3, kLease);
        if (claimed.empty()) return;
        for (const auto& one : claimed) {
          EXPECT_EQ(*store::StoreReport(*store, session, ReportOf(one, OkMeasurement())),
                    work::ReportResult::kStored);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto finished = store::FinishedTrials(*store, owner, task, 0);
  ASSERT_THAT(finished, SizeIs(200));
  for (int64_t i = 0; i < 200; ++i) EXPECT_EQ(finished[i].finished_position, i);
}

}  // namespace
}  // namespace burnish::store
