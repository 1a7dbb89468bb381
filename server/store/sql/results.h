// Statements that store reports and read them back. Each runs inside the caller's transaction and
// may throw Failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

std::vector<absl::StatusOr<work::ReportResult>> StoreReports(
    Connection& connection, absl::Time now, const std::vector<SessionReport>& reports);
absl::StatusOr<std::vector<ResultRow>> Results(Connection& connection, const Namespace& owner,
                                               JobId id, std::string_view kind, int64_t after,
                                               int limit);
absl::StatusOr<std::optional<work::Comparison>> ComparisonResult(Connection& connection,
                                                                 const Namespace& owner,
                                                                 const TaskId& id);

}  // namespace burnish::store::sql
