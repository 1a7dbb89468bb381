// The schema as numbered steps, applied in order and once each. A step that has shipped is never
// edited: its checksum is kept in the database and compared at every start.
#pragma once

#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/store/sqlite/connection.h"

namespace burnish::store::sqlite {

struct Migration {
  int number;  // from 1, without gaps
  const char* name;
  const char* sql;
};

// Every step that this program knows.
std::span<const Migration> Migrations();

// Brings the database to the newest step of `migrations`. FailedPrecondition, naming the file, for
// a database that is newer than the program, whose applied steps differ, or that belongs to
// another program.
absl::Status Migrate(Connection& connection, std::span<const Migration> migrations, absl::Time now);

}  // namespace burnish::store::sqlite
