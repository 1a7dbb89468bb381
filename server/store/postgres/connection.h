// One PostgreSQL connection with its prepared statements, and the only door to libpqxx's
// exceptions: they leave it as sql::Failure. Used by one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <pqxx/connection>
#include <pqxx/transaction>
#include <string>
#include <string_view>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sql/connection.h"

namespace burnish::store::postgres {

// How a program connects: `url` as libpq takes it; `name` is how messages call the database.
struct Address {
  std::string url;
  std::string name;
};

// The database's clock, as its connections share it.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  // The time now, if a connection has asked the database for it lately.
  virtual std::optional<absl::Time> Recent() = 0;
  // A transaction has got this from PostgreSQL's now(); the time to use.
  virtual absl::Time Learn(absl::Time database_now) = 0;
};

class Connection final : public sql::Connection {
 public:
  // `time` outlives the connection.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const Address& address, TimeSource& time);

  void Begin(sql::Access access) override;
  void Commit() override;
  void RollBack() override;
  absl::Time Now() override;
  std::unique_ptr<sql::Rows> Run(const char* sql, const sql::Batch* batch,
                                 std::span<const sql::Value> values) override;
  int64_t Change(const char* sql, const sql::Batch* batch,
                 std::span<const sql::Value> values) override;
  void Execute(const std::string& sql) override;
  bool LocksRows() const override { return true; }
  void LockForMigration() override;
  bool HasTable(const std::string& name) override;
  bool HasAnyTable() override;

 private:
  Connection(const Address& address, TimeSource& time);
  void Configure();
  void ForgetOldPlans();
  const std::string& Prepare(const char* sql, const sql::Batch* batch);
  pqxx::result Send(const char* sql, const sql::Batch* batch, std::span<const sql::Value> values);
  template <typename Body>
  auto Guarded(const Body& body) -> decltype(body());

  const std::string name_;
  TimeSource& time_;
  pqxx::connection connection_;
  std::unique_ptr<pqxx::transaction_base> transaction_;
  absl::Duration planned_;                                      // when plans were forgotten last
  std::optional<absl::Time> now_;                               // of the open transaction
  std::unordered_map<std::string_view, std::string> prepared_;  // our text -> the server's name
};

}  // namespace burnish::store::postgres
