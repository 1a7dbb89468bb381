#include "server/store/sqlite/connection.h"

#include <sqlite3.h>

#include <regex>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace burnish::store::sqlite {
namespace {

using Json = nlohmann::json;

// Only a person's sqlite3 shell can hold the file: other servers are locked out.
constexpr int kBusyTimeoutMs = 5000;

std::string WithoutRowLocks(const char* sql) {
  static const std::regex locks(
      R"( FOR (NO KEY UPDATE|UPDATE|SHARE)( OF [a-z_]+)?( SKIP LOCKED)?)");
  return std::regex_replace(sql, locks, "");
}

// The batch as one JSON parameter: `batch(a, b) AS (… json_each(?))`.
std::string BatchRelation(const sql::Batch& batch) {
  std::vector<std::string> names;
  std::vector<std::string> fields;
  for (size_t i = 0; i < batch.columns().size(); ++i) {
    names.push_back(batch.columns()[i].name);
    fields.push_back(absl::StrCat("value->>", i));
  }
  return absl::StrCat("WITH batch(", absl::StrJoin(names, ", "), ") AS MATERIALIZED (SELECT ",
                      absl::StrJoin(fields, ", "), " FROM json_each(?)) ");
}

Json ToJson(const sql::Value& value) {
  struct Visitor {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(int64_t number) const { return number; }
    Json operator()(double) const { CHECK(false) << "a batch holds no reals"; }
    Json operator()(bool truth) const { return truth ? 1 : 0; }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(const sql::Bytes&) const { CHECK(false) << "a batch holds no bytes"; }
  };
  return std::visit(Visitor{}, value);
}

std::string BatchJson(const sql::Batch& batch) {
  Json rows = Json::array();
  for (const std::vector<sql::Value>& row : batch.rows()) {
    Json values = Json::array();
    for (const sql::Value& value : row) values.push_back(ToJson(value));
    rows.push_back(std::move(values));
  }
  return rows.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void BindValue(SQLite::Statement& statement, int index, const sql::Value& value) {
  struct Visitor {
    SQLite::Statement& statement;
    int index;
    void operator()(std::monostate) const { statement.bind(index); }
    void operator()(int64_t number) const { statement.bind(index, number); }
    void operator()(double number) const { statement.bind(index, number); }
    void operator()(bool truth) const { statement.bind(index, truth ? 1 : 0); }
    void operator()(const std::string& text) const { statement.bind(index, text); }
    // A strict TEXT column takes any bytes as text, and no blob.
    void operator()(const sql::Bytes& bytes) const { statement.bind(index, bytes.value); }
  };
  std::visit(Visitor{statement, index}, value);
}

}  // namespace

class StatementRows final : public sql::Rows {
 public:
  StatementRows(Connection::PreparedStatement& prepared, const std::string& path)
      : prepared_(prepared), path_(path) {
    prepared_.in_use = true;
  }
  // A statement that is not reset would keep its read snapshot open.
  ~StatementRows() override {
    prepared_.statement.tryReset();
    prepared_.in_use = false;
  }

  bool Next() override {
    try {
      return prepared_.statement.executeStep();
    } catch (const SQLite::Exception& error) {
      throw sql::Failure(sql::Failure::Kind::kFinal, ToStatus(error, path_));
    }
  }
  bool IsNull(int column) const override { return prepared_.statement.isColumnNull(column); }
  int64_t Integer(int column) const override {
    return prepared_.statement.getColumn(column).getInt64();
  }
  double Real(int column) const override {
    return prepared_.statement.getColumn(column).getDouble();
  }
  bool Boolean(int column) const override { return Integer(column) != 0; }
  std::string Text(int column) const override {
    return prepared_.statement.getColumn(column).getString();
  }
  std::string Binary(int column) const override { return Text(column); }

 private:
  Connection::PreparedStatement& prepared_;
  const std::string& path_;
};

template <typename Body>
auto Connection::Guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const SQLite::Exception& error) {
    throw sql::Failure(sql::Failure::Kind::kFinal, ToStatus(error, path_));
  }
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path,
                                                             const LeaseClock& clock) {
  try {
    std::unique_ptr<Connection> connection(new Connection(path, clock));
    RETURN_IF_ERROR(connection->Configure());
    return connection;
  } catch (const SQLite::Exception& error) {
    return ToStatus(error, path);
  }
}

Connection::Connection(const std::string& path, const LeaseClock& clock)
    : path_(path),
      clock_(clock),
      now_(clock.Now()),
      database_(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs) {}

absl::Status Connection::Configure() {
  database_.exec("PRAGMA foreign_keys = ON");
  if (path_ == kInMemory) return absl::OkStatus();
  if (database_.execAndGet("PRAGMA journal_mode = WAL").getString() != "wal") {
    return absl::FailedPreconditionError(
        absl::StrCat("database ", path_,
                     ": its file system cannot hold a write-ahead log; put it on a local disk"));
  }
  database_.exec("PRAGMA synchronous = FULL");
  return absl::OkStatus();
}

void Connection::Begin(sql::Access access) {
  now_ = clock_.Now();
  if (!sql::IsWrite(access)) return Execute("BEGIN");
  const bool relaxed = access == sql::Access::kWriteRelaxed;
  if (relaxed != relaxed_) {
    // NORMAL syncs at checkpoints only.
    Execute(relaxed ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
    relaxed_ = relaxed;
  }
  Execute("BEGIN IMMEDIATE");
}

void Connection::Commit() { Execute("COMMIT"); }

void Connection::RollBack() {
  // A failed COMMIT may or may not have ended the transaction already.
  if (sqlite3_get_autocommit(database_.getHandle()) != 0) return;
  database_.tryExec("ROLLBACK");
}

void Connection::Execute(const std::string& sql) {
  Guarded([&] { database_.exec(sql); });
}

Connection::PreparedStatement& Connection::Prepare(const char* sql, const sql::Batch* batch) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  const std::string text =
      absl::StrCat(batch == nullptr ? "" : BatchRelation(*batch), WithoutRowLocks(sql));
  return statements_.emplace(sql, PreparedStatement{SQLite::Statement(database_, text)})
      .first->second;
}

Connection::PreparedStatement& Connection::Bind(const char* sql, const sql::Batch* batch,
                                                std::span<const sql::Value> values) {
  PreparedStatement& prepared = Prepare(sql, batch);
  SQLite::Statement& statement = prepared.statement;
  CHECK(!prepared.in_use) << "nested use of " << sql;
  const size_t given = values.size() + (batch == nullptr ? 0 : 1);
  CHECK(static_cast<size_t>(statement.getBindParameterCount()) == given)
      << sql << " takes " << statement.getBindParameterCount() << " values, was given " << given;
  int index = 0;
  if (batch != nullptr) statement.bind(++index, BatchJson(*batch));
  for (const sql::Value& value : values) BindValue(statement, ++index, value);
  return prepared;
}

std::unique_ptr<sql::Rows> Connection::Run(const char* sql, const sql::Batch* batch,
                                           std::span<const sql::Value> values) {
  return Guarded([&] { return std::make_unique<StatementRows>(Bind(sql, batch, values), path_); });
}

int64_t Connection::Change(const char* sql, const sql::Batch* batch,
                           std::span<const sql::Value> values) {
  return Guarded([&] {
    SQLite::Statement& statement = Bind(sql, batch, values).statement;
    const int changed = statement.exec();
    statement.reset();
    return int64_t{changed};
  });
}

bool Connection::HasTable(const std::string& name) {
  return Guarded([&] { return database_.tableExists(name); });
}

bool Connection::HasAnyTable() {
  return Guarded(
      [&] { return database_.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0; });
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
