#include "common/measured/writer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/numbers.h"
#include "nlohmann/json.hpp"

namespace burnish::measured {
namespace {

using Json = nlohmann::ordered_json;
using work::Outcome;

constexpr double kMsPerSecond = 1e3;

std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json ValueJson(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean;
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::get<std::string>(value);
}

// As Python's str() has it.
std::string PythonText(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "True" : "False";
  return expr::FormatBare(value);
}

const expr::Value& ValueOf(const MeasuredSpace& space, const Record& record, size_t parameter) {
  return space.parameters[parameter].values[record.values[parameter]];
}

Json ConfigurationJson(const MeasuredSpace& space, const Record& record) {
  Json json = Json::object();
  for (size_t p = 0; p < record.values.size(); ++p) {
    json[space.parameters[p].name] = ValueJson(ValueOf(space, record, p));
  }
  return json;
}

Json SamplesMs(const Record& record) {
  Json samples = Json::array();
  for (const double seconds : record.samples_seconds) samples.push_back(seconds * kMsPerSecond);
  return samples;
}

const char* Invalidity(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "correct";
    case Outcome::kRejected:
      return "constraints";
    case Outcome::kCompileError:
    case Outcome::kCompileTimeout:
      return "compile";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kWrongResult:
    case Outcome::kNondeterministic:
      return "correctness";
    default:
      return "runtime";
  }
}

const char* KernelTunerFailure(Outcome outcome) {
  const std::string_view invalidity = Invalidity(outcome);
  if (invalidity == "constraints") return "InvalidConfig";
  return invalidity == "compile" ? "CompilationFailedConfig" : "RuntimeFailedConfig";
}

// What T4 keeps among a row's times rather than its measurements.
bool IsT4Time(const Metric& metric) {
  return metric.unit == "s" && (metric.name == "framework" || metric.name == "search_algorithm" ||
                                metric.name == "validation" || metric.name == "benchmark");
}

Json T4Row(const MeasuredSpace& space, const Record& record) {
  const bool ok = record.outcome == Outcome::kOk;
  const double compile_ms = record.compile_seconds * kMsPerSecond;
  Json times = {{"compilation", compile_ms},
                {"compilation_time", compile_ms},
                {"framework", 0},
                {"search_algorithm", 0},
                {"validation", 0}};
  Json measurements = Json::array();
  if (ok) {
    const double latency_ms = record.latency_seconds * kMsPerSecond;
    measurements.push_back({{"name", "time"}, {"value", latency_ms}, {"unit", "ms"}});
  }
  for (const Metric& metric : record.metrics) {
    if (IsT4Time(metric)) {
      times[metric.name] = metric.value * kMsPerSecond;
    } else {
      measurements.push_back(
          {{"name", metric.name}, {"value", metric.value}, {"unit", metric.unit}});
    }
  }
  if (!record.samples_seconds.empty()) times["runtimes"] = SamplesMs(record);
  return {
      {"configuration", ConfigurationJson(space, record)}, {"times", std::move(times)},
      {"invalidity", Invalidity(record.outcome)},          {"correctness", ok ? 1 : 0},
      {"measurements", std::move(measurements)},           {"objectives", Json::array({"time"})}};
}

Json CacheEntry(const MeasuredSpace& space, const Record& record) {
  Json entry = ConfigurationJson(space, record);
  if (record.outcome == Outcome::kOk) {
    entry["time"] = record.latency_seconds * kMsPerSecond;
  } else {
    // Under both its places: of version 1.4, and of those before.
    entry["time"] = entry["__error__"] = KernelTunerFailure(record.outcome);
  }
  if (!record.samples_seconds.empty()) entry["times"] = SamplesMs(record);
  entry["compile_time"] = record.compile_seconds * kMsPerSecond;
  // Kernel Tuner's simulation wants them all.
  for (const char* key :
       {"verification_time", "benchmark_time", "strategy_time", "framework_time"}) {
    entry[key] = 0;
  }
  for (const Metric& metric : record.metrics) {
    const bool is_parameter =
        std::any_of(space.parameters.begin(), space.parameters.end(),
                    [&metric](const auto& parameter) { return parameter.name == metric.name; });
    if (!is_parameter) entry[metric.name] = metric.value;
  }
  return entry;
}

bool IsWritten(const Record& record) { return record.outcome != Outcome::kInfrastructure; }

}  // namespace

std::string WriteT4(const MeasuredSpace& space) {
  Json metadata = {{"timeunit", "milliseconds"}};
  if (!space.kernel.empty()) metadata["kernel_name"] = space.kernel;
  if (!space.device.empty()) metadata["device_name"] = space.device;
  std::string text = absl::StrCat("{\"schema_version\": \"1.0.0\", \"metadata\": ", Text(metadata),
                                  ", \"results\": [");
  const char* separator = "\n";
  for (const Record& record : space.records) {
    if (!IsWritten(record)) continue;
    absl::StrAppend(&text, separator, Text(T4Row(space, record)));
    separator = ",\n";
  }
  return text + "\n]}\n";
}

std::string WriteKernelTunerCache(const MeasuredSpace& space) {
  Json keys = Json::array();
  Json domains = Json::object();
  for (const space::Parameter& parameter : space.parameters) {
    keys.push_back(parameter.name);
    Json& domain = domains[parameter.name] = Json::array();
    for (const expr::Value& value : parameter.values) domain.push_back(ValueJson(value));
  }
  std::string text = absl::StrCat(
      "{\n\"device_name\": ", Text(space.device), ",\n\"kernel_name\": ", Text(space.kernel),
      ",\n\"problem_size\": [],\n\"tune_params_keys\": ", Text(keys),
      ",\n\"tune_params\": ", Text(domains), ",\n\"objective\": \"time\",\n\"cache\": {");
  const char* separator = "\n";
  for (const Record& record : space.records) {
    if (!IsWritten(record)) continue;
    std::string key;
    for (size_t p = 0; p < record.values.size(); ++p) {
      absl::StrAppend(&key, p > 0 ? "," : "", PythonText(ValueOf(space, record, p)));
    }
    absl::StrAppend(&text, separator, Text(key), ": ", Text(CacheEntry(space, record)));
    separator = ",\n";
  }
  return text + "}\n}\n";
}

}  // namespace burnish::measured
