#include "client/cli/diff.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/export_document.h"
#include "client/cli/output.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSameWithin = 0.01;

// One task of an export.
struct Side {
  std::string name;
  std::string device_class;
  std::string device;
  Json default_configuration;
  Json best_configuration;  // null: there is none
  Estimate best;
  struct Measured {
    Json configuration;
    Estimate estimate;
    std::map<std::string, std::string> environment;
  };
  std::map<std::string, Measured> measured;  // by KeyOf the configuration; ok ones
};

// The same for configurations whose parameters stand in another order.
std::string KeyOf(const Json& configuration) { return nlohmann::json(configuration).dump(); }

Estimate EstimateOf(const Json& seconds, const Json& interval) {
  return {seconds.get<double>(), interval.at(0).get<double>(), interval.at(1).get<double>()};
}

std::string TextOr(const Json& value, const std::string& fallback) {
  return value.is_string() ? value.get<std::string>() : fallback;
}

// Throws nlohmann's exceptions on a document of another shape.
Side ReadSide(const Json& document, const Json& task, const std::string& name) {
  Side side{.name = name};
  if (task.at("device").is_object()) {
    side.device_class = TextOr(task.at("device").at("device_class"), "");
    side.device = TextOr(task.at("device").at("name"), "");
  }
  if (task.at("default").is_object()) {
    side.default_configuration = task.at("default").at("configuration");
  }
  const Json& best = task.at("best");
  if (best.is_object() && best.at("latency_seconds").is_number()) {
    side.best_configuration = best.at("configuration");
    side.best = EstimateOf(best.at("latency_seconds"), best.at("interval_seconds"));
  }
  for (const Json& record : document.at("records")) {
    const Json& seconds = record.at("metrics").at("latency_seconds");
    if (record.at("task_id") != task.at("task_id") || record.at("outcome") != "ok" ||
        record.at("late") == true || !seconds.is_number()) {
      continue;
    }
    const Json& environment =
        document.at("environments").at(record.at("environment").get<size_t>());
    side.measured[KeyOf(record.at("configuration"))] = {
        record.at("configuration"), EstimateOf(seconds, record.at("latency_interval_seconds")),
        environment.get<std::map<std::string, std::string>>()};
  }
  return side;
}

absl::StatusOr<std::vector<Side>> ReadSides(const Json& document, const std::string& name) {
  try {
    if (document.at("schema") == kRecordsSchema) {
      std::vector<Side> sides;
      for (const Json& task : document.at("job").at("tasks")) {
        sides.push_back(ReadSide(document, task, name));
      }
      return sides;
    }
  } catch (const nlohmann::json::exception&) {
    // Falls through to the one message for whatever is not an export.
  }
  return InvalidInput(absl::StrCat(name, " is no export of a job"),
                      "write one: burnish export JOB --format json -o FILE");
}

Json ComparisonJson(const Estimate& a, const Estimate& b) {
  const RatioVerdict verdict = Compare(a, b);
  const auto estimate = [](const Estimate& one) {
    return Json(
        {{"latency_seconds", one.seconds}, {"interval_seconds", Json::array({one.low, one.high})}});
  };
  return {{"a", estimate(a)},
          {"b", estimate(b)},
          {"ratio", verdict.ratio},
          {"ratio_interval", Json::array({verdict.low, verdict.high})},
          {"verdict", verdict.verdict}};
}

// What has another value, or stands on one side only; {name: [a, b]}.
Json Changed(const Json& a, const Json& b) {
  Json changed = Json::object();
  for (const auto& [name, value] : a.items()) {
    const Json other = b.contains(name) ? b.at(name) : Json(nullptr);
    if (value != other) changed[name] = Json::array({value, other});
  }
  for (const auto& [name, value] : b.items()) {
    if (!a.contains(name)) changed[name] = Json::array({nullptr, value});
  }
  return changed;
}

// As it was when the best was measured, with the device.
Json EnvironmentOf(const Side& side) {
  Json environment = {{"device", side.device}, {"device_class", side.device_class}};
  const auto best = side.measured.find(KeyOf(side.best_configuration));
  const auto measured = best != side.measured.end() ? best : side.measured.begin();
  if (measured == side.measured.end()) return environment;
  for (const auto& [name, value] : measured->second.environment) environment[name] = value;
  return environment;
}

// The configurations that people ask for, where both sides measured them.
Json SameConfigurations(const Side& a, const Side& b) {
  const std::pair<std::string, const Json*> asked[] = {
      {absl::StrCat("best of ", a.name), &a.best_configuration},
      {absl::StrCat("best of ", b.name), &b.best_configuration},
      {"default", &a.default_configuration}};
  std::set<std::string> seen;
  Json same = Json::array();
  for (const auto& [what, configuration] : asked) {
    const std::string key = KeyOf(*configuration);
    const auto in_a = a.measured.find(key);
    const auto in_b = b.measured.find(key);
    if (in_a == a.measured.end() || in_b == b.measured.end() || !seen.insert(key).second) continue;
    Json entry = {{"what", what}, {"configuration", *configuration}};
    entry.update(ComparisonJson(in_a->second.estimate, in_b->second.estimate));
    same.push_back(std::move(entry));
  }
  return same;
}

Json SharedJson(const Side& a, const Side& b) {
  int64_t count = 0;
  double logarithms = 0;
  for (const auto& [key, measured] : a.measured) {
    const auto other = b.measured.find(key);
    if (other == b.measured.end()) continue;
    ++count;
    logarithms += std::log(other->second.estimate.seconds / measured.estimate.seconds);
  }
  Json mean = nullptr;
  if (count > 0) mean = std::exp(logarithms / static_cast<double>(count));
  return {{"configurations", count}, {"mean_ratio", mean}};
}

Json DiffSides(const Side& a, const Side& b) {
  const bool both = a.best_configuration.is_object() && b.best_configuration.is_object();
  return {
      {"device_class", b.device_class},
      {"best", both ? ComparisonJson(a.best, b.best) : Json(nullptr)},
      {"same", SameConfigurations(a, b)},
      {"shared", SharedJson(a, b)},
      {"parameters", both ? Changed(a.best_configuration, b.best_configuration) : Json::object()},
      {"environment", Changed(EnvironmentOf(a), EnvironmentOf(b))}};
}

std::string EstimateText(const Json& estimate) {
  return absl::StrCat(FormatSeconds(estimate["latency_seconds"]), " (",
                      FormatSeconds(estimate["interval_seconds"][0]), " to ",
                      FormatSeconds(estimate["interval_seconds"][1]), ")");
}

std::vector<std::string> RowOf(const std::string& what, const Json& comparison) {
  return {what, EstimateText(comparison["a"]), EstimateText(comparison["b"]),
          absl::StrFormat("%.3f (%.3f to %.3f)", comparison["ratio"].get<double>(),
                          comparison["ratio_interval"][0].get<double>(),
                          comparison["ratio_interval"][1].get<double>()),
          comparison["verdict"]};
}

std::string ValueText(const Json& value) {
  if (value.is_null()) return "none";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string ChangedText(const char* what, const Json& changed) {
  std::vector<std::string> entries;
  for (const auto& [name, values] : changed.items()) {
    entries.push_back(absl::StrCat(name, " ", ValueText(values[0]), " -> ", ValueText(values[1])));
  }
  return absl::StrCat(what, entries.empty() ? "unchanged" : absl::StrJoin(entries, " · "), "\n");
}

}  // namespace

RatioVerdict Compare(const Estimate& a, const Estimate& b) {
  const double difference = std::log(b.seconds / a.seconds);
  const double below = std::hypot(std::log(b.seconds / b.low), std::log(a.high / a.seconds));
  const double above = std::hypot(std::log(b.high / b.seconds), std::log(a.seconds / a.low));
  RatioVerdict verdict{.ratio = b.seconds / a.seconds,
                       .low = std::exp(difference - below),
                       .high = std::exp(difference + above),
                       .verdict = "uncertain"};
  if (verdict.low >= 1 - kSameWithin && verdict.high <= 1 + kSameWithin) {
    verdict.verdict = "same";
  } else if (verdict.high < 1) {
    verdict.verdict = "faster";
  } else if (verdict.low > 1) {
    verdict.verdict = "slower";
  }
  return verdict;
}

absl::StatusOr<Json> DiffDocuments(const Json& a, const std::string& a_name, const Json& b,
                                   const std::string& b_name) {
  ASSIGN_OR_RETURN(const std::vector<Side> a_sides, ReadSides(a, a_name));
  ASSIGN_OR_RETURN(const std::vector<Side> b_sides, ReadSides(b, b_name));
  const bool one_each = a_sides.size() == 1 && b_sides.size() == 1;
  Json tasks = Json::array();
  for (const Side& a_side : a_sides) {
    for (const Side& b_side : b_sides) {
      if (one_each || a_side.device_class == b_side.device_class) {
        tasks.push_back(DiffSides(a_side, b_side));
      }
    }
  }
  if (tasks.empty()) {
    return InvalidInput(absl::StrCat(a_name, " and ", b_name, " have no device class in common"));
  }
  return Json({{"schema", "burnish.diff/1"}, {"a", a_name}, {"b", b_name}, {"tasks", tasks}});
}

std::string DiffText(const Json& diff) {
  std::string text;
  for (const Json& task : diff["tasks"]) {
    std::vector<std::vector<std::string>> rows = {
        {"", ValueText(diff["a"]), ValueText(diff["b"]), "ratio", "verdict"}};
    if (task["best"].is_object()) {
      rows.push_back(RowOf("best", task["best"]));
    } else {
      rows.push_back({"best", "one side has no result"});
    }
    for (const Json& same : task["same"]) {
      rows.push_back(RowOf(absl::StrCat("same: ", ValueText(same["what"])), same));
    }
    absl::StrAppend(&text, text.empty() ? "" : "\n", FormatTable(rows));
    if (task["shared"]["mean_ratio"].is_number()) {
      absl::StrAppendFormat(&text, "shared       %d configurations, mean ratio %.3f\n",
                            task["shared"]["configurations"].get<int64_t>(),
                            task["shared"]["mean_ratio"].get<double>());
    }
    absl::StrAppend(&text, ChangedText("parameters   ", task["parameters"]),
                    ChangedText("environment  ", task["environment"]));
  }
  return text;
}

bool IsSlowerBeyond(const Json& diff, double share) {
  for (const Json& task : diff["tasks"]) {
    const Json& best = task["best"];
    if (best.is_null() || (best["ratio"] > 1 + share && best["ratio_interval"][0] > 1)) return true;
  }
  return false;
}

}  // namespace burnish::cli
