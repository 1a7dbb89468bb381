#include "client/cli/metric_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/report.h"
#include "common/base/numbers.h"
#include "common/wire/measurement.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<spec::Metric, const char*> kKeys[] = {
    {spec::Metric::kLatency, "latency_seconds"},
    {spec::Metric::kThroughput, "throughput_per_second"},
    {spec::Metric::kEnergy, "energy_joules"},
    {spec::Metric::kPower, "power_watts"},
    {spec::Metric::kSustained, "sustained_latency_seconds"},
    {spec::Metric::kMemory, "memory_bytes"},
    {spec::Metric::kError, "error"}};

work::MetricValues ValuesOf(double seconds, bool verified, double error,
                            const pb::Figures& figures) {
  if (!(seconds > 0)) return {};
  const auto known = wire::FromProto(figures);
  return work::ValuesOf({.seconds = seconds}, {.verified = verified, .max_relative_error = error},
                        known.ok() ? *known : work::Figures());
}

}  // namespace

std::string MetricText(spec::Metric metric, double value) {
  switch (metric) {
    case spec::Metric::kLatency:
    case spec::Metric::kSustained:
      return FormatSeconds(value);
    case spec::Metric::kThroughput:
      return FormatFigure(value, "/s");
    case spec::Metric::kEnergy:
    case spec::Metric::kPower:
      return FormatFigure(value, spec::MetricUnit(metric));
    case spec::Metric::kMemory:
      return value < 10'000 ? absl::StrFormat("%.0f B", value) : FormatFigure(value, "B");
    case spec::Metric::kError:
      return absl::StrFormat("%.1e", value);
  }
  return "";
}

Json MetricsJson(const work::MetricValues& values) {
  Json json = Json::object();
  for (const auto& [metric, key] : kKeys) {
    const auto value = values.find(metric);
    json[key] = value == values.end() ? Json(nullptr) : Json(value->second);
  }
  return json;
}

work::MetricValues ValuesOf(const pb::ConfigurationResult& result) {
  return ValuesOf(result.latency_seconds(), result.verified(), result.max_relative_error(),
                  result.figures());
}

work::MetricValues ValuesOf(const pb::Measurement& measurement) {
  return ValuesOf(measurement.latency().seconds(), measurement.correctness().verified(),
                  measurement.correctness().max_relative_error(), measurement.figures());
}

std::vector<spec::Objective> ObjectivesOf(const pb::TaskSnapshot& task) {
  std::vector<spec::Objective> objectives;
  for (const pb::Objective& one : task.objectives()) {
    const auto metric = spec::ParseMetric(one.metric());
    if (metric) objectives.push_back({.metric = *metric, .maximise = one.maximise()});
  }
  if (objectives.empty()) objectives.emplace_back();
  return objectives;
}

Json ObjectivesJson(const pb::TaskSnapshot& task) {
  Json json = Json::array();
  for (const spec::Objective& one : ObjectivesOf(task)) {
    json.push_back({{"metric", spec::MetricName(one.metric)},
                    {"direction", one.maximise ? "maximize" : "minimize"}});
  }
  return json;
}

bool HasFront(const pb::TaskSnapshot& task) { return ObjectivesOf(task).size() > 1; }

Json FrontPointJson(const pb::FrontPoint& point) {
  return {{"configuration", ConfigurationJson(point.result().configuration())},
          {"metrics", MetricsJson(ValuesOf(point.result()))},
          {"trial", point.result().trial()},
          {"verified", point.result().verified()},
          {"knee", point.knee()}};
}

FirstObjective FirstObjectiveOf(const pb::TaskSnapshot& task) {
  const spec::Objective objective = ObjectivesOf(task).front();
  FirstObjective first{.metric = objective.metric};
  const auto value_of = [&](const pb::ConfigurationResult& result) -> std::optional<double> {
    const work::MetricValues values = ValuesOf(result);
    const auto value = values.find(objective.metric);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  };
  first.best = value_of(task.front_size() > 0 ? task.front(0).result() : task.best());
  const std::optional<double> before = value_of(task.default_result());
  if (first.best && before && *first.best > 0 && *before > 0) {
    first.gain = objective.maximise ? *first.best / *before : *before / *first.best;
  }
  return first;
}

std::string ObjectiveValuesText(const pb::TaskSnapshot& task,
                                const pb::ConfigurationResult& result) {
  const work::MetricValues values = ValuesOf(result);
  std::vector<std::string> texts;
  for (const spec::Objective& objective : ObjectivesOf(task)) {
    const auto value = values.find(objective.metric);
    texts.push_back(value == values.end() ? "unknown"
                                          : MetricText(objective.metric, value->second));
  }
  return absl::StrJoin(texts, "  ");
}

}  // namespace burnish::cli
