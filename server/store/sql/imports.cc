#include "server/store/sql/imports.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/base/limits.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::store::sql {
namespace {

// What makes two sets the same. Zero bytes keep the parts apart.
std::string IdentityOf(const NewImport& import) {
  const std::string zero(1, '\0');
  return Sha256Hex(absl::StrCat(import.problem_key, zero, import.source_hash, zero,
                                import.device_class, zero, import.file_name));
}

absl::Status CheckRoom(Connection& connection, const Namespace& owner,
                       const std::string& identity) {
  Query query(connection,
              "SELECT count(*) FROM imported_sets WHERE namespace = ? AND identity <> ?",
              owner.value(), identity);
  query.Next();
  if (query.Integer(0) < limits::kImportedSetsPerNamespace) return absl::OkStatus();
  return DiagnosticStatus(
      absl::StatusCode::kResourceExhausted,
      {.message = absl::StrCat("namespace ", owner.value(), " has ", query.Integer(0),
                               " imported sets of records; no more are taken"),
       .hint = "remove some: `burnish import --list`, `burnish import --remove ID`"});
}

double OrderOf(const NewImport::Record* record) {
  return record->latency_seconds > 0 ? record->latency_seconds
                                     : std::numeric_limits<double>::infinity();
}

void InsertRecords(Connection& connection, int64_t set,
                   const std::vector<NewImport::Record>& records) {
  constexpr size_t kRows = 10'000;  // that travel together
  std::vector<const NewImport::Record*> ordered;
  for (const NewImport::Record& record : records) ordered.push_back(&record);
  std::ranges::stable_sort(ordered, {}, OrderOf);
  for (size_t first = 0; first < ordered.size(); first += kRows) {
    Batch batch({{"place", Batch::Type::kInteger},
                 {"configuration", Batch::Type::kText},
                 {"latency", Batch::Type::kText}});
    for (size_t i = first; i < std::min(first + kRows, ordered.size()); ++i) {
      batch.Add({ToValue(static_cast<int64_t>(i)), ToValue(ordered[i]->configuration),
                 ToValue(FormatReal(ordered[i]->latency_seconds))});
    }
    Change(connection, batch,
           "INSERT INTO imported_records (set_id, place, configuration, latency_seconds) "
           "SELECT CAST(? AS BIGINT), b.place, b.configuration, "
           "CAST(b.latency AS DOUBLE PRECISION) FROM batch b",
           set);
  }
}

}  // namespace

absl::StatusOr<ImportResult> StoreImport(Connection& connection, absl::Time now,
                                         const Namespace& owner, const NewImport& import) {
  const std::string identity = IdentityOf(import);
  RETURN_IF_ERROR(CheckRoom(connection, owner, identity));
  const auto records = static_cast<int64_t>(import.records.size());
  const int64_t failed = std::ranges::count_if(
      import.records, [](const NewImport::Record& record) { return record.latency_seconds <= 0; });
  ImportResult result;
  {
    Query query(connection,
                "INSERT INTO imported_sets (namespace, identity, family, problem, problem_key, "
                "source_hash, device_class, file_name, records, failed, imported_ns) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, identity) "
                "DO UPDATE SET family = excluded.family, problem = excluded.problem, "
                "records = excluded.records, failed = excluded.failed, "
                "imported_ns = excluded.imported_ns RETURNING id",
                owner.value(), identity, import.family, import.problem, import.problem_key,
                import.source_hash, import.device_class, import.file_name, records, failed, now);
    query.Next();
    result.id = ImportId(query.Integer(0));
  }
  result.replaced =
      Change(connection, "DELETE FROM imported_records WHERE set_id = ?", result.id.value());
  InsertRecords(connection, result.id.value(), import.records);
  return result;
}

std::vector<Import> Imports(Connection& connection, const Namespace& owner) {
  Query query(connection,
              "SELECT id, problem, device_class, file_name, records, failed, imported_ns "
              "FROM imported_sets WHERE namespace = ? ORDER BY imported_ns DESC, id DESC",
              owner.value());
  std::vector<Import> imports;
  while (query.Next()) {
    imports.push_back({.id = ImportId(query.Integer(0)),
                       .problem = query.Text(1),
                       .device_class = query.Text(2),
                       .file_name = query.Text(3),
                       .records = query.Integer(4),
                       .failed = query.Integer(5),
                       .imported = query.Time(6)});
  }
  return imports;
}

absl::Status RemoveImport(Connection& connection, const Namespace& owner, ImportId id) {
  Change(connection,
         "DELETE FROM imported_records WHERE set_id IN "
         "(SELECT id FROM imported_sets WHERE id = ? AND namespace = ?)",
         id.value(), owner.value());
  const int64_t removed =
      Change(connection, "DELETE FROM imported_sets WHERE id = ? AND namespace = ?", id.value(),
             owner.value());
  if (removed > 0) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("there is no imported set ", ToText(id),
                                          "; `burnish import --list` shows those that there are"));
}

absl::StatusOr<std::vector<MeasuredConfiguration>> ImportedRecords(Connection& connection,
                                                                   const Namespace& owner,
                                                                   ImportId id, int limit) {
  int64_t records = 0;
  {
    Query query(connection, "SELECT records FROM imported_sets WHERE id = ? AND namespace = ?",
                id.value(), owner.value());
    if (!query.Next()) return std::vector<MeasuredConfiguration>();
    records = query.Integer(0);
  }
  const int64_t fastest = limit / 2;
  const int64_t step = records <= limit ? 1 : 1 + (records - 1) / (limit - fastest);
  Query query(connection,
              "SELECT configuration, latency_seconds FROM imported_records WHERE set_id = ? "
              "AND (place < ? OR place % ? = 0) ORDER BY place",
              id.value(), fastest, step);
  std::vector<MeasuredConfiguration> read;
  while (query.Next()) {
    MeasuredConfiguration& record = read.emplace_back();
    ASSIGN_OR_RETURN(record.configuration, space::ConfigurationFromJson(query.Text(0)));
    record.latency_seconds = query.Real(1);
  }
  return read;
}

}  // namespace burnish::store::sql
