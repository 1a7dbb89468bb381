#include "common/measured/space_builder.h"

#include <cmath>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::measured {
namespace {

bool IsTime(double seconds) { return std::isfinite(seconds) && seconds > 0; }

// Wide enough for all of int64 and double.
long double NumberOf(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? 1 : 0;
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  return std::get<double>(value);
}

}  // namespace

bool SpaceBuilder::ValueLess::operator()(const expr::Value& a, const expr::Value& b) const {
  const bool number = expr::IsNumber(a);
  if (number != expr::IsNumber(b)) return number;
  if (number) return NumberOf(a) < NumberOf(b);
  return std::get<std::string>(a) < std::get<std::string>(b);
}

SpaceBuilder::SpaceBuilder(std::string name, std::string format) {
  space_.name = std::move(name);
  space_.format = std::move(format);
}

std::optional<size_t> SpaceBuilder::ParameterIndex(const std::string& name) const {
  const auto found = parameter_of_.find(name);
  if (found == parameter_of_.end()) return std::nullopt;
  return found->second;
}

absl::Status SpaceBuilder::AddParameter(const std::string& path, const std::string& name) {
  if (space_.parameters.size() == limits::kParameters) {
    return ErrorAtPath(path, absl::StrCat("more than ", limits::kParameters, " parameters"));
  }
  if (!parameter_of_.emplace(name, space_.parameters.size()).second) {
    return ErrorAtPath(path, "the parameter '" + name + "' occurs twice");
  }
  space_.parameters.push_back({name, {}});
  domains_.emplace_back();
  return absl::OkStatus();
}

absl::Status SpaceBuilder::DeclareDomain(size_t parameter, const std::string& path,
                                         const JsonList& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    ASSIGN_OR_RETURN(const expr::Value value,
                     ParameterValue(values[i], absl::StrCat(path, "[", i, "]")));
    ValueIndex(path, parameter, value);
  }
  domains_[parameter].declared = true;
  return absl::OkStatus();
}

uint32_t SpaceBuilder::ValueIndex(const std::string& path, size_t parameter,
                                  const expr::Value& value) {
  Domain& domain = domains_[parameter];
  space::Parameter& declared = space_.parameters[parameter];
  const auto index = static_cast<uint32_t>(declared.values.size());
  const auto [position, inserted] = domain.index_of.emplace(value, index);
  if (inserted) {
    declared.values.push_back(value);
    if (domain.declared) {
      Warn(path, "a value of '" + declared.name + "' is outside the declared ones; it counts");
    }
  }
  return position->second;
}

void SpaceBuilder::Add(const std::string& path, const std::vector<expr::Value>& values,
                       Record record) {
  record.values.resize(values.size());
  for (size_t p = 0; p < values.size(); ++p) record.values[p] = ValueIndex(path, p, values[p]);
  const auto [position, inserted] = record_of_.emplace(record.values, space_.records.size());
  if (inserted) {
    space_.records.push_back(std::move(record));
    return;
  }
  Warn(path, "the configuration occurs again; its last record counts");
  space_.records[position->second] = std::move(record);
}

absl::Status SpaceBuilder::AddObject(const std::string& path, const JsonValue& object,
                                     Record record) {
  std::vector<expr::Value> values;
  for (const space::Parameter& parameter : space_.parameters) {
    const JsonValue* value = object.Find(parameter.name);
    if (value == nullptr) {
      return ErrorAtPath(path, "the parameter '" + parameter.name + "' has no value",
                         "every record has a value for each parameter");
    }
    ASSIGN_OR_RETURN(values.emplace_back(), ParameterValue(*value, path + "." + parameter.name));
  }
  Add(path, values, std::move(record));
  return absl::OkStatus();
}

std::vector<double> SpaceBuilder::ReadSamples(const std::string& path, const JsonValue* runs,
                                              double seconds_per_unit) {
  std::vector<double> samples;
  const JsonList* list = runs == nullptr ? nullptr : runs->List();
  if (list == nullptr) return samples;
  samples.reserve(list->size());
  for (const JsonValue& run : *list) {
    const double seconds = run.Number().value_or(0) * seconds_per_unit;
    if (IsTime(seconds)) {
      samples.push_back(seconds);
    } else {
      Warn(path, "a run is no positive number; it was left out");
    }
  }
  return samples;
}

void SpaceBuilder::SetLatency(const std::string& path, std::optional<double> figure_seconds,
                              Record& record) {
  record.outcome = work::Outcome::kOk;
  const std::vector<double>& samples = record.samples_seconds;
  const double mean =
      std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  record.latency_seconds = samples.empty() ? figure_seconds.value_or(0) : mean;
  if (IsTime(record.latency_seconds)) return;
  Warn(path, "neither a time nor runs that are positive numbers; the record counts as unstable");
  record.outcome = work::Outcome::kUnstable;
  record.message = "no time was stored";
  record.latency_seconds = 0;
}

void SpaceBuilder::Warn(const std::string& path, const std::string& what) {
  const auto [position, inserted] = warning_of_.emplace(what, warnings_.size());
  if (inserted) {
    warnings_.emplace_back(path.empty() ? what : absl::StrCat(path, ": ", what), 0);
  } else {
    ++warnings_[position->second].second;
  }
}

void SpaceBuilder::SortDomain(size_t parameter) {
  std::vector<expr::Value>& values = space_.parameters[parameter].values;
  std::vector<uint32_t> rank(values.size());
  std::vector<expr::Value> sorted;
  for (const auto& [value, index] : domains_[parameter].index_of) {
    rank[index] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(value);
  }
  values = std::move(sorted);
  for (Record& record : space_.records) record.values[parameter] = rank[record.values[parameter]];
}

absl::StatusOr<MeasuredSpace> SpaceBuilder::Finish() && {
  if (space_.records.empty()) return InvalidInput("the file holds no record");
  for (size_t p = 0; p < domains_.size(); ++p) {
    if (!domains_[p].declared) SortDomain(p);
  }
  for (const auto& [text, further] : warnings_) {
    const std::string count = further > 0 ? absl::StrCat(" (and ", further, " more)") : "";
    space_.warnings.push_back(text + count);
  }
  return std::move(space_);
}

std::optional<work::Outcome> OutcomeOfKernelTuner(std::string_view failure) {
  if (failure == "CompilationFailedConfig") return work::Outcome::kCompileError;
  if (failure == "RuntimeFailedConfig") return work::Outcome::kCrash;
  if (failure == "InvalidConfig") return work::Outcome::kRejected;
  // Any other failure; the family of the ones above.
  if (failure == "ErrorConfig") return work::Outcome::kCrash;
  return std::nullopt;
}

std::optional<double> SecondsPerUnit(std::string_view unit) {
  const std::string name = absl::AsciiStrToLower(std::string(unit));
  if (name == "s" || name == "seconds") return 1;
  // Published files have the second spelling.
  if (name == "ms" || name == "milliseconds" || name == "miliseconds") return 1e-3;
  if (name == "us" || name == "µs" || name == "microseconds") return 1e-6;
  if (name == "ns" || name == "nanoseconds") return 1e-9;
  return std::nullopt;
}

}  // namespace burnish::measured
