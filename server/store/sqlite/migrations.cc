#include "server/store/sqlite/migrations.h"

#include "absl/strings/str_cat.h"
#include "common/base/hash.h"
#include "common/base/status_macros.h"

namespace burnish::store::sqlite {
namespace {

absl::Status Refuse(const Connection& connection, std::string_view reason) {
  return absl::FailedPreconditionError(
      absl::StrCat("database ", connection.path(), ": ", std::string(reason)));
}

bool HasTables(Connection& connection) {
  Query query(connection, "SELECT 1 FROM sqlite_schema LIMIT 1");
  return query.Next();
}

bool HasMigrationsTable(Connection& connection) {
  Query query(connection,
              "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'");
  return query.Next();
}

// Compares what was applied with what this program knows; the number of steps applied.
absl::StatusOr<size_t> CheckApplied(Connection& connection, std::span<const Migration> migrations) {
  size_t applied = 0;
  Query query(connection, "SELECT number, name, checksum FROM schema_migrations ORDER BY number");
  while (query.Next()) {
    const std::string step = absl::StrCat(query.Integer(0), " (", query.Text(1), ")");
    if (applied == migrations.size()) {
      return Refuse(connection, absl::StrCat("its schema has step ", step, ", this program knows ",
                                             migrations.size(),
                                             "; use the version of Burnish that wrote it, or a "
                                             "newer one"));
    }
    const Migration& known = migrations[applied];
    if (query.Integer(0) != known.number || query.Text(2) != Sha256Hex(known.sql)) {
      return Refuse(connection, absl::StrCat("step ", step,
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

absl::Status Migrate(Connection& connection, std::span<const Migration> migrations,
                     absl::Time now) {
  return RunInTransaction(connection, [&]() -> absl::Status {
    if (!HasMigrationsTable(connection)) {
      if (HasTables(connection)) {
        return Refuse(connection, "it holds tables of another program, not of burnish-server");
      }
      connection.Execute(
          "CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, "
          "checksum TEXT NOT NULL, applied_ns INTEGER NOT NULL) STRICT");
    }
    ASSIGN_OR_RETURN(const size_t applied, CheckApplied(connection, migrations));
    for (const Migration& step : migrations.subspan(applied)) {
      connection.Execute(step.sql);
      Query(connection,
            "INSERT INTO schema_migrations (number, name, checksum, applied_ns) "
            "VALUES (?, ?, ?, ?)",
            step.number, step.name, Sha256Hex(step.sql), now)
          .Run();
    }
    return absl::OkStatus();
  });
}

}  // namespace burnish::store::sqlite
