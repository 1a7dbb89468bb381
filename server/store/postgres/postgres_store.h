// The results database in PostgreSQL, shared by any number of servers. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/store/postgres/database.h"
#include "server/store/store.h"
#include "server/store/store_metrics.h"

namespace burnish::store {

// `url` is what libpq takes: postgresql://USER@HOST:PORT/DATABASE?…; with several hosts and
// target_session_attrs=read-write it follows a failover. Unavailable while the database cannot be
// reached; FailedPrecondition, saying what to do, for a schema of another version.
absl::StatusOr<std::unique_ptr<Store>> OpenPostgresStore(
    const std::string& url, const postgres::DatabaseOptions& options = {},
    const StoreMetrics& metrics = {});

// Brings the schema up to date; several may try at once. Errors as OpenPostgresStore.
absl::Status MigratePostgres(const std::string& url);

// How to connect, with timeouts that notice a dead host in seconds unless the URL says otherwise.
postgres::Address PostgresAddress(const std::string& url);

// The URL as messages may show it: without its password.
std::string PostgresName(const std::string& url);

// The number of the newest step of the schema.
int PostgresSchemaVersion();

}  // namespace burnish::store
