// The schema as numbered steps, applied in order and once each. A step that has shipped is never
// edited: its checksum is kept in the database and compared at every start.
#pragma once

#include <span>
#include <string>

#include "absl/status/status.h"
#include "server/store/sql/connection.h"

namespace burnish::store::sql {

struct Migration {
  int number;  // from 1, without gaps
  const char* name;
  const char* sql;
};

// Brings the database to the newest step of `migrations`, all steps in one transaction, while
// others that try the same wait. FailedPrecondition, naming the database, for one that is newer
// than the program, whose applied steps differ, or that belongs to another program.
absl::Status Migrate(Database& database, std::span<const Migration> migrations);

// FailedPrecondition unless the database is at the newest step, saying what to do.
absl::Status CheckMigrated(Database& database, std::span<const Migration> migrations);

}  // namespace burnish::store::sql
