// A task's history as the JSON text of its columns: the only place that knows its form. Reading
// gives DataLoss for a text that this program did not write. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/history.h"

namespace burnish::store::sql {

std::string EncodeHistory(const std::vector<HistorySource>& sources);
absl::StatusOr<std::vector<HistorySource>> DecodeHistory(const std::string& text);

std::string EncodeHistorySummary(const std::vector<HistorySource>& sources);
absl::StatusOr<std::vector<HistorySummary>> DecodeHistorySummary(const std::string& text);

}  // namespace burnish::store::sql
