// What the statements of this folder need of a database: connections that run prepared statements,
// a pool of them, and failures. Each driver (sqlite/, postgres/) implements these.
//
// Statements are written once, in PostgreSQL's dialect with `?` for parameters; the SQLite driver
// drops row locks (`FOR UPDATE …`), which one writer at a time does not need. A connection is used
// by one thread at a time; a database is thread-safe.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace burnish::store::sql {

// Thrown by connections inside a transaction, and caught by the transaction alone.
class Failure final : public std::exception {
 public:
  enum class Kind {
    kFinal,     // trying again would fail again
    kConflict,  // undone because of another transaction: try again
    kBroken,    // the connection is lost; a commit that was under way may have happened
  };
  Failure(Kind kind, absl::Status status) : kind_(kind), status_(std::move(status)) {}
  Kind kind() const { return kind_; }
  const absl::Status& status() const { return status_; }

 private:
  Kind kind_;
  absl::Status status_;
};

// Bytes that need not be text.
struct Bytes {
  std::string value;
};

using Value = std::variant<std::monostate, int64_t, double, bool, std::string, Bytes>;

// The rows of one statement.
class Rows {
 public:
  virtual ~Rows() = default;
  // Moves to the next row; false after the last one.
  virtual bool Next() = 0;
  virtual bool IsNull(int column) const = 0;
  virtual int64_t Integer(int column) const = 0;
  virtual double Real(int column) const = 0;
  virtual bool Boolean(int column) const = 0;
  virtual std::string Text(int column) const = 0;
  virtual std::string Binary(int column) const = 0;
};

// Rows of values that travel to the database together; a statement reads them as the relation
// `batch`. Columns hold numbers, booleans or text, never reals.
class Batch {
 public:
  enum class Type { kInteger, kBoolean, kText };
  struct Column {
    const char* name;
    Type type;
  };
  explicit Batch(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void Add(std::vector<Value> row);  // one value per column, of its type or absent
  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Value>>& rows() const { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Value>> rows_;
};

enum class Access {
  kRead,
  kReadOnce,  // a single statement, which needs no transaction around it
  kWrite,
  // Its commit does not wait for the disk: it may be undone by a crash of the database or of its
  // machine, but never without every later one of its kind, and it lasts once a later kWrite does.
  kWriteRelaxed,
};

inline bool IsWrite(Access access) {
  return access == Access::kWrite || access == Access::kWriteRelaxed;
}

class Connection {
 public:
  virtual ~Connection() = default;

  virtual void Begin(Access access) = 0;
  virtual void Commit() = 0;
  // Undoes the open transaction, if there still is one. Never throws.
  virtual void RollBack() = 0;
  // The time by which leases are granted and end; the same throughout a transaction.
  virtual absl::Time Now() = 0;

  // Runs a statement. `sql` is a literal: it lives as long as the process. While rows of some text
  // live, no other run of the same text may begin.
  virtual std::unique_ptr<Rows> Run(const char* sql, const Batch* batch,
                                    std::span<const Value> values) = 0;
  // Runs one that returns no rows; the number of rows it changed.
  virtual int64_t Change(const char* sql, const Batch* batch, std::span<const Value> values) = 0;
  // Several statements without parameters, for migrations.
  virtual void Execute(const std::string& sql) = 0;

  // Whether other transactions run beside this one, so that rows have to be locked.
  virtual bool LocksRows() const = 0;
  // Holds off others that migrate the same database, until the end of the transaction.
  virtual void LockForMigration() = 0;
  virtual bool HasTable(const std::string& name) = 0;
  virtual bool HasAnyTable() = 0;
};

// A connection out of the pool, given back when this ends.
class Lease {
 public:
  virtual ~Lease() = default;
  virtual Connection& connection() = 0;
  // The connection is of no use any more: the next lease gets a new one.
  virtual void Discard() = 0;
};

class Database {
 public:
  virtual ~Database() = default;
  // Waits for a free connection. Unavailable when the database cannot be reached.
  virtual absl::StatusOr<std::unique_ptr<Lease>> Acquire(Access access) = 0;
  // The database's clock as far as known without asking it.
  virtual absl::Time Now() = 0;
  // How messages name it; holds no password.
  virtual const std::string& name() const = 0;
};

}  // namespace burnish::store::sql
