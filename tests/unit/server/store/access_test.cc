// Whether a commit waits for the disk.
#include <stdlib.h>

#include <filesystem>

#include "gtest/gtest.h"
#include "server/store/postgres/database.h"
#include "server/store/postgres/postgres_store.h"
#include "server/store/sql/query.h"
#include "server/store/sqlite/database.h"
#include "tests/unit/server/store/postgres_fixture.h"

namespace burnish::store {
namespace {

// What the query says inside a transaction of this kind.
std::string SettingIn(sql::Database& database, sql::Access access, const char* setting) {
  const auto lease = *database.Acquire(access);
  lease->connection().Begin(access);
  std::string text;
  {
    sql::Query query(lease->connection(), setting);
    EXPECT_TRUE(query.Next());
    text = query.Text(0);
  }
  lease->connection().Commit();
  return text;
}

// One after another on the same connection, so that one does not stay as the other was.
void ExpectWaits(sql::Database& database, const char* setting, const std::string& waits,
                 const std::string& does_not) {
  EXPECT_EQ(SettingIn(database, sql::Access::kWrite, setting), waits);
  EXPECT_EQ(SettingIn(database, sql::Access::kWriteRelaxed, setting), does_not);
  EXPECT_EQ(SettingIn(database, sql::Access::kWrite, setting), waits);
}

TEST(AccessTest, OnSqliteOnlyRelaxedWritesDoNotWaitForTheDisk) {
  char folder[] = "/tmp/burnish-access-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const auto database = *sqlite::Database::Open(std::string(folder) + "/db", SystemClock());
  ExpectWaits(*database, "SELECT CAST(synchronous AS TEXT) FROM pragma_synchronous", "2", "1");
  std::filesystem::remove_all(folder);
}

TEST(AccessTest, OnPostgresOnlyRelaxedWritesDoNotWaitForTheDisk) {
  postgres::Database database(PostgresAddress(NewPostgresSchema()), {});
  ExpectWaits(database, "SELECT current_setting('synchronous_commit')", "on", "off");
}

}  // namespace
}  // namespace burnish::store
