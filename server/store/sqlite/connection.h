// One SQLite connection with its prepared statements, and the only door to SQLiteCpp's exceptions:
// they leave it as sql::Failure. Used by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "SQLiteCpp/SQLiteCpp.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sql/connection.h"
#include "server/store/sqlite/lease_clock.h"

namespace burnish::store::sqlite {

// The path of a database that lives as long as its connection.
inline constexpr const char* kInMemory = ":memory:";

class Connection final : public sql::Connection {
 public:
  // Opens a file, or a new database in memory, and sets WAL, full sync, foreign keys and busy
  // timeout. `clock` outlives the connection.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path,
                                                          const LeaseClock& clock);

  void Begin(sql::Access access) override;
  void Commit() override;
  void RollBack() override;
  absl::Time Now() override { return now_; }
  std::unique_ptr<sql::Rows> Run(const char* sql, const sql::Batch* batch,
                                 std::span<const sql::Value> values) override;
  int64_t Change(const char* sql, const sql::Batch* batch,
                 std::span<const sql::Value> values) override;
  void Execute(const std::string& sql) override;
  bool LocksRows() const override { return false; }  // one writer at a time
  void LockForMigration() override {}                // so is a migration
  bool HasTable(const std::string& name) override;
  bool HasAnyTable() override;

 private:
  friend class StatementRows;
  struct PreparedStatement {
    SQLite::Statement statement;
    bool in_use = false;
  };

  Connection(const std::string& path, const LeaseClock& clock);
  absl::Status Configure();
  PreparedStatement& Prepare(const char* sql, const sql::Batch* batch);
  PreparedStatement& Bind(const char* sql, const sql::Batch* batch,
                          std::span<const sql::Value> values);
  template <typename Body>
  auto Guarded(const Body& body) -> decltype(body());

  const std::string path_;
  const LeaseClock& clock_;
  absl::Time now_;
  bool relaxed_ = false;  // whether commits do not wait for the disk
  SQLite::Database database_;
  std::unordered_map<std::string_view, PreparedStatement> statements_;  // by our text
};

// What an SQLite error means to the caller of the store.
absl::Status ToStatus(const SQLite::Exception& error, const std::string& path);

}  // namespace burnish::store::sqlite
