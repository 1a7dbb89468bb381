#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "SQLiteCpp/SQLiteCpp.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/store/postgres/postgres_store.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/unit/server/store/postgres_fixture.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using work::Outcome;

constexpr int kLimit = 100;

class RetentionTest : public StoreConformanceTest {
 protected:
  // A task with two measurements of two samples each, a failure, a late report and a comparison.
  TaskId MeasuredTask(const std::string& request = "") {
    const TaskId task = RunningTask(4, request);
    const SessionId a = Open("a");
    const auto claimed = Claim(a, "a", task, 4);
    StoreResult(a, claimed[0], OkMeasurement(1e-3));
    StoreResult(a, claimed[1], OkMeasurement(2e-3));
    StoreResult(a, claimed[2], FailedMeasurement(Outcome::kCrash, "signal 11"));
    EXPECT_TRUE(store_->CloseSession(a).ok());
    const SessionId b = Open("b");
    StoreResult(b, ClaimOne(b, "b", task), FailedMeasurement(Outcome::kTimeout, "10 s"));
    StoreResult(Open("a"), claimed[3], OkMeasurement(9e-3));  // late
    EXPECT_TRUE(
        store::AddComparison(*store_, owner_, task, {.finalists = {BlockOf(0)}, .rounds = 2}).ok());
    StoreResult(b, ClaimOne(b, "b", task),
                work::Comparison{.outcome = Outcome::kOk,
                                 .finalists = {{.configuration = BlockOf(0),
                                                .outcome = Outcome::kOk,
                                                .rounds = {{10, 1}, {12, 1}}}}});
    return task;
  }

  void End(const TaskId& task) {
    EXPECT_TRUE(store_->MoveJob(owner_, task.job, {State::kRunning}, State::kDone, "").ok());
  }

  // What is told of a job, but for the raw samples of its measurements.
  std::string Picture(const TaskId& task) {
    std::string text;
    const std::vector<Trial> trials = *store_->Trials(owner_, task);
    for (const Trial& trial : trials) {
      absl::StrAppend(&text, trial.what.number.value(), " ", trial.finished_position.value_or(-1),
                      " ", work::OutcomeName(trial.outcome), " ", trial.message, " ",
                      trial.latency.has_value() ? FiguresOf(*trial.latency) : "", "\n");
    }
    for (const char* kind : {"measure", "compare"}) {
      const std::vector<ResultRow> rows = *store_->Results(owner_, task.job, kind, 0, 1000);
      for (const ResultRow& row : rows) {
        absl::StrAppend(&text, row.attempt.value(), " ", row.late, " ", row.device.value());
        if (const auto* one = std::get_if<work::Measurement>(&row.result)) {
          absl::StrAppend(&text, one->run_seconds, one->compile_seconds, one->flags.size(),
                          one->environment.size(),
                          one->latency.has_value() ? FiguresOf(*one->latency) : "", "\n");
        } else {
          const auto& comparison = std::get<work::Comparison>(row.result);
          absl::StrAppend(&text, comparison.finalists.at(0).rounds.size(), "\n");
        }
      }
    }
    return text;
  }

  absl::Time BeforeNow() const { return clock_.Now(); }

 private:
  static std::string FiguresOf(const work::Latency& latency) {
    return absl::StrCat(latency.statistic, latency.seconds, latency.interval.low,
                        latency.interval.high, latency.relative_mad, latency.min_seconds);
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, RetentionTest, testing::ValuesIn(StoreFactories()), FactoryName);

TEST_P(RetentionTest, DroppingSamplesLeavesEverythingElseOfAnEndedJob) {
  const TaskId ended = MeasuredTask("ended");
  const TaskId running = MeasuredTask("running");
  End(ended);
  const std::string picture = Picture(ended);
  EXPECT_EQ(store_->DropSamples(BeforeNow(), kLimit)->count, 0) << "it ends right now";
  clock_.Advance(absl::Seconds(1));

  EXPECT_EQ(store_->DropSamples(BeforeNow(), kLimit)->count, 6);
  EXPECT_EQ(Picture(ended), picture);
  std::vector<int64_t> dropped;
  for (const ResultRow& row : Measurements(ended)) {
    EXPECT_THAT(std::get<work::Measurement>(row.result).samples, IsEmpty());
    dropped.push_back(row.dropped_samples.value_or(-1));
  }
  EXPECT_THAT(dropped, testing::ElementsAre(2, 2, 0, 0, 2));
  const ResultRow kept = Measurements(running).at(0);
  EXPECT_THAT(std::get<work::Measurement>(kept.result).samples, SizeIs(2));
  EXPECT_EQ(kept.dropped_samples, std::nullopt);

  const Removed again = *store_->DropSamples(BeforeNow(), kLimit);
  EXPECT_EQ(again.count, 0);
  EXPECT_FALSE(again.more);
}

TEST_P(RetentionTest, DroppingSamplesTakesAsManyCallsAsItsLimitAsks) {
  const TaskId task = MeasuredTask();
  End(task);
  clock_.Advance(absl::Seconds(1));
  std::vector<int64_t> counts;
  for (Removed removed{.more = true}; removed.more;) {
    removed = *store_->DropSamples(BeforeNow(), 2);
    counts.push_back(removed.count);
  }
  EXPECT_THAT(counts, testing::ElementsAre(4, 0, 2, 0));
}

TEST_P(RetentionTest, DeletingAJobLeavesTheOthersAndForgetsIt) {
  const TaskId ended = MeasuredTask("ended");
  const TaskId running = MeasuredTask("running");
  const Fence fence = FenceOf(*store_, ended.job);
  End(ended);
  const std::string picture = Picture(running);
  EXPECT_EQ(store_->DeleteJobs(BeforeNow(), kLimit)->count, 0) << "it ends right now";
  clock_.Advance(absl::Seconds(1));

  EXPECT_EQ(store_->DeleteJobs(BeforeNow(), kLimit)->count, 1);
  EXPECT_TRUE(absl::IsNotFound(store_->GetJob(owner_, ended.job).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->GetJobSource(owner_, ended.job).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->Trials(owner_, ended).status()));
  EXPECT_THAT(*store_->ListJobs(owner_, 10), SizeIs(1));
  EXPECT_EQ(Picture(running), picture);
  EXPECT_TRUE(absl::IsAborted(
      store_->MoveOwnedJob(owner_, ended.job, fence, {State::kDone}, State::kFailed, "")));
  const Removed again = *store_->DeleteJobs(BeforeNow(), kLimit);
  EXPECT_EQ(again.count, 0);
  EXPECT_FALSE(again.more);
  const auto resubmitted = *store_->CreateJob(owner_, JobOf("ended"));
  EXPECT_FALSE(resubmitted.second);
  EXPECT_GT(resubmitted.first, running.job);
}

TEST_P(RetentionTest, ABigJobIsDeletedInSeveralCalls) {
  End(MeasuredTask());  // five items
  clock_.Advance(absl::Seconds(1));
  std::vector<int64_t> counts;
  for (Removed removed{.more = true}; removed.more;) {
    removed = *store_->DeleteJobs(BeforeNow(), 2);
    counts.push_back(removed.count);
  }
  EXPECT_THAT(counts, testing::ElementsAre(0, 0, 1, 0));
}

TEST_P(RetentionTest, AnAgentThatStillRunsADeletedJobMustForgetItsReport) {
  const TaskId task = RunningTask(2);
  const SessionId session = Open("a");
  const auto claimed = Claim(session, "a", task, 2);
  ASSERT_TRUE(store_->CancelJob(owner_, task.job, "").ok());
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(store_->DeleteJobs(BeforeNow(), kLimit)->count, 1);
  EXPECT_TRUE(absl::IsNotFound(
      store::StoreReport(*store_, session, ReportOf(claimed[0], OkMeasurement())).status()));
  EXPECT_THAT(*store::RenewSession(*store_, session, {HeldOf(claimed[1])}, kLease), IsEmpty());
  EXPECT_THAT(*store_->LostAttempts({HeldOf(claimed[1])}), SizeIs(1));
}

TEST_P(RetentionTest, ManyAtOnceDeleteEachJobOnce) {
  constexpr int kJobs = 12;
  for (int i = 0; i < kJobs; ++i) {
    ASSERT_TRUE(store_->CancelJob(owner_, RunningTask(5).job, "").ok());
  }
  clock_.Advance(absl::Seconds(1));
  std::atomic<int64_t> deleted = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (Removed removed{.more = true}; removed.more;) {
        const auto step = store_->DeleteJobs(BeforeNow(), 3);
        ASSERT_TRUE(step.ok()) << step.status();
        removed = *step;
        deleted += removed.count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(deleted, kJobs);
  EXPECT_THAT(*store_->ListJobs(owner_, 100), IsEmpty());
}

// --- how many rows each table has ---------------------------------------------------------------

using RowCounts = std::map<std::string, int64_t>;

RowCounts CountRows(SQLite::Database& database) {
  RowCounts counts;
  SQLite::Statement tables(database,
                           "SELECT name FROM sqlite_schema WHERE type = 'table' "
                           "AND name NOT LIKE 'sqlite%'");
  while (tables.executeStep()) {
    const std::string name = tables.getColumn(0).getString();
    counts[name] = database.execAndGet("SELECT count(*) FROM " + name).getInt64();
  }
  return counts;
}

RowCounts CountRows(const std::string& schema) {
  RowCounts counts;
  const std::string rows = *SharedPostgres().Sql(absl::StrCat(
      "SELECT table_name, (xpath('/row/count/text()', query_to_xml(format("
      "'SELECT count(*) FROM %I.%I', table_schema, table_name), false, true, '')))[1] "
      "FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = '",
      schema, "'"));
  for (const auto line : absl::StrSplit(rows, '\n', absl::SkipWhitespace())) {
    const std::pair<std::string, std::string> row = absl::StrSplit(line, '|');
    EXPECT_TRUE(absl::SimpleAtoi(row.second, &counts[row.first])) << line;
  }
  return counts;
}

class RetentionRowsTest : public RetentionTest {
 protected:
  void SetUp() override {
    if (GetParam().name == "Sqlite") {
      std::string pattern = absl::StrCat(testing::TempDir(), "burnish_retention_XXXXXX");
      folder_ = ::mkdtemp(pattern.data());
      store_ = *OpenSqliteStore(folder_ / "burnish.db", clock_);
    } else {
      const std::string url = NewPostgresSchema();
      schema_ = url.substr(url.rfind("%3D") + 3);
      store_ = *OpenPostgresStore(url, {.simulated_clock = &clock_});
    }
  }
  void TearDown() override {
    store_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  RowCounts Rows() {
    if (!schema_.empty()) return CountRows(schema_);
    SQLite::Database database(folder_ / "burnish.db");
    return CountRows(database);
  }

 private:
  std::filesystem::path folder_;
  std::string schema_;
};

INSTANTIATE_TEST_SUITE_P(Stores, RetentionRowsTest, testing::ValuesIn(StoreFactories()),
                         FactoryName);

TEST_P(RetentionRowsTest, DeletingAJobLeavesNoRowOfIt) {
  MeasuredTask("stays");
  RowCounts before = Rows();
  EXPECT_GE(before.size(), 12u);
  const TaskId task = MeasuredTask("goes");
  AddTrials(task, 4, 7);
  const SessionId session = Open("b");
  const auto withdrawn = ClaimOne(session, "b", task);
  ASSERT_TRUE(store_->CancelJob(owner_, task.job, "").ok());
  StoreResult(session, withdrawn, OkMeasurement());
  RowCounts between = Rows();
  EXPECT_GT(between["work_items"], before["work_items"] + 4);
  EXPECT_GT(between["job_files"], before["job_files"]);
  EXPECT_GT(between["job_leases"], before["job_leases"]);
  clock_.Advance(absl::Seconds(1));
  ASSERT_EQ(store_->DeleteJobs(BeforeNow(), kLimit)->count, 1);
  RowCounts after = Rows();
  for (RowCounts* counts : {&before, &after}) counts->erase("sessions");  // the fleet's
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace burnish::store
