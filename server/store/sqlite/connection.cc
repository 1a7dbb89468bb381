#include "server/store/sqlite/connection.h"

#include <sqlite3.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace burnish::store::sqlite {
namespace {

// Only a person's sqlite3 shell can hold the file: other servers are locked out.
constexpr int kBusyTimeoutMs = 5000;

absl::Status Configure(Connection& connection, bool in_memory) {
  connection.Execute("PRAGMA foreign_keys = ON");
  if (in_memory) return absl::OkStatus();
  Query mode(connection, "PRAGMA journal_mode = WAL");
  if (!mode.Next() || mode.Text(0) != "wal") {
    return absl::FailedPreconditionError(
        absl::StrCat("database ", connection.path(),
                     ": its file system cannot hold a write-ahead log; put it on a local disk"));
  }
  connection.Execute("PRAGMA synchronous = FULL");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path) {
  const bool in_memory = path == kInMemory;
  try {
    std::unique_ptr<Connection> connection(new Connection(path));
    RETURN_IF_ERROR(Configure(*connection, in_memory));
    return connection;
  } catch (const SQLite::Exception& error) {
    return ToStatus(error, path);
  }
}

Connection::Connection(const std::string& path)
    : path_(path), database_(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs) {}

void Connection::RollBack() {
  // A failed COMMIT may or may not have ended the transaction already.
  if (sqlite3_get_autocommit(database_.getHandle()) != 0) return;
  database_.tryExec("ROLLBACK");
}

Connection::PreparedStatement& Connection::Prepare(const char* sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  return statements_.emplace(sql, PreparedStatement{SQLite::Statement(database_, sql)})
      .first->second;
}

std::optional<absl::Time> Query::OptionalTime(int column) const {
  if (IsNull(column)) return std::nullopt;
  return Time(column);
}

void Query::CheckFree(size_t parameter_count) const {
  CHECK(!prepared_.in_use) << "nested use of " << statement_.getQuery();
  CHECK(static_cast<size_t>(statement_.getBindParameterCount()) == parameter_count)
      << statement_.getQuery() << " takes " << statement_.getBindParameterCount()
      << " values, was given " << parameter_count;
}

absl::Status ToStatus(const SQLite::Exception& error, const std::string& path) {
  const std::string message = absl::StrCat("database ", path, ": ", error.what());
  switch (error.getErrorCode() & 0xff) {  // without the extended part
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return absl::UnavailableError(message);
    case SQLITE_NOTADB:
      return absl::FailedPreconditionError(
          absl::StrCat("database ", path, ": the file is not an SQLite database"));
    case SQLITE_CORRUPT:
      return absl::DataLossError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace burnish::store::sqlite
