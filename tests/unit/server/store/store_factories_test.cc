
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "server/store/postgres/postgres_store.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/unit/server/store/postgres_fixture.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
tests::PostgresServer& SharedPostgres() {
  static const std::unique_ptr<tests::PostgresServer> server =
      *tests::PostgresServer::Start({"fsync = off", "full_page_writes = off"});
  return *server;
}

std::string NewPostgresSchema() {
  static int count = 0;
  const std::string schema = absl::StrCat("s", ++count);
  CHECK(SharedPostgres().Sql(absl::StrCat("CREATE SCHEMA ", schema)).ok());
  const std::string url = absl::StrCat(SharedPostgres().Url(), "&options=-csearch_path%3D", schema);
  const absl::Status migrated = MigratePostgres(url);
  CHECK(migrated.ok()) << migrated.ToString();
  return url;
}

std::vector<StoreFactory> StoreFactories() {
  return {{"Sqlite", [](const Clock& clock) { return *OpenSqliteStore(":memory:", clock); }},
          {"Postgres", [](const Clock& clock) {
             return *OpenPostgresStore(NewPostgresSchema(), {.simulated_clock = &clock});
           }}};
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformanceTest, testing::ValuesIn(StoreFactories()),
                         FactoryName);

}  // namespace burnish::store
