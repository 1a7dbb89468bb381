// What a measurement says of a candidate, as job files name it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace burnish::spec {

enum class Metric {
  kLatency,     // s, the ranking statistic of one execution
  kThroughput,  // executions/s
  kEnergy,      // J per execution
  kPower,       // W
  kSustained,   // s, the ranking statistic at the end of a minute of executions
  kMemory,      // bytes of workspace and temporary buffers
  kError,       // the largest relative error against the reference
};

const char* MetricName(Metric metric);  // "latency"
const char* MetricUnit(Metric metric);  // "s"; empty for the error, which has none
std::optional<Metric> ParseMetric(std::string_view name);
std::vector<Metric> AllMetrics();
// Throughput is the one metric of which more is better.
bool MaximisedByDefault(Metric metric);

struct Objective {
  Metric metric = Metric::kLatency;
  bool maximise = false;

  bool operator==(const Objective&) const = default;
};

}  // namespace burnish::spec
