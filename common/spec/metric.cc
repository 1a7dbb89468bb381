#include "common/spec/metric.h"

#include <array>

#include "common/base/check.h"

namespace burnish::spec {
namespace {

struct Word {
  Metric metric;
  const char* name;
  const char* unit;
};

constexpr std::array<Word, 7> kWords = {{
    {Metric::kLatency, "latency", "s"},
    {Metric::kThroughput, "throughput", "executions/s"},
    {Metric::kEnergy, "energy", "J"},
    {Metric::kPower, "power", "W"},
    {Metric::kSustained, "sustained_latency", "s"},
    {Metric::kMemory, "memory", "bytes"},
    {Metric::kError, "error", ""},
}};

const Word& WordOf(Metric metric) {
  for (const Word& word : kWords) {
    if (word.metric == metric) return word;
  }
  CHECK(false) << "a metric without a name";
  return kWords.front();
}

}  // namespace

const char* MetricName(Metric metric) { return WordOf(metric).name; }
const char* MetricUnit(Metric metric) { return WordOf(metric).unit; }

std::optional<Metric> ParseMetric(std::string_view name) {
  for (const Word& word : kWords) {
    if (name == word.name) return word.metric;
  }
  return std::nullopt;
}

std::vector<Metric> AllMetrics() {
  std::vector<Metric> metrics;
  for (const Word& word : kWords) metrics.push_back(word.metric);
  return metrics;
}

bool MaximisedByDefault(Metric metric) { return metric == Metric::kThroughput; }

}  // namespace burnish::spec
