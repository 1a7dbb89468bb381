// Statements on imported records. Each runs inside the caller's transaction and may throw Failure.
#pragma once

#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

absl::StatusOr<ImportResult> StoreImport(Connection& connection, absl::Time now,
                                         const Namespace& owner, const NewImport& import);
std::vector<Import> Imports(Connection& connection, const Namespace& owner);
// NotFound for a set of another namespace too.
absl::Status RemoveImport(Connection& connection, const Namespace& owner, ImportId id);
// None of a set that is not there (any more).
absl::StatusOr<std::vector<MeasuredConfiguration>> ImportedRecords(Connection& connection,
                                                                   const Namespace& owner,
                                                                   ImportId id, int limit);

}  // namespace burnish::store::sql
