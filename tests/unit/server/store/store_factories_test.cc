#include <map>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "server/store/postgres/postgres_store.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/support/postgres_server.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

// One PostgreSQL server for the whole test program, started when first needed. What the tests show
// does not hang on its durability.
tests::PostgresServer& Postgres() {
  static const std::unique_ptr<tests::PostgresServer> server =
      *tests::PostgresServer::Start({"fsync = off", "full_page_writes = off"});
  return *server;
}

// Every store gets a schema of its own.
std::unique_ptr<Store> NewPostgresStore(const Clock& clock) {
  static int count = 0;
  const std::string schema = absl::StrCat("s", ++count);
  CHECK(Postgres().Sql(absl::StrCat("CREATE SCHEMA ", schema)).ok());
  const std::string url = absl::StrCat(Postgres().Url(), "&options=-csearch_path%3D", schema);
  const absl::Status migrated = MigratePostgres(url);
  CHECK(migrated.ok()) << migrated.ToString();
  return *OpenPostgresStore(url, {.simulated_clock = &clock});
}

}  // namespace

std::vector<StoreFactory> StoreFactories() {
  return {{"Sqlite", [](const Clock& clock) { return *OpenSqliteStore(":memory:", clock); }},
          {"Postgres", NewPostgresStore}};
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformanceTest, testing::ValuesIn(StoreFactories()),
                         FactoryName);

}  // namespace burnish::store
