#include "client/cli/pareto.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "common/base/diagnostic.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

std::vector<std::string> MetricNames() {
  std::vector<std::string> names;
  for (const spec::Metric metric : spec::AllMetrics()) names.emplace_back(spec::MetricName(metric));
  return names;
}

absl::Status WhereError(std::string message, std::string hint) {
  return DiagnosticStatus(
      absl::StatusCode::kInvalidArgument,
      {.path = "--where", .message = std::move(message), .hint = std::move(hint)});
}

// The objectives, then what else is known of some point; throughput only if it is an objective.
std::vector<spec::Metric> ColumnsOf(const pb::TaskSnapshot& task) {
  std::vector<spec::Metric> columns;
  for (const spec::Objective& one : ObjectivesOf(task)) columns.push_back(one.metric);
  for (const spec::Metric metric : spec::AllMetrics()) {
    if (metric == spec::Metric::kThroughput || std::ranges::count(columns, metric) > 0) continue;
    const bool known = std::ranges::any_of(task.front(), [&](const pb::FrontPoint& point) {
      return ValuesOf(point.result()).contains(metric);
    });
    if (known) columns.push_back(metric);
  }
  return columns;
}

Row RowOf(std::string name, const pb::ConfigurationResult& result,
          const std::vector<spec::Metric>& columns) {
  const work::MetricValues values = ValuesOf(result);
  Row row = {std::move(name)};
  for (const spec::Metric metric : columns) {
    const auto value = values.find(metric);
    row.push_back(value == values.end() ? "" : MetricText(metric, value->second));
  }
  row.push_back(ConfigurationText(result.configuration()));
  return row;
}

// "fastest with power <= 15", "least energy".
std::string ChoiceText(const spec::Objective& by, const std::string& where) {
  std::string text =
      by.metric == spec::Metric::kLatency && !by.maximise
          ? "fastest"
          : absl::StrCat(by.maximise ? "most " : "least ", spec::MetricName(by.metric));
  if (!where.empty()) absl::StrAppend(&text, " with ", where);
  return text;
}

std::string HypervolumeText(const pb::TaskSnapshot& task) {
  if (!task.has_hypervolume()) {
    return "hypervolume  unknown: the default has no figures, or none above 0\n";
  }
  return absl::StrFormat("hypervolume  %.3f of the box between zero and the default\n",
                         task.hypervolume());
}

}  // namespace

absl::Status CheckWhere(const std::string& where) {
  if (where.empty()) return absl::OkStatus();
  const auto limit = expr::Expression::Parse(where);
  if (!limit.ok()) {
    const Diagnostic fault = DiagnosticOf(limit.status()).value_or(Diagnostic{});
    return WhereError(fault.message, fault.hint);
  }
  for (const std::string& name : limit->names()) {
    if (spec::ParseMetric(name)) continue;
    return WhereError(absl::StrCat("unknown metric '", name, "'"), NameHint(name, MetricNames()));
  }
  const std::vector<expr::Value> sample(limit->names().size(), 0.73681);
  const auto value = limit->Evaluate(sample);
  if (!value.ok()) {
    const Diagnostic fault = DiagnosticOf(value.status()).value_or(Diagnostic{});
    return WhereError(fault.message, fault.hint);
  }
  if (limit->names().empty() || !std::holds_alternative<bool>(*value)) {
    return WhereError("must be a condition over metrics", "such as \"power <= 15\"");
  }
  return absl::OkStatus();
}

spec::Objective ChosenBy(const pb::TaskSnapshot& task, const ParetoQuestion& question) {
  const std::vector<spec::Objective> objectives = ObjectivesOf(task);
  const spec::Metric wanted = question.by.value_or(spec::Metric::kLatency);
  for (const spec::Objective& one : objectives) {
    if (one.metric == wanted) return one;
  }
  if (!question.by) return objectives.front();
  return {.metric = wanted, .maximise = spec::MaximisedByDefault(wanted)};
}

const pb::FrontPoint* ChoosePoint(const pb::TaskSnapshot& task, const ParetoQuestion& question) {
  const spec::Objective by = ChosenBy(task, question);
  const auto best = std::ranges::min_element(task.front(), {}, [&](const pb::FrontPoint& point) {
    return work::CostOf(by, ValuesOf(point.result()));
  });
  return best == task.front().end() ? nullptr : &*best;
}

Json ParetoDocument(const pb::TaskSnapshot& task, const ParetoQuestion& question) {
  const pb::FrontPoint* const chosen = ChoosePoint(task, question);
  Json front = Json::array();
  for (const pb::FrontPoint& point : task.front()) front.push_back(FrontPointJson(point));
  Json before = nullptr;
  if (task.has_default_result()) {
    before = {{"configuration", ConfigurationJson(task.default_result().configuration())},
              {"metrics", MetricsJson(ValuesOf(task.default_result()))}};
  }
  return {{"task_id", task.task_id()},
          {"device_class", task.device_class()},
          {"objectives", ObjectivesJson(task)},
          {"where", question.where.empty() ? Json(nullptr) : Json(question.where)},
          {"by", spec::MetricName(ChosenBy(task, question).metric)},
          {"chosen", chosen != nullptr ? FrontPointJson(*chosen) : Json(nullptr)},
          {"front", front},
          {"default", before},
          {"hypervolume", task.has_hypervolume() ? Json(task.hypervolume()) : Json(nullptr)}};
}

std::string ParetoText(const pb::JobSnapshot& job, const pb::TaskSnapshot& task,
                       const ParetoQuestion& question) {
  std::string text =
      absl::StrFormat("%s · %s on %s · front of %d out of %d trials\n", job.name(), task.task_id(),
                      task.device_class(), task.front_size(), task.trials());
  const pb::FrontPoint* const chosen = ChoosePoint(task, question);
  if (chosen == nullptr) {
    return absl::StrCat(text, question.where.empty()
                                  ? "no trial may be the best yet\n"
                                  : absl::StrCat("no trial is within ", question.where, "\n"));
  }
  const std::vector<spec::Metric> columns = ColumnsOf(task);
  std::vector<Row> rows = {{""}};
  for (const spec::Metric metric : columns) rows[0].emplace_back(spec::MetricName(metric));
  rows[0].emplace_back("configuration");
  rows.push_back(
      RowOf(ChoiceText(ChosenBy(task, question), question.where), chosen->result(), columns));
  for (const pb::FrontPoint& point : task.front()) {
    rows.push_back(RowOf(point.knee() ? "knee" : "front", point.result(), columns));
  }
  if (task.has_default_result()) {
    rows.push_back(RowOf("default", task.default_result(), columns));
  }
  return absl::StrCat(text, FormatTable(rows), HypervolumeText(task));
}

}  // namespace burnish::cli
