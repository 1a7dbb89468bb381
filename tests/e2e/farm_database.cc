#include "tests/e2e/farm_database.h"

#include <utility>

#include "SQLiteCpp/SQLiteCpp.h"
#include "common/base/check.h"
#include "common/base/numbers.h"

namespace burnish::e2e {
namespace {

constexpr int kBusyTimeoutMs = 5000;

}  // namespace

FarmDatabase::FarmDatabase(tests::PostgresServer& server, std::string name)
    : url_(server.Url(name)), server_(&server), name_(std::move(name)) {
  CHECK_OK(server.CreateDatabase(name_));
}

std::string FarmDatabase::Text(const std::string& sql) {
  if (is_postgres()) {
    const absl::StatusOr<std::string> printed = server_->Sql(sql, name_);
    return printed.ok() ? printed->substr(0, printed->find('\n')) : "";
  }
  SQLite::Database database(path_, SQLite::OPEN_READONLY, kBusyTimeoutMs);
  SQLite::Statement statement(database, sql);
  return statement.executeStep() ? statement.getColumn(0).getString() : "";
}

int64_t FarmDatabase::Count(const std::string& sql) { return ParseInteger(Text(sql)).value_or(-1); }

void FarmDatabase::Execute(const std::string& sql) {
  if (is_postgres()) {
    CHECK_OK(server_->Sql(sql, name_).status());
    return;
  }
  SQLite::Database(path_, SQLite::OPEN_READWRITE, kBusyTimeoutMs).exec(sql);
}

}  // namespace burnish::e2e
