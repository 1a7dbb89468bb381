// Metrics of jobs and measurements, for people and for scripts. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/cli/connection.h"
#include "common/spec/metric.h"
#include "common/work/objectives.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {

// "1.234 ms", "20.10 mJ", "4096 B".
std::string MetricText(spec::Metric metric, double value);
// {"latency_seconds": …}: all metrics; null: not known.
nlohmann::ordered_json MetricsJson(const work::MetricValues& values);

work::MetricValues ValuesOf(const pb::ConfigurationResult& result);
work::MetricValues ValuesOf(const pb::Measurement& measurement);

// Of a server that does not say any: latency.
std::vector<spec::Objective> ObjectivesOf(const pb::TaskSnapshot& task);
nlohmann::ordered_json ObjectivesJson(const pb::TaskSnapshot& task);
bool HasFront(const pb::TaskSnapshot& task);  // of several objectives
nlohmann::ordered_json FrontPointJson(const pb::FrontPoint& point);

// What the best so far has of the first objective, and the default; with several objectives it is
// the end of the front.
struct FirstObjective {
  spec::Metric metric = spec::Metric::kLatency;
  std::optional<double> best;
  double gain = 0;  // over the default, above 1 if better; 0 unknown
};
FirstObjective FirstObjectiveOf(const pb::TaskSnapshot& task);

// "1.234 ms  20.10 mJ": the objectives' values of a result.
std::string ObjectiveValuesText(const pb::TaskSnapshot& task,
                                const pb::ConfigurationResult& result);

}  // namespace burnish::cli
