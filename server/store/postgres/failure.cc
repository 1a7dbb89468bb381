#include "server/store/postgres/failure.h"

#include <pqxx/except>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace burnish::store::postgres {
namespace {

using Kind = sql::Failure::Kind;

struct Meaning {
  Kind kind;
  absl::StatusCode code;
};

// By SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html
Meaning MeaningOf(std::string_view state) {
  if (state == "53100") return {Kind::kFinal, absl::StatusCode::kResourceExhausted};  // disk full
  if (state == "40001" || state == "40P01" || state == "23505") {
    // Serialization, deadlock, and a row that another transaction made first.
    return {Kind::kConflict, absl::StatusCode::kUnavailable};
  }
  // Shut down or starting; a former primary that is read-only now.
  if (state.starts_with("57P") || state == "25006" || state.starts_with("08")) {
    return {Kind::kBroken, absl::StatusCode::kUnavailable};
  }
  if (state == "57014" || state == "55P03" || state.starts_with("53")) {
    // Timeouts of a statement or a lock; too many connections.
    return {Kind::kFinal, absl::StatusCode::kUnavailable};
  }
  if (state == "42P01" || state == "3F000") {
    return {Kind::kFinal, absl::StatusCode::kFailedPrecondition};  // no such table
  }
  if (state == "28P01" || state == "28000" || state == "42501") {
    return {Kind::kFinal, absl::StatusCode::kPermissionDenied};
  }
  if (state == "XX001" || state == "XX002") {
    return {Kind::kFinal, absl::StatusCode::kDataLoss};
  }
  return {Kind::kFinal, absl::StatusCode::kInternal};
}

}  // namespace

sql::Failure ToFailure(const std::exception& error, const std::string& name) {
  std::string text = error.what();
  absl::StripAsciiWhitespace(&text);
  const std::string message = absl::StrCat("database ", name, ": ", text);
  if (dynamic_cast<const pqxx::broken_connection*>(&error) != nullptr ||
      dynamic_cast<const pqxx::in_doubt_error*>(&error) != nullptr ||
      dynamic_cast<const pqxx::statement_completion_unknown*>(&error) != nullptr) {
    return {Kind::kBroken, absl::UnavailableError(message)};
  }
  if (dynamic_cast<const pqxx::transaction_rollback*>(&error) != nullptr ||
      dynamic_cast<const pqxx::unique_violation*>(&error) != nullptr) {
    return {Kind::kConflict, absl::UnavailableError(message)};
  }
  if (const auto* sql = dynamic_cast<const pqxx::sql_error*>(&error)) {
    const Meaning meaning = MeaningOf(sql->sqlstate());
    return {meaning.kind, absl::Status(meaning.code, message)};
  }
  return {Kind::kFinal, absl::InternalError(message)};
}

}  // namespace burnish::store::postgres
