#include "server/store/sql/migrations.h"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/store/sql/query.h"
#include "server/store/sql/transaction.h"
#include "server/store/sqlite/database.h"
#include "server/store/sqlite/schema.h"

namespace burnish::store::sqlite {
namespace {

using sql::CheckMigrated;
using sql::Migrate;
using sql::Migration;
using sql::Query;
using testing::HasSubstr;

constexpr Migration kFirst{1, "first", "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7);"};
constexpr Migration kSecond{2, "second", "ALTER TABLE a ADD COLUMN y INTEGER DEFAULT 8;"};
constexpr Migration kBroken{2, "broken", "CREATE TABLE b (x INTEGER); CREATE TABLE a (x INTEGER);"};
constexpr std::array<Migration, 1> kOld = {kFirst};
constexpr std::array<Migration, 2> kNew = {kFirst, kSecond};

class MigrationsTest : public testing::Test {
 protected:
  absl::Status Apply(std::span<const Migration> migrations) {
    return Migrate(*database_, migrations);
  }
  // The one connection of a database in memory, which is free between calls.
  sql::Connection& Connect() {
    lease_.reset();
    lease_ = *database_->Acquire(sql::Access::kWrite);
    return lease_->connection();
  }
  void Disconnect() { lease_.reset(); }

  SimulatedClock clock_{absl::FromUnixSeconds(5)};
  std::unique_ptr<Database> database_ = *Database::Open(":memory:", clock_);
  std::unique_ptr<sql::Lease> lease_;
};

TEST_F(MigrationsTest, EveryStepIsAppliedOnceAndRecorded) {
  ASSERT_TRUE(Apply(kNew).ok());
  ASSERT_TRUE(Apply(kNew).ok());
  Query rows(Connect(), "SELECT count(*), max(number), max(applied_ns) FROM schema_migrations");
  ASSERT_TRUE(rows.Next());
  EXPECT_EQ(rows.Integer(0), 2);
  EXPECT_EQ(rows.Integer(1), 2);
  EXPECT_EQ(rows.Time(2), absl::FromUnixSeconds(5));
}

TEST_F(MigrationsTest, AnOldSchemaIsUpgradedWithItsData) {
  ASSERT_TRUE(Apply(kOld).ok());
  ASSERT_TRUE(Apply(kNew).ok());
  Query row(Connect(), "SELECT x, y FROM a");
  ASSERT_TRUE(row.Next());
  EXPECT_EQ(row.Integer(0), 7);
  EXPECT_EQ(row.Integer(1), 8);
}

TEST_F(MigrationsTest, ANewerSchemaIsRefused) {
  ASSERT_TRUE(Apply(kNew).ok());
  const absl::Status status = Apply(kOld);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(status.message(),
            "database :memory:: its schema has step 2 (second), this program knows 1; use the "
            "version of Burnish that wrote it, or a newer one");
}

TEST_F(MigrationsTest, AStepMadeFromAnotherTextIsRefused) {
  ASSERT_TRUE(Apply(kOld).ok());
  constexpr std::array<Migration, 1> edited = {Migration{1, "first", "CREATE TABLE a (z TEXT);"}};
  const absl::Status status = Apply(edited);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("database :memory:: step 1 (first) of its schema was made from another"));
}

TEST_F(MigrationsTest, AFailingStepLeavesTheSchemaAsItWas) {
  ASSERT_TRUE(Apply(kOld).ok());
  constexpr std::array<Migration, 2> broken = {kFirst, kBroken};
  EXPECT_FALSE(Apply(broken).ok());
  ASSERT_TRUE(Apply(kOld).ok()) << "still at the first step";
  Query table(Connect(), "SELECT 1 FROM sqlite_schema WHERE name = 'b'");
  EXPECT_FALSE(table.Next());
}

TEST_F(MigrationsTest, ADatabaseOfAnotherProgramIsRefused) {
  Connect().Execute("CREATE TABLE songs (title TEXT)");
  Disconnect();
  const absl::Status status = Apply(kNew);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("tables of another program"));
}

TEST_F(MigrationsTest, ACheckTellsAnOldSchemaAndWhatToDo) {
  ASSERT_TRUE(Apply(kOld).ok());
  const absl::Status status = CheckMigrated(*database_, kNew);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("run `burnish-server migrate"));
  ASSERT_TRUE(Apply(kNew).ok());
  EXPECT_TRUE(CheckMigrated(*database_, kNew).ok());
}

TEST_F(MigrationsTest, OurStepsAreNumberedFromOneWithoutGaps) {
  ASSERT_TRUE(Apply(Migrations()).ok());
  int expected = 0;
  for (const Migration& step : Migrations()) EXPECT_EQ(step.number, ++expected);
}

TEST_F(MigrationsTest, JobsThatEndedBeforeTheirEndWasKeptGetOne) {
  const auto all = Migrations();
  const auto step = std::ranges::find(all, std::string_view("retention"), &Migration::name);
  ASSERT_NE(step, all.end());
  ASSERT_TRUE(Apply(all.first(static_cast<size_t>(step - all.begin()))).ok());
  Connect().Execute(
      "INSERT INTO jobs (namespace, client_request_id, name, file_name, text, hold_id, state, "
      "reason, finish_requested, created_ns) VALUES ('n', '', '', '', '', '', 'done', '', 0, 5), "
      "('n', '', '', '', '', '', 'failed', '', 0, 6), ('n', '', '', '', '', '', 'paused', '', 0, "
      "7); INSERT INTO tasks (namespace, job_id, ordinal, device_class, selector, definition_hash, "
      "problem, problem_key, source_hash, space_size, budget_trials, flops, state, reason, "
      "ended_ns) VALUES ('n', 1, 1, '', '', '', '', '', '', 1, 1, 0, 'done', '', 50), "
      "('n', 1, 2, '', '', '', '', '', '', 1, 1, 0, 'done', '', 40)");
  Disconnect();
  ASSERT_TRUE(Apply(all).ok());
  Query rows(Connect(), "SELECT ended_ns, samples_above FROM jobs ORDER BY id");
  std::vector<std::optional<int64_t>> ended;
  while (rows.Next()) {
    ended.push_back(rows.OptionalInteger(0));
    EXPECT_EQ(rows.OptionalInteger(1), 0);
  }
  EXPECT_THAT(ended, testing::ElementsAre(50, 6, std::nullopt));
}

TEST_F(MigrationsTest, AFileUsesTheWriteAheadLogAndSyncsFully) {
  std::string folder = absl::StrCat(testing::TempDir(), "burnish_migrations_XXXXXX");
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  {
    const LeaseClock clock(clock_);
    const auto file = *Connection::Open(folder + "/burnish.db", clock);
    Query mode(*file, "PRAGMA journal_mode");
    ASSERT_TRUE(mode.Next());
    EXPECT_EQ(mode.Text(0), "wal");
    Query sync(*file, "PRAGMA synchronous");
    ASSERT_TRUE(sync.Next());
    EXPECT_EQ(sync.Integer(0), 2);
    Query keys(*file, "PRAGMA foreign_keys");
    ASSERT_TRUE(keys.Next());
    EXPECT_TRUE(keys.Boolean(0));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace burnish::store::sqlite
