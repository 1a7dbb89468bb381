// One SQLite connection with its prepared statements, and the only door to SQLiteCpp's exceptions:
// Query throws SQLite::Exception, RunInTransaction and Catching turn it into a status.
// Not thread-safe: the store holds its mutex around every use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "SQLiteCpp/SQLiteCpp.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace burnish::store::sqlite {

// The path of a database that lives as long as its connection.
inline constexpr const char* kInMemory = ":memory:";

class Connection {
 public:
  // Opens a file, or a new database in memory, and sets WAL, full sync, foreign keys and busy
  // timeout.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path);

  // Several statements without parameters; for pragmas, migrations and transactions.
  void Execute(const std::string& sql) { database_.exec(sql); }
  // Undoes the open transaction, if there still is one.
  void RollBack();
  const std::string& path() const { return path_; }

 private:
  friend class Query;
  explicit Connection(const std::string& path);
  struct PreparedStatement {
    SQLite::Statement statement;
    bool in_use = false;
  };
  // `sql` is a literal: it lives as long as the process.
  PreparedStatement& Prepare(const char* sql);

  const std::string path_;
  SQLite::Database database_;
  std::unordered_map<std::string_view, PreparedStatement> statements_;
};

// One run of a prepared statement. Values are bound, never pasted. While a Query of some text
// lives, no other one of the same text may begin.
class Query {
 public:
  // Binds all parameters in order.
  template <typename... Values>
  Query(Connection& connection, const char* sql, const Values&... values)
      : prepared_(connection.Prepare(sql)), statement_(prepared_.statement) {
    CheckFree(sizeof...(values));
    int index = 0;
    (Bind(++index, values), ...);
    prepared_.in_use = true;  // last: a constructor that throws has no destructor
  }
  // A statement that is not reset would keep its read snapshot open.
  ~Query() {
    statement_.tryReset();
    prepared_.in_use = false;
  }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  // Moves to the next row; false after the last one.
  bool Next() { return statement_.executeStep(); }
  // Runs a statement that returns no rows; the number of rows it changed.
  int Run() { return statement_.exec(); }

  bool IsNull(int column) const { return statement_.isColumnNull(column); }
  int64_t Integer(int column) const { return statement_.getColumn(column).getInt64(); }
  double Real(int column) const { return statement_.getColumn(column).getDouble(); }
  bool Boolean(int column) const { return Integer(column) != 0; }
  std::string Text(int column) const { return statement_.getColumn(column).getString(); }
  absl::Time Time(int column) const { return absl::FromUnixNanos(Integer(column)); }
  std::optional<absl::Time> OptionalTime(int column) const;

 private:
  void CheckFree(size_t parameter_count) const;
  void Bind(int index, int64_t value) { statement_.bind(index, value); }
  void Bind(int index, int32_t value) { statement_.bind(index, value); }
  void Bind(int index, double value) { statement_.bind(index, value); }
  void Bind(int index, bool value) { statement_.bind(index, value ? 1 : 0); }
  void Bind(int index, const std::string& value) { statement_.bind(index, value); }
  void Bind(int index, const char* value) { statement_.bind(index, value); }
  void Bind(int index, absl::Time value) { statement_.bind(index, absl::ToUnixNanos(value)); }
  template <typename T>
  void Bind(int index, const std::optional<T>& value) {
    if (value.has_value()) {
      Bind(index, *value);
    } else {
      statement_.bind(index);
    }
  }

  Connection::PreparedStatement& prepared_;
  SQLite::Statement& statement_;
};

// What an SQLite error means to the caller of the store.
absl::Status ToStatus(const SQLite::Exception& error, const std::string& path);

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

// Runs `body`; SQLite's exceptions become its status.
template <typename Body>
auto Catching(Connection& connection, const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const SQLite::Exception& error) {
    return ToStatus(error, connection.path());
  }
}

// Runs `body` as one transaction: committed if it returns OK, undone if not.
template <typename Body>
auto RunInTransaction(Connection& connection, const Body& body) -> decltype(body()) {
  try {
    connection.Execute("BEGIN IMMEDIATE");
    auto result = body();
    if (StatusOf(result).ok()) {
      connection.Execute("COMMIT");
    } else {
      connection.RollBack();
    }
    return result;
  } catch (const SQLite::Exception& error) {
    connection.RollBack();
    return ToStatus(error, connection.path());
  }
}

}  // namespace burnish::store::sqlite
