// The store over any SQL database: transactions; the statements are in the files named after their
// tables. Thread-safe.
#pragma once

#include <memory>
#include <span>

#include "server/store/sql/connection.h"
#include "server/store/sql/migrations.h"
#include "server/store/store.h"
#include "server/store/store_metrics.h"

namespace burnish::store::sql {

// The database is at the newest step of `migrations`, which outlive the store.
std::unique_ptr<Store> MakeSqlStore(std::unique_ptr<Database> database,
                                    std::span<const Migration> migrations,
                                    const StoreMetrics& metrics);

}  // namespace burnish::store::sql
