#include "server/store/postgres/connection.h"

#include <pqxx/binarystring>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/result>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"
#include "server/store/postgres/failure.h"

namespace burnish::store::postgres {
namespace {

// Any number that no other program locks by.
constexpr const char* kMigrationLock = "SELECT pg_advisory_xact_lock(7400748001)";

// A plan made while a table is nearly empty is a bad one minutes later, and would be kept.
constexpr absl::Duration kPlanAge = absl::Seconds(2);

// `?` becomes $1, $2 …, behind the parameters of a batch.
std::string Numbered(const std::string& sql) {
  std::string text;
  int number = 0;
  for (const char c : sql) {
    if (c == '?') {
      absl::StrAppend(&text, "$", ++number);
    } else {
      text.push_back(c);
    }
  }
  return text;
}

const char* ArrayType(sql::Batch::Type type) {
  switch (type) {
    case sql::Batch::Type::kInteger:
      return "bigint[]";
    case sql::Batch::Type::kBoolean:
      return "boolean[]";
    case sql::Batch::Type::kText:
      return "text[]";
  }
  return "";
}

// The batch as one array per column: `batch(a, b) AS (… unnest(?::bigint[], ?::text[]))`.
std::string BatchRelation(const sql::Batch& batch) {
  std::vector<std::string> names;
  std::vector<std::string> arrays;
  for (const sql::Batch::Column& column : batch.columns()) {
    names.push_back(column.name);
    arrays.push_back(absl::StrCat("?::", ArrayType(column.type)));
  }
  return absl::StrCat("WITH batch(", absl::StrJoin(names, ", "),
                      ") AS MATERIALIZED (SELECT * FROM unnest(", absl::StrJoin(arrays, ", "),
                      ")) ");
}

// Nothing for NULL.
std::optional<std::string> TextOf(const sql::Value& value) {
  struct Visitor {
    std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
    std::optional<std::string> operator()(int64_t number) const { return absl::StrCat(number); }
    std::optional<std::string> operator()(double number) const { return pqxx::to_string(number); }
    std::optional<std::string> operator()(bool truth) const { return truth ? "true" : "false"; }
    std::optional<std::string> operator()(const std::string& text) const { return text; }
    std::optional<std::string> operator()(const sql::Bytes& bytes) const {
      return absl::StrCat("\\x", absl::BytesToHexString(bytes.value));
    }
  };
  return std::visit(Visitor{}, value);
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

std::string ArrayOf(const sql::Batch& batch, size_t column) {
  std::vector<std::string> elements;
  elements.reserve(batch.size());
  for (const std::vector<sql::Value>& row : batch.rows()) {
    const std::optional<std::string> text = TextOf(row[column]);
    elements.push_back(text.has_value() ? Quoted(*text) : "NULL");
  }
  return absl::StrCat("{", absl::StrJoin(elements, ","), "}");
}

class ResultRows final : public sql::Rows {
 public:
  explicit ResultRows(pqxx::result result) : result_(std::move(result)) {}

  bool Next() override { return ++row_ < static_cast<int64_t>(result_.size()); }
  bool IsNull(int column) const override { return Field(column).is_null(); }
  int64_t Integer(int column) const override { return Field(column).as<int64_t>(); }
  double Real(int column) const override { return Field(column).as<double>(); }
  bool Boolean(int column) const override { return Field(column).as<bool>(); }
  std::string Text(int column) const override {
    return std::string(Field(column).c_str(), Field(column).size());
  }
  std::string Binary(int column) const override { return pqxx::binarystring(Field(column)).str(); }

 private:
  pqxx::field Field(int column) const {
    return result_[static_cast<pqxx::result::size_type>(row_)][column];
  }
  const pqxx::result result_;
  int64_t row_ = -1;
};

}  // namespace

template <typename Body>
auto Connection::Guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const pqxx::pqxx_exception& error) {
    throw ToFailure(error.base(), name_);
  }
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const Address& address,
                                                             TimeSource& time) {
  try {
    std::unique_ptr<Connection> connection(new Connection(address, time));
    connection->Configure();
    return connection;
  } catch (const pqxx::pqxx_exception& error) {
    return ToFailure(error.base(), address.name).status();
  }
}

Connection::Connection(const Address& address, TimeSource& time)
    : name_(address.name), time_(time), connection_(address.url) {}

void Connection::Configure() {
  // As variables of libpqxx, which sets them again when it mends a connection between transactions.
  connection_.set_variable("client_min_messages", "warning");
  connection_.set_variable("statement_timeout", "'20s'");
  connection_.set_variable("lock_timeout", "'5s'");
  connection_.set_variable("idle_in_transaction_session_timeout", "'20s'");
  // Every statement is short and finds its rows by an index. Without statistics, as after many new
  // rows, the planner may think otherwise; and planning each time would take longer than running.
  for (const char* unwanted : {"enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"}) {
    connection_.set_variable(unwanted, "off");
  }
  connection_.set_variable("plan_cache_mode", "force_generic_plan");
  // What is acknowledged is on disk, whatever the server's default is; a stronger one is kept.
  if (connection_.get_variable("synchronous_commit") == "off") {
    connection_.set_variable("synchronous_commit", "on");
  }
}

void Connection::Begin(sql::Access access) {
  now_.reset();
  Guarded([&] {
    if (sql::IsWrite(access)) {
      transaction_ = std::make_unique<pqxx::work>(connection_);
      if (access == sql::Access::kWriteRelaxed) {
        transaction_->exec("SET LOCAL synchronous_commit TO off");
      }
    } else if (access == sql::Access::kReadOnce) {
      transaction_ = std::make_unique<pqxx::nontransaction>(connection_);
    } else {
      // One snapshot for all statements.
      transaction_ =
          std::make_unique<pqxx::transaction<pqxx::isolation_level::repeatable_read,
                                             pqxx::readwrite_policy::read_only>>(connection_);
    }
    ForgetOldPlans();
  });
}

void Connection::ForgetOldPlans() {
  const absl::Duration now = SystemClock().Monotonic();
  if (now - planned_ < kPlanAge) return;
  planned_ = now;
  transaction_->exec("DISCARD PLANS");
}

void Connection::Commit() {
  Guarded([&] { transaction_->commit(); });
  transaction_.reset();
}

void Connection::RollBack() {
  if (transaction_ == nullptr) return;
  try {
    transaction_->abort();
  } catch (const std::exception&) {
    // The server undoes it when the connection ends.
  }
  transaction_.reset();
}

absl::Time Connection::Now() {
  if (!now_.has_value()) now_ = time_.Recent();
  if (!now_.has_value()) {
    const auto rows =
        Run("SELECT CAST(extract(epoch FROM now()) * 1000000 AS BIGINT)", nullptr, {});
    rows->Next();
    now_ = time_.Learn(absl::FromUnixMicros(rows->Integer(0)));
  }
  return *now_;
}

const std::string& Connection::Prepare(const char* sql, const sql::Batch* batch) {
  const auto found = prepared_.find(sql);
  if (found != prepared_.end()) return found->second;
  const std::string name = absl::StrCat("s", prepared_.size());
  connection_.prepare(name,
                      Numbered(absl::StrCat(batch == nullptr ? "" : BatchRelation(*batch), sql)));
  return prepared_.emplace(sql, name).first->second;
}

pqxx::result Connection::Send(const char* sql, const sql::Batch* batch,
                              std::span<const sql::Value> values) {
  CHECK(transaction_ != nullptr) << "outside a transaction: " << sql;
  std::vector<std::optional<std::string>> texts;
  if (batch != nullptr) {
    for (size_t i = 0; i < batch->columns().size(); ++i) texts.push_back(ArrayOf(*batch, i));
  }
  for (const sql::Value& value : values) texts.push_back(TextOf(value));
  std::vector<const char*> parameters;  // null for NULL
  for (const auto& text : texts) parameters.push_back(text.has_value() ? text->c_str() : nullptr);
  return transaction_->exec_prepared(Prepare(sql, batch),
                                     pqxx::prepare::make_dynamic_params(parameters));
}

std::unique_ptr<sql::Rows> Connection::Run(const char* sql, const sql::Batch* batch,
                                           std::span<const sql::Value> values) {
  return Guarded([&] { return std::make_unique<ResultRows>(Send(sql, batch, values)); });
}

int64_t Connection::Change(const char* sql, const sql::Batch* batch,
                           std::span<const sql::Value> values) {
  return Guarded([&] { return static_cast<int64_t>(Send(sql, batch, values).affected_rows()); });
}

void Connection::Execute(const std::string& sql) {
  Guarded([&] { transaction_->exec(sql); });
}

void Connection::LockForMigration() { Execute(kMigrationLock); }

bool Connection::HasTable(const std::string& name) {
  const std::string value = absl::StrCat(name);
  const sql::Value values[] = {value};
  const auto rows =
      Run("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?", nullptr,
          values);
  return rows->Next();
}

bool Connection::HasAnyTable() {
  const auto rows =
      Run("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1", nullptr, {});
  return rows->Next();
}

}  // namespace burnish::store::postgres
