#include "client/cli/record_table.h"

#include "common/wire/configuration.h"

namespace burnish::cli {

v1::RecordTable RecordTableOf(const measured::MeasuredSpace& measured) {
  v1::RecordTable table;
  for (const space::Parameter& parameter : measured.parameters) {
    v1::RecordParameter& added = *table.add_parameters();
    added.set_name(parameter.name);
    for (const expr::Value& value : parameter.values) *added.add_values() = wire::ToProto(value);
  }
  for (const measured::Record& record : measured.records) {
    if (record.outcome == work::Outcome::kInfrastructure) continue;
    table.mutable_value_indices()->Add(record.values.begin(), record.values.end());
    table.add_latency_seconds(record.outcome == work::Outcome::kOk ? record.latency_seconds : 0);
  }
  return table;
}

}  // namespace burnish::cli
