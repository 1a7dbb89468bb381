// KTT's results, as its JSON serializer writes them (2.1 and 2.2).
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/measured/formats.h"

namespace burnish::measured {
namespace {

std::optional<work::Outcome> OutcomeOfStatus(std::string_view status) {
  if (status == "Ok") return work::Outcome::kOk;
  if (status == "CompilationFailed") return work::Outcome::kCompileError;
  if (status == "ComputationFailed") return work::Outcome::kCrash;
  if (status == "ValidationFailed") return work::Outcome::kWrongResult;
  if (status == "DeviceLimitsExceeded") return work::Outcome::kRejected;
  return std::nullopt;
}

void AddMetric(const std::string& prefix, const std::string& name, const JsonValue* value,
               Record& record) {
  const std::optional<double> number = value == nullptr ? std::nullopt : value->Number();
  if (number.has_value() && std::isfinite(*number)) {
    record.metrics.push_back({prefix + name, *number, ""});
  }
}

class ResultReader {
 public:
  ResultReader(double seconds_per_unit, SpaceBuilder& builder)
      : seconds_per_unit_(seconds_per_unit), builder_(builder) {}

  absl::Status Read(const JsonValue& result, const std::string& path) {
    Record record;
    const std::string status = TextOr(result, "Status");
    const std::optional<work::Outcome> outcome = OutcomeOfStatus(status);
    if (!outcome.has_value()) {
      return ErrorAtPath(path + ".Status", "is no status of KTT: '" + status + "'",
                         "Ok, ComputationFailed, ValidationFailed, CompilationFailed or "
                         "DeviceLimitsExceeded");
    }
    record.compile_seconds = Seconds(result, "CompilationOverhead").value_or(0);
    ReadComputations(result, record);
    if (outcome == work::Outcome::kOk) {
      builder_.SetLatency(path, Seconds(result, "TotalDuration"), record);
    } else {
      record.outcome = *outcome;
      record.message = status;
    }
    if (builder_.kernel().empty()) builder_.kernel() = TextOr(result, "KernelName");
    return AddRecord(result, path, std::move(record));
  }

 private:
  std::optional<double> Seconds(const JsonValue& result, std::string_view key) const {
    const JsonValue* value = result.Find(key);
    const std::optional<double> number = value == nullptr ? std::nullopt : value->Number();
    if (!number.has_value()) return std::nullopt;
    return *number * seconds_per_unit_;
  }

  // What the compiler, the profiler and the power sensor said of each kernel function. Version 2.2
  // writes energy without a unit.
  void ReadComputations(const JsonValue& result, Record& record) {
    const JsonValue* computations = result.Find("ComputationResults");
    if (computations == nullptr || computations->List() == nullptr) return;
    const bool several = computations->List()->size() > 1;
    for (const JsonValue& computation : *computations->List()) {
      const std::string prefix = several ? TextOr(computation, "KernelFunction") + "." : "";
      if (const JsonValue* compiled = computation.Find("CompilationData");
          compiled != nullptr && compiled->Object() != nullptr) {
        for (const auto& [name, value] : *compiled->Object()) {
          AddMetric(prefix, name, &value, record);
        }
      }
      AddMetric(prefix, "PowerUsage", computation.Find("PowerUsage"), record);
      AddMetric(prefix, "EnergyConsumption", computation.Find("EnergyConsumption"), record);
      const JsonValue* profile = computation.Find("ProfilingData");
      const JsonValue* counters = profile == nullptr ? nullptr : profile->Find("Counters");
      if (counters == nullptr || counters->List() == nullptr) continue;
      for (const JsonValue& counter : *counters->List()) {
        AddMetric(prefix, TextOr(counter, "Name"), counter.Find("Value"), record);
      }
    }
  }

  // `Configuration` is a list of names and values; the first one's parameters are the space's.
  absl::Status AddRecord(const JsonValue& result, const std::string& path, Record record) {
    ASSIGN_OR_RETURN(const JsonList* const pairs, RequireList(result, path, "Configuration"));
    const std::string pairs_path = path + ".Configuration";
    const bool first = builder_.parameter_count() == 0;
    std::vector<std::optional<expr::Value>> found(first ? pairs->size()
                                                        : builder_.parameter_count());
    for (size_t i = 0; i < pairs->size(); ++i) {
      const std::string pair_path = absl::StrCat(pairs_path, "[", i, "]");
      ASSIGN_OR_RETURN(const std::string name, RequireText((*pairs)[i], pair_path, "Name"));
      if (first) RETURN_IF_ERROR(builder_.AddParameter(pair_path, name));
      const std::optional<size_t> parameter = builder_.ParameterIndex(name);
      if (!parameter.has_value()) {
        return ErrorAtPath(pair_path, "the parameter '" + name + "' is not in the results before",
                           "every result has the same parameters");
      }
      const JsonValue* value = (*pairs)[i].Find("Value");
      ASSIGN_OR_RETURN(found[*parameter],
                       ParameterValue(value == nullptr ? JsonValue() : *value, pair_path));
    }
    std::vector<expr::Value> values;
    for (size_t p = 0; p < found.size(); ++p) {
      if (!found[p].has_value()) {
        return ErrorAtPath(pairs_path,
                           "the parameter '" + builder_.parameter_name(p) + "' has no value",
                           "every result has a value for each parameter");
      }
      values.push_back(*std::move(found[p]));
    }
    builder_.Add(path, values, std::move(record));
    return absl::OkStatus();
  }

  const double seconds_per_unit_;
  SpaceBuilder& builder_;
};

}  // namespace

absl::Status ReadKtt(const JsonValue& root, SpaceBuilder& builder) {
  const JsonValue* metadata = root.Find("Metadata");
  const std::string unit = metadata == nullptr ? "" : TextOr(*metadata, "TimeUnit");
  const std::optional<double> seconds_per_unit = SecondsPerUnit(unit);
  if (!seconds_per_unit.has_value()) {
    return ErrorAtPath("Metadata.TimeUnit", "is no unit of time: '" + unit + "'",
                       "Nanoseconds, Microseconds, Milliseconds or Seconds");
  }
  builder.device() = TextOr(*metadata, "Device");
  ASSIGN_OR_RETURN(const JsonList* const results, RequireList(root, "", "Results"));
  ResultReader reader(*seconds_per_unit, builder);
  for (size_t i = 0; i < results->size(); ++i) {
    RETURN_IF_ERROR(reader.Read((*results)[i], absl::StrCat("Results[", i, "]")));
  }
  return absl::OkStatus();
}

}  // namespace burnish::measured
