#include "client/cli/report.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/eta.h"
#include "client/cli/metric_text.h"
#include "client/cli/output.h"
#include "client/cli/watcher.h"
#include "common/base/numbers.h"
#include "common/wire/measurement.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

Json ValueJson(const pb::Value& value) {
  switch (value.kind_case()) {
    case pb::Value::kBoolean:
      return value.boolean();
    case pb::Value::kInteger:
      return value.integer();
    case pb::Value::kReal:
      return value.real();
    case pb::Value::kText:
      return value.text();
    default:
      return nullptr;
  }
}

Json NumberOrNull(double value) { return value > 0 ? Json(value) : Json(nullptr); }
Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json ResultJson(const pb::ConfigurationResult& result) {
  return {{"configuration", ConfigurationJson(result.configuration())},
          {"latency_seconds", NumberOrNull(result.latency_seconds())},
          {"interval_seconds", result.latency_seconds() > 0
                                   ? Json::array({result.low_seconds(), result.high_seconds()})
                                   : Json(nullptr)},
          {"metrics", MetricsJson(ValuesOf(result))},
          {"roof_share", NumberOrNull(result.roof_share())}};
}

Json BestJson(const pb::TaskSnapshot& task) {
  if (!task.has_best()) return nullptr;
  Json best = ResultJson(task.best());
  best["speedup"] = NumberOrNull(task.speedup());
  best["speedup_interval"] =
      task.speedup() > 0 ? Json::array({task.speedup_low(), task.speedup_high()}) : Json(nullptr);
  best["verified"] = task.best().verified();
  best["max_relative_error"] =
      task.best().verified() ? Json(task.best().max_relative_error()) : Json(nullptr);
  best["tie"] = Json::array();
  for (const pb::ConfigurationResult& tie : task.tie()) {
    best["tie"].push_back(ConfigurationJson(tie.configuration()));
  }
  return best;
}

Json TaskJson(const pb::TaskSnapshot& task) {
  Json history = Json::array();
  for (const pb::HistorySource& source : task.history()) {
    history.push_back({{"source", source.name()}, {"records", source.records()}});
  }
  Json outcomes = Json::object();
  for (const pb::OutcomeCount& count : task.outcomes()) {
    outcomes[OutcomeText(count.outcome())] = count.count();
  }
  Json device = nullptr;
  if (task.has_device()) {
    device = {{"device_id", task.device().device_id()},
              {"name", task.device().info().name()},
              {"backend", task.device().info().backend()},
              {"device_class", task.device().info().device_class()}};
  }
  Json json = {
      {"task_id", task.task_id()},
      {"problem", task.problem()},
      {"device", device},
      {"state", StateText(task.state())},
      {"reason", TextOrNull(task.reason())},
      {"trials", task.trials()},
      {"budget_trials", task.budget_trials()},
      {"valid", task.valid()},
      {"outcomes", outcomes},
      {"objectives", ObjectivesJson(task)},
      {"statistic", TextOrNull(task.statistic())},
      {"default", task.has_default_result() ? ResultJson(task.default_result()) : Json(nullptr)},
      {"best", BestJson(task)},
      {"seconds", task.seconds()},
      {"device_seconds", task.device_seconds()},
      {"history", history},
      {"pruned", TextOrNull(task.pruned())}};
  if (HasFront(task)) {
    json["front"] = Json::array();
    for (const pb::FrontPoint& point : task.front()) json["front"].push_back(FrontPointJson(point));
    json["hypervolume"] = task.has_hypervolume() ? Json(task.hypervolume()) : Json(nullptr);
  }
  return json;
}

Json SamplesJson(const google::protobuf::RepeatedPtrField<pb::Sample>& samples) {
  Json json = Json::array();
  for (const pb::Sample& sample : samples) {
    json.push_back({{"total_ns", sample.total_ns()}, {"launches", sample.launches()}});
  }
  return json;
}

Json ComparisonJson(const pb::Comparison& comparison) {
  Json finalists = Json::array();
  for (const pb::FinalistSamples& finalist : comparison.finalists()) {
    finalists.push_back({{"configuration", ConfigurationJson(finalist.configuration())},
                         {"outcome", OutcomeText(finalist.outcome())},
                         {"message", TextOrNull(finalist.message())},
                         {"rounds", SamplesJson(finalist.rounds())}});
  }
  return finalists;
}

std::string Speedup(double speedup, double low, double high) {
  if (speedup <= 0) return "";
  return absl::StrFormat("%.2fx (%.2f to %.2f)", speedup, low, high);
}

std::string LatencyText(const pb::ConfigurationResult& result) {
  return FormatSeconds(result.latency_seconds());
}

std::string IntervalText(const pb::ConfigurationResult& result) {
  return absl::StrCat(FormatSeconds(result.low_seconds()), " to ",
                      FormatSeconds(result.high_seconds()));
}

std::string ThroughputText(const pb::TaskSnapshot& task, const pb::ConfigurationResult& result) {
  if (task.flops() <= 0 || result.latency_seconds() <= 0) return "";
  return FormatRate(task.flops() / result.latency_seconds(), "FLOP/s");
}

std::string RoofText(const pb::ConfigurationResult& result) {
  if (result.roof_share() <= 0) return "";
  return absl::StrFormat("%.0f %%", 100 * result.roof_share());
}

std::string ResultRows(const pb::TaskSnapshot& task) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"", "latency", "95 % interval", task.flops() > 0 ? "throughput" : "",
                  task.best().roof_share() > 0 ? "of roof" : "", "vs default"});
  if (task.has_best()) {
    rows.push_back({"best", LatencyText(task.best()), IntervalText(task.best()),
                    ThroughputText(task, task.best()), RoofText(task.best()),
                    Speedup(task.speedup(), task.speedup_low(), task.speedup_high())});
  }
  for (const pb::ConfigurationResult& tie : task.tie()) {
    rows.push_back(
        {"tie", LatencyText(tie), IntervalText(tie), ThroughputText(task, tie), RoofText(tie), ""});
  }
  if (task.has_default_result()) {
    rows.push_back(
        {"default", LatencyText(task.default_result()), IntervalText(task.default_result()),
         ThroughputText(task, task.default_result()), RoofText(task.default_result()), "1.00x"});
  }
  return FormatTable(rows);
}

std::string OutcomeRows(const pb::TaskSnapshot& task) {
  std::vector<std::string> counts;
  std::vector<std::string> examples;
  for (const pb::OutcomeCount& count : task.outcomes()) {
    counts.push_back(absl::StrCat(OutcomeText(count.outcome()), " ", count.count()));
    if (!count.example().empty()) {
      const std::string first_line = count.example().substr(0, count.example().find('\n'));
      examples.push_back(absl::StrCat("  ", OutcomeText(count.outcome()), ": ", first_line));
    }
  }
  std::string text = absl::StrCat("outcomes  ", absl::StrJoin(counts, " · "), "\n");
  for (const std::string& example : examples) absl::StrAppend(&text, example, "\n");
  return text;
}

std::string CheckedRow(const pb::TaskSnapshot& task) {
  if (!task.best().verified()) {
    return "checked   not verified: the job says `reference: none`; barred from the library\n";
  }
  return absl::StrFormat("checked   against the reference, max relative error %.1e\n",
                         task.best().max_relative_error());
}

std::string HistoryRow(const pb::TaskSnapshot& task) {
  int64_t records = 0;
  for (const pb::HistorySource& source : task.history()) records += source.records();
  return absl::StrCat("history   ", records, " records of ",
                      task.history_size() == 1 ? task.history(0).name()
                                               : absl::StrCat(task.history_size(), " sources"),
                      "\n");
}

// Of what is more, or something else, than latency.
std::string ObjectiveRows(const pb::JobSnapshot& snapshot, const pb::TaskSnapshot& task) {
  const std::vector<spec::Objective> objectives = ObjectivesOf(task);
  if (objectives.size() == 1 && objectives[0].metric == spec::Metric::kLatency) return "";
  std::string text = absl::StrCat("metrics   ", ObjectiveValuesText(task, task.best()));
  if (task.has_default_result()) {
    absl::StrAppend(&text, "; default ", ObjectiveValuesText(task, task.default_result()));
  }
  absl::StrAppend(&text, "\n");
  if (!HasFront(task)) return text;
  return absl::StrCat(text, "front     ", task.front_size(), " configurations, of which the best ",
                      "is the knee: burnish pareto ", snapshot.job_id(), "\n");
}

std::string TaskTable(const pb::JobSnapshot& snapshot, const pb::TaskSnapshot& task) {
  const std::string device = task.has_device() ? task.device().info().name() : task.device_class();
  std::string text =
      absl::StrFormat("%s · %s on %s · %d trials in %.1f s · %s\n", snapshot.name(), task.task_id(),
                      device, task.trials(), task.seconds(), StateText(task.state()));
  if (!task.reason().empty()) absl::StrAppend(&text, "reason    ", task.reason(), "\n");
  if (task.has_best()) {
    absl::StrAppend(&text, ResultRows(task), "config    ",
                    ConfigurationText(task.best().configuration()), "\n",
                    ObjectiveRows(snapshot, task), CheckedRow(task));
    if (!task.statistic().empty()) {
      absl::StrAppend(&text, "latency   ", task.statistic(), " of the samples\n");
    }
  }
  if (task.outcomes_size() > 0) absl::StrAppend(&text, OutcomeRows(task));
  if (task.history_size() > 0) absl::StrAppend(&text, HistoryRow(task));
  if (!task.pruned().empty()) absl::StrAppend(&text, "pruned    ", task.pruned(), "\n");
  return text;
}

}  // namespace

nlohmann::ordered_json ConfigurationJson(const pb::Configuration& configuration) {
  nlohmann::ordered_json json = Json::object();
  for (const pb::Setting& setting : configuration.settings()) {
    json[setting.name()] = ValueJson(setting.value());
  }
  return json;
}

std::string OutcomeText(pb::Outcome outcome) {
  const auto known = wire::FromProto(outcome);
  return known.ok() ? work::OutcomeName(*known) : "unknown";
}

Json JobDocument(const pb::JobSnapshot& snapshot) {
  const std::optional<double> eta = JobEtaSeconds(snapshot);
  Json tasks = Json::array();
  for (const pb::TaskSnapshot& task : snapshot.tasks()) tasks.push_back(TaskJson(task));
  return {{"job_id", snapshot.job_id()},
          {"name", snapshot.name()},
          {"state", StateText(snapshot.state())},
          {"reason", TextOrNull(snapshot.reason())},
          {"eta_seconds", eta ? Json(*eta) : Json(nullptr)},
          {"tasks", tasks}};
}

Json ForecastJson(const pb::Forecast& forecast) {
  return {{"trials", forecast.trials()},
          {"seconds", NumberOrNull(forecast.seconds())},
          {"device_seconds", NumberOrNull(forecast.device_seconds())}};
}

Json RecordDocument(const pb::Record& record) {
  Json json = {{"attempt_id", record.attempt_id()},
               {"trial", record.has_measurement() ? Json(record.trial()) : Json(nullptr)},
               {"task_id", record.task_id()},
               {"device_id", record.device_id()},
               {"late", record.late()}};
  if (record.has_comparison()) {
    json["outcome"] = OutcomeText(record.comparison().outcome());
    json["message"] = TextOrNull(record.comparison().message());
    json["finalists"] = ComparisonJson(record.comparison());
    return json;
  }
  const pb::Measurement& measurement = record.measurement();
  json["outcome"] = OutcomeText(measurement.outcome());
  json["message"] = TextOrNull(measurement.message());
  json["configuration"] = ConfigurationJson(record.configuration());
  const pb::Latency& latency = measurement.latency();
  json["metrics"] = MetricsJson(ValuesOf(measurement));
  json["metrics"]["code_bytes"] = measurement.figures().has_code_bytes()
                                      ? Json(measurement.figures().code_bytes())
                                      : Json(nullptr);
  json["metrics"]["net_energy_joules"] = measurement.figures().has_net_energy_joules()
                                             ? Json(measurement.figures().net_energy_joules())
                                             : Json(nullptr);
  json["metrics"]["sustained_ratio"] = measurement.figures().has_sustained_ratio()
                                           ? Json(measurement.figures().sustained_ratio())
                                           : Json(nullptr);
  json["metrics"]["roof_share"] = NumberOrNull(record.roof_share());
  json["latency_interval_seconds"] =
      latency.seconds() > 0 ? Json::array({latency.low_seconds(), latency.high_seconds()})
                            : Json(nullptr);
  json["statistic"] = TextOrNull(latency.statistic());
  const pb::Correctness& correctness = measurement.correctness();
  json["verified"] = correctness.verified();
  json["max_relative_error"] =
      correctness.verified() ? Json(correctness.max_relative_error()) : Json(nullptr);
  json["compile_seconds"] = measurement.compile_seconds();
  json["run_seconds"] = measurement.run_seconds();
  json["control_seconds"] = NumberOrNull(measurement.control_seconds());
  json["samples"] = SamplesJson(measurement.samples());
  json["sample_count"] = measurement.samples_size() + record.dropped_samples();
  json["flags"] = Json::array();
  for (const std::string& flag : measurement.flags()) json["flags"].push_back(flag);
  return json;
}

std::string ConfigurationText(const pb::Configuration& configuration) {
  std::vector<std::string> settings;
  for (const pb::Setting& setting : configuration.settings()) {
    const Json value = ValueJson(setting.value());
    settings.push_back(absl::StrCat(setting.name(), "=",
                                    value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return absl::StrJoin(settings, " ");
}

std::string ResultTable(const pb::JobSnapshot& snapshot) {
  std::string text;
  for (const pb::TaskSnapshot& task : snapshot.tasks()) {
    if (!text.empty()) absl::StrAppend(&text, "\n");
    absl::StrAppend(&text, TaskTable(snapshot, task));
  }
  return text;
}

int ExitCodeOfJob(const pb::JobSnapshot& snapshot) {
  if (snapshot.state() != pb::STATE_DONE) return kExitJobFailed;
  for (const pb::TaskSnapshot& task : snapshot.tasks()) {
    if (!task.has_best() || !task.best().verified()) return kExitJobFailed;
  }
  return kExitDone;
}

}  // namespace burnish::cli
