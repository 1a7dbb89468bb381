// The results database in one SQLite file, owned by one process. Thread-safe; every write is one
// synced transaction.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/base/clock.h"
#include "server/store/store.h"
#include "server/store/store_metrics.h"

namespace burnish::store {

// Opens or makes the database and brings its schema up to date. `:memory:` is a private database
// that ends with the store. FailedPrecondition, naming the file, if another server owns it, it is
// not an SQLite database, belongs to another program or comes from a newer one. `clock` must
// outlive the store.
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path, const Clock& clock,
                                                       const StoreMetrics& metrics = {});

// The number of the newest step of the schema.
int SqliteSchemaVersion();

}  // namespace burnish::store
