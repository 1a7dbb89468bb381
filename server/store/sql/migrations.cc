#include "server/store/sql/migrations.h"

#include "absl/strings/str_cat.h"
#include "common/base/hash.h"
#include "common/base/status_macros.h"
#include "server/store/sql/query.h"
#include "server/store/sql/transaction.h"

namespace burnish::store::sql {
namespace {

constexpr const char* kTable = "schema_migrations";

absl::Status Refuse(const Database& database, std::string_view reason) {
  return absl::FailedPreconditionError(
      absl::StrCat("database ", database.name(), ": ", std::string(reason)));
}

// Compares what was applied with what this program knows; the number of steps applied.
absl::StatusOr<size_t> CheckApplied(const Database& database, Connection& connection,
                                    std::span<const Migration> migrations) {
  size_t applied = 0;
  Query query(connection, "SELECT number, name, checksum FROM schema_migrations ORDER BY number");
  while (query.Next()) {
    const std::string step = absl::StrCat(query.Integer(0), " (", query.Text(1), ")");
    if (applied == migrations.size()) {
      return Refuse(database, absl::StrCat("its schema has step ", step, ", this program knows ",
                                           migrations.size(),
                                           "; use the version of Burnish that wrote it, or a "
                                           "newer one"));
    }
    const Migration& known = migrations[applied];
    if (query.Integer(0) != known.number || query.Text(2) != Sha256Hex(known.sql)) {
      return Refuse(database, absl::StrCat("step ", step,
                                           " of its schema was made from another text than this "
                                           "program's step ",
                                           known.number, " (", known.name,
                                           "); use the version of Burnish that wrote it"));
    }
    ++applied;
  }
  return applied;
}

}  // namespace

absl::Status Migrate(Database& database, std::span<const Migration> migrations) {
  return RunInTransaction(database, Access::kWrite, [&](Connection& connection) -> absl::Status {
    connection.LockForMigration();
    if (!connection.HasTable(kTable)) {
      if (connection.HasAnyTable()) {
        return Refuse(database, "it holds tables of another program, not of burnish-server");
      }
      connection.Execute(
          "CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, "
          "checksum TEXT NOT NULL, applied_ns BIGINT NOT NULL)");
    }
    ASSIGN_OR_RETURN(const size_t applied, CheckApplied(database, connection, migrations));
    for (const Migration& step : migrations.subspan(applied)) {
      connection.Execute(step.sql);
      Change(connection,
             "INSERT INTO schema_migrations (number, name, checksum, applied_ns) "
             "VALUES (?, ?, ?, ?)",
             step.number, step.name, Sha256Hex(step.sql), connection.Now());
    }
    return absl::OkStatus();
  });
}

absl::Status CheckMigrated(Database& database, std::span<const Migration> migrations) {
  return RunInTransaction(database, Access::kRead, [&](Connection& connection) -> absl::Status {
    size_t applied = 0;
    if (connection.HasTable(kTable)) {
      ASSIGN_OR_RETURN(applied, CheckApplied(database, connection, migrations));
    }
    if (applied == migrations.size()) return absl::OkStatus();
    return Refuse(database, absl::StrCat("its schema is at step ", applied, ", this program needs ",
                                         migrations.size(),
                                         "; run `burnish-server migrate --database URL` once"));
  });
}

}  // namespace burnish::store::sql
