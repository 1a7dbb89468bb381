#include "common/work/objectives.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "nlohmann/json.hpp"

namespace burnish::work {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kUnknown = std::numeric_limits<double>::infinity();

double Cost(const spec::Objective& objective, double value) {
  return objective.maximise ? 1 / value : value;  // infinite of 0
}

absl::Status Unreadable(const std::string& text) {
  return absl::DataLossError(absl::StrCat("these are no goals of a task: ", text));
}

// The constants are filled in.
absl::StatusOr<expr::Expression> ReadLimit(const Json& json) {
  auto limit = expr::Expression::Parse(json.at("text").get<std::string>());
  if (!limit.ok()) return limit.status();
  std::map<std::string, expr::Value, std::less<>> constants;
  for (const auto& [name, written] : json.at("constants").items()) {
    const auto value = expr::Expression::Parse(written.get<std::string>());
    if (!value.ok()) return value.status();
    const auto constant = value->Constant();
    if (!constant || !constant->ok()) return Unreadable(json.dump());
    constants.emplace(name, **constant);
  }
  return limit->Substitute([&](std::string_view name) -> std::optional<expr::Value> {
    const auto found = constants.find(name);
    return found == constants.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace

MetricValues ValuesOf(const Latency& latency, const Correctness& correctness,
                      const Figures& figures) {
  MetricValues values = {{spec::Metric::kLatency, latency.seconds},
                         {spec::Metric::kThroughput, 1 / latency.seconds}};
  if (figures.energy_joules) values[spec::Metric::kEnergy] = *figures.energy_joules;
  if (figures.sustained_seconds) values[spec::Metric::kSustained] = *figures.sustained_seconds;
  if (figures.power_watts) values[spec::Metric::kPower] = *figures.power_watts;
  if (figures.memory_bytes) values[spec::Metric::kMemory] = *figures.memory_bytes;
  if (correctness.verified) values[spec::Metric::kError] = correctness.max_relative_error;
  return values;
}

bool Holds(const expr::Expression& limit, const MetricValues& values) {
  std::vector<expr::Value> bound;
  for (const std::string& name : limit.names()) {
    const std::optional<spec::Metric> metric = spec::ParseMetric(name);
    if (!metric || !values.contains(*metric)) return false;
    bound.emplace_back(values.at(*metric));
  }
  return limit.Test(bound).value_or(false);
}

double CostOf(const spec::Objective& objective, const MetricValues& values) {
  const auto value = values.find(objective.metric);
  return value == values.end() ? kUnknown : Cost(objective, value->second);
}

stats::Measured MeasuredCostOf(const spec::Objective& objective, const MetricValues& values,
                               const stats::Interval& latency) {
  const double cost = CostOf(objective, values);
  double low = cost;
  double high = cost;
  if (objective.metric == spec::Metric::kLatency) {
    low = Cost(objective, latency.low);
    high = Cost(objective, latency.high);
  } else if (objective.metric == spec::Metric::kThroughput) {
    low = Cost(objective, 1 / latency.low);
    high = Cost(objective, 1 / latency.high);
  }
  return {.value = cost, .interval = {.low = std::min(low, high), .high = std::max(low, high)}};
}

bool Goals::by_speed() const {
  if (several()) return false;
  const spec::Objective& only = objectives.front();
  return (only.metric == spec::Metric::kLatency && !only.maximise) ||
         (only.metric == spec::Metric::kThroughput && only.maximise);
}

bool Goals::Within(const MetricValues& values) const {
  return std::ranges::all_of(limits,
                             [&](const expr::Expression& limit) { return Holds(limit, values); });
}

std::string GoalsText(const spec::JobSpec& spec) {
  Json objectives = Json::array();
  for (const spec::Objective& objective : spec.objectives) {
    objectives.push_back(
        {{"metric", spec::MetricName(objective.metric)}, {"maximise", objective.maximise}});
  }
  Json limits = Json::array();
  for (const expr::Expression& limit : spec.limits) {
    Json constants = Json::object();
    for (const auto& [name, value] : spec.constants) {
      // A metric's name means the metric.
      if (spec::ParseMetric(name) || std::ranges::count(limit.names(), name) == 0) continue;
      constants[name] = expr::FormatValue(value);
    }
    limits.push_back({{"text", limit.text()}, {"constants", constants}});
  }
  return Json{{"objectives", objectives}, {"limits", limits}}.dump(-1, ' ', false,
                                                                   Json::error_handler_t::replace);
}

bool Goals::Name(spec::Metric metric) const {
  return std::ranges::count(objectives, metric, &spec::Objective::metric) > 0 ||
         std::ranges::any_of(limits, [&](const expr::Expression& limit) {
           return std::ranges::count(limit.names(), spec::MetricName(metric)) > 0;
         });
}

bool AsksForCostly(const spec::JobSpec& spec) {
  const Goals goals = {spec.objectives, spec.limits};
  return goals.Name(spec::Metric::kEnergy) || goals.Name(spec::Metric::kPower) ||
         goals.Name(spec::Metric::kSustained);
}

absl::StatusOr<Goals> ReadGoals(const std::string& text) {
  Goals goals;
  if (text.empty()) return goals;
  try {
    const Json json = Json::parse(text);
    goals.objectives.clear();
    for (const Json& objective : json.at("objectives")) {
      const auto metric = spec::ParseMetric(objective.at("metric").get<std::string>());
      if (!metric) return Unreadable(text);
      goals.objectives.push_back(
          {.metric = *metric, .maximise = objective.at("maximise").get<bool>()});
    }
    for (const Json& limit : json.at("limits")) {
      auto expression = ReadLimit(limit);
      if (!expression.ok()) return expression.status();
      goals.limits.push_back(*std::move(expression));
    }
  } catch (const Json::exception&) {
    return Unreadable(text);
  }
  if (goals.objectives.empty()) return Unreadable(text);
  return goals;
}

}  // namespace burnish::work
