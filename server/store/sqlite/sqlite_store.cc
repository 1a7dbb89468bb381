#include "server/store/sqlite/sqlite_store.h"

#include <utility>

#include "common/base/status_macros.h"
#include "server/store/sql/sql_store.h"
#include "server/store/sqlite/database.h"
#include "server/store/sqlite/schema.h"

namespace burnish::store {

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path, const Clock& clock,
                                                       const StoreMetrics& metrics) {
  ASSIGN_OR_RETURN(std::unique_ptr<sqlite::Database> database, sqlite::Database::Open(path, clock));
  RETURN_IF_ERROR(sql::Migrate(*database, sqlite::Migrations()));
  return sql::MakeSqlStore(std::move(database), sqlite::Migrations(), metrics);
}

int SqliteSchemaVersion() { return static_cast<int>(sqlite::Migrations().size()); }

}  // namespace burnish::store
