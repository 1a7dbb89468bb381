#include "client/cli/listing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/metric_text.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "client/cli/watcher.h"
#include "common/base/numbers.h"
#include "common/wire/configuration.h"

namespace burnish::cli {
namespace {

using Shown = Column::Shown;

std::string AgeText(absl::Duration age) {
  if (age < absl::Minutes(2)) return absl::StrFormat("%.0f s", absl::ToDoubleSeconds(age));
  if (age < absl::Hours(2)) return absl::StrFormat("%.0f min", absl::ToDoubleMinutes(age));
  if (age < absl::Hours(48)) return absl::StrFormat("%.0f h", absl::ToDoubleHours(age));
  return absl::StrFormat("%.0f d", absl::ToDoubleHours(age) / 24);
}

Cell Seconds(double seconds) {
  return seconds > 0 ? Cell(seconds, FormatSeconds(seconds)) : Cell();
}
Cell Ratio(double ratio) {
  return ratio > 0 ? Cell(ratio, absl::StrFormat("%.2fx", ratio)) : Cell();
}

std::vector<Cell> JobRow(const pb::JobSnapshot& job, const pb::TaskSnapshot& task,
                         absl::Duration age) {
  return {job.tasks_size() == 1 ? job.job_id() : task.task_id(),
          job.name(),
          StateText(task.state() == pb::STATE_UNSPECIFIED ? job.state() : task.state()),
          Cell(task.trials(), absl::StrCat(task.trials(), "/", task.budget_trials())),
          task.budget_trials(),
          task.valid(),
          Seconds(task.best().latency_seconds()),
          Ratio(task.speedup()),
          Cell(absl::ToDoubleSeconds(age), AgeText(age)),
          task.device().device_id(),
          task.device_class(),
          task.reason().empty() ? job.reason() : task.reason()};
}

// Names in order of first use.
std::vector<std::string> ParameterNames(const std::vector<pb::Record>& records) {
  std::vector<std::string> names;
  for (const pb::Record& record : records) {
    for (const pb::Setting& setting : record.configuration().settings()) {
      if (std::ranges::find(names, setting.name()) == names.end()) names.push_back(setting.name());
    }
  }
  return names;
}

Cell SettingOf(const pb::Record& record, const std::string& name) {
  for (const pb::Setting& setting : record.configuration().settings()) {
    if (setting.name() != name) continue;
    const auto value = wire::FromProto(setting.value());
    return value.ok() ? Cell(*value, expr::FormatBare(*value)) : Cell();
  }
  return {};
}

std::string SamplesText(const pb::Record& record) {
  if (record.dropped_samples() > 0) return absl::StrCat(record.dropped_samples(), " dropped");
  return absl::StrJoin(record.measurement().samples(), " ",
                       [](std::string* out, const pb::Sample& sample) {
                         absl::StrAppend(out, sample.total_ns(), "/", sample.launches());
                       });
}

Cell MetricCell(const work::MetricValues& values, spec::Metric metric) {
  const auto value = values.find(metric);
  return value == values.end() ? Cell() : Cell(value->second, MetricText(metric, value->second));
}

// In the order of `columns` of RecordTable, parameters left out.
std::vector<Cell> FixedCells(const pb::Record& record) {
  const pb::Measurement& measured = record.measurement();
  const pb::Latency& latency = measured.latency();
  const bool checked = record.has_measurement() && measured.correctness().verified();
  const work::MetricValues values = ValuesOf(measured);
  return {
      record.task_id(),
      record.has_measurement() ? Cell(record.trial()) : Cell(),
      OutcomeText(record.has_measurement() ? measured.outcome() : record.comparison().outcome()),
      Seconds(latency.seconds()),
      Seconds(latency.low_seconds()),
      Seconds(latency.high_seconds()),
      latency.statistic(),
      record.has_measurement() ? Cell(checked) : Cell(),
      checked ? Cell(measured.correctness().max_relative_error(),
                     absl::StrFormat("%.1e", measured.correctness().max_relative_error()))
              : Cell(),
      record.roof_share() > 0
          ? Cell(record.roof_share(), absl::StrFormat("%.0f %%", 100 * record.roof_share()))
          : Cell(),
      MetricCell(values, spec::Metric::kEnergy),
      MetricCell(values, spec::Metric::kPower),
      MetricCell(values, spec::Metric::kMemory),
      MetricCell(values, spec::Metric::kSustained),
      Seconds(measured.compile_seconds()),
      Seconds(measured.run_seconds()),
      Seconds(measured.control_seconds()),
      absl::StrJoin(measured.flags(), " "),
      record.attempt_id(),
      record.device_id(),
      record.late(),
      record.stored_unix_ms(),
      SamplesText(record),
      record.has_measurement() ? measured.message() : record.comparison().message()};
}

// What measures its power; empty: nothing.
std::string SensorOf(const pb::DeviceInfo& info) {
  const auto sensor = info.environment().entries().find("sensor");
  return sensor == info.environment().entries().end() ? "" : sensor->second;
}

}  // namespace

Table JobTable(const pb::ListReply& list, absl::Time now, std::vector<int>& jobs) {
  Table table{.columns = {{"job_id", "job"},
                          {"name", "name"},
                          {"state", "state"},
                          {"trials", "trials"},
                          {"budget_trials", "budget", Shown::kByName},
                          {"valid", "valid", Shown::kWide},
                          {"latency_seconds", "best"},
                          {"speedup", "vs default"},
                          {"age_seconds", "age"},
                          {"device_id", "device", Shown::kWide},
                          {"device_class", "class", Shown::kWide},
                          {"reason", "reason", Shown::kWide}}};
  for (int i = 0; i < list.jobs_size(); ++i) {
    const pb::JobSnapshot& job = list.jobs(i);
    const absl::Duration age = now - absl::FromUnixMillis(job.created_unix_ms());
    for (const pb::TaskSnapshot& task : job.tasks()) {
      table.rows.push_back(JobRow(job, task, age));
      jobs.push_back(i);
    }
  }
  return table;
}

Table DeviceTable(const pb::DevicesReply& reply) {
  Table table{.columns = {{"device_id", "device"},
                          {"name", "name"},
                          {"backend", "backend", Shown::kWide},
                          {"device_class", "class", Shown::kWide},
                          {"state", "state"},
                          {"reason", "reason"},
                          {"agent_id", "agent", Shown::kWide},
                          {"vendor", "vendor", Shown::kByName},
                          {"arch", "arch", Shown::kWide},
                          {"cores", "cores", Shown::kWide},
                          {"memory_bytes", "memory", Shown::kByName},
                          {"languages", "languages", Shown::kWide},
                          {"metrics", "measures", Shown::kWide},
                          {"sensor", "sensor", Shown::kByName},
                          {"isolation", "isolation", Shown::kWide}}};
  for (const pb::Device& device : reply.devices()) {
    const pb::DeviceInfo& info = device.info();
    table.rows.push_back({device.device_id(), info.name(), info.backend(), info.device_class(),
                          device.state(), device.reason(), device.agent_id(), info.vendor(),
                          info.arch(), info.cores(), info.memory_bytes(),
                          absl::StrJoin(info.languages(), " "), absl::StrJoin(info.metrics(), " "),
                          SensorOf(info), info.isolation().substr(0, info.isolation().find(':'))});
  }
  return table;
}

nlohmann::ordered_json DeviceDocument(const pb::Device& device) {
  const pb::DeviceInfo& info = device.info();
  nlohmann::ordered_json reason = nullptr;
  if (!device.reason().empty()) reason = device.reason();
  return {
      {"device_id", device.device_id()},
      {"agent_id", device.agent_id()},
      {"backend", info.backend()},
      {"name", info.name()},
      {"device_class", info.device_class()},
      {"state", device.state()},
      {"reason", reason},
      {"vendor", info.vendor()},
      {"arch", info.arch()},
      {"cores", info.cores()},
      {"memory_bytes", info.memory_bytes()},
      {"isa", std::vector<std::string>(info.isa().begin(), info.isa().end())},
      {"languages", std::vector<std::string>(info.languages().begin(), info.languages().end())},
      {"metrics", std::vector<std::string>(info.metrics().begin(), info.metrics().end())},
      {"isolation", info.isolation()},
      {"labels", std::map<std::string, std::string>(info.labels().begin(), info.labels().end())},
      {"environment", std::map<std::string, std::string>(info.environment().entries().begin(),
                                                         info.environment().entries().end())}};
}

Table RecordTable(const std::vector<pb::Record>& records) {
  Table table{.columns = {{"task_id", "task"},
                          {"trial", "trial"},
                          {"outcome", "outcome"},
                          {"latency_seconds", "latency"},
                          {"latency_low_seconds", "low", Shown::kWide},
                          {"latency_high_seconds", "high", Shown::kWide},
                          {"statistic", "statistic", Shown::kByName},
                          {"verified", "verified", Shown::kWide},
                          {"max_relative_error", "error", Shown::kWide},
                          {"roof_share", "roof", Shown::kWide},
                          {"energy_joules", "energy", Shown::kWide},
                          {"power_watts", "power", Shown::kWide},
                          {"memory_bytes", "memory", Shown::kWide},
                          {"sustained_latency_seconds", "sustained", Shown::kByName},
                          {"compile_seconds", "compile", Shown::kWide},
                          {"run_seconds", "run", Shown::kByName},
                          {"control_seconds", "control", Shown::kByName},
                          {"flags", "flags", Shown::kByName},
                          {"attempt_id", "attempt", Shown::kByName},
                          {"device_id", "device", Shown::kByName},
                          {"late", "late", Shown::kByName},
                          {"stored_unix_ms", "stored", Shown::kByName},
                          {"samples", "samples", Shown::kByName},
                          {"message", "message"}}};
  const std::vector<std::string> parameters = ParameterNames(records);
  const size_t before = table.columns.size() - 1;  // people look for the message at the end
  for (const pb::Record& record : records) {
    std::vector<Cell> row = FixedCells(record);
    std::vector<Cell> settings;
    for (const std::string& name : parameters) settings.push_back(SettingOf(record, name));
    row.insert(row.begin() + before, settings.begin(), settings.end());
    table.rows.push_back(std::move(row));
  }
  std::vector<Column> added;
  for (const std::string& name : parameters) {
    const bool taken = std::ranges::any_of(table.columns, [&](const Column& column) {
      return column.name == name || column.title == name;
    });
    const std::string shown = taken ? absl::StrCat("configuration.", name) : name;
    added.push_back({shown, shown});
  }
  table.columns.insert(table.columns.begin() + before, added.begin(), added.end());
  return table;
}

}  // namespace burnish::cli
