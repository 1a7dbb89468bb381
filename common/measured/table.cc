#include "common/measured/table.h"

#include <utility>

#include "common/base/status_macros.h"

namespace burnish::measured {

absl::StatusOr<Table> Table::Create(MeasuredSpace measured) {
  std::vector<std::vector<uint32_t>> configurations;
  configurations.reserve(measured.records.size());
  for (const Record& record : measured.records) configurations.push_back(record.values);
  ASSIGN_OR_RETURN(space::SearchSpace space,
                   space::SearchSpace::Listed(measured.parameters, configurations));
  return Table(std::move(measured), std::move(space));
}

Table::Table(MeasuredSpace measured, space::SearchSpace space)
    : measured_(std::move(measured)), space_(std::move(space)), record_of_(space_.size()) {
  const space::RowLayout& layout = space_.layout();
  for (size_t i = 0; i < measured_.records.size(); ++i) {
    const Record& record = measured_.records[i];
    space::Row row(layout.words(), 0);
    for (size_t p = 0; p < record.values.size(); ++p) layout.Set(row.data(), p, record.values[p]);
    record_of_[*space_.IndexOfRow(row.data())] = static_cast<uint32_t>(i);
    if (record.outcome != work::Outcome::kOk) continue;
    if (!optimum_seconds_ || record.latency_seconds < *optimum_seconds_) {
      optimum_seconds_ = record.latency_seconds;
    }
  }
}

}  // namespace burnish::measured
