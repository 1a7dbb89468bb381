// One run of a prepared statement, with typed parameters. Values are bound, never pasted. May throw
// Failure: inside a transaction only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "server/store/sql/connection.h"

namespace burnish::store::sql {

inline Value ToValue(int64_t value) { return value; }
inline Value ToValue(int32_t value) { return static_cast<int64_t>(value); }
inline Value ToValue(double value) { return value; }
inline Value ToValue(bool value) { return value; }
// As databases take it: UTF-8 without NUL, what is none of that replaced by U+FFFD.
Value ToValue(const std::string& value);
inline Value ToValue(const char* value) { return std::string(value); }
inline Value ToValue(const Bytes& value) { return value; }
// Times are nanoseconds since 1970.
inline Value ToValue(absl::Time value) { return absl::ToUnixNanos(value); }
template <typename T>
Value ToValue(const std::optional<T>& value) {
  return value.has_value() ? ToValue(*value) : Value();
}

// The rows of a statement that returns some.
class Query {
 public:
  template <typename... Values>
  Query(Connection& connection, const char* sql, const Values&... values)
      : rows_(connection.Run(sql, nullptr,
                             std::array<Value, sizeof...(Values)>{ToValue(values)...})) {}
  // `sql` reads `batch` as a relation of that name.
  template <typename... Values>
  Query(Connection& connection, const Batch& batch, const char* sql, const Values&... values)
      : rows_(connection.Run(sql, &batch,
                             std::array<Value, sizeof...(Values)>{ToValue(values)...})) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool Next() { return rows_->Next(); }
  bool IsNull(int column) const { return rows_->IsNull(column); }
  int64_t Integer(int column) const { return rows_->Integer(column); }
  double Real(int column) const { return rows_->Real(column); }
  bool Boolean(int column) const { return rows_->Boolean(column); }
  std::string Text(int column) const { return rows_->Text(column); }
  std::string Binary(int column) const { return rows_->Binary(column); }
  absl::Time Time(int column) const { return absl::FromUnixNanos(Integer(column)); }
  std::optional<int64_t> OptionalInteger(int column) const {
    return IsNull(column) ? std::nullopt : std::optional(Integer(column));
  }
  std::optional<absl::Time> OptionalTime(int column) const {
    return IsNull(column) ? std::nullopt : std::optional(Time(column));
  }

 private:
  std::unique_ptr<Rows> rows_;
};

// A statement that returns no rows; the number of rows it changed.
template <typename... Values>
int64_t Change(Connection& connection, const char* sql, const Values&... values) {
  return connection.Change(sql, nullptr, std::array<Value, sizeof...(Values)>{ToValue(values)...});
}
template <typename... Values>
int64_t Change(Connection& connection, const Batch& batch, const char* sql,
               const Values&... values) {
  return connection.Change(sql, &batch, std::array<Value, sizeof...(Values)>{ToValue(values)...});
}

}  // namespace burnish::store::sql
