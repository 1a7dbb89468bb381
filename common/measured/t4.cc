// T4, the auto-tuning community's output format (schema 1.0.0), as Kernel Tuner and others write
// it.
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/measured/formats.h"

namespace burnish::measured {
namespace {

constexpr std::string_view kUnits = "seconds, milliseconds, microseconds or nanoseconds";

std::optional<work::Outcome> OutcomeOfInvalidity(std::string_view invalidity) {
  if (invalidity == "correct") return work::Outcome::kOk;
  if (invalidity == "compile") return work::Outcome::kCompileError;
  if (invalidity == "runtime") return work::Outcome::kCrash;
  if (invalidity == "timeout") return work::Outcome::kTimeout;
  if (invalidity == "correctness") return work::Outcome::kWrongResult;
  if (invalidity == "constraints") return work::Outcome::kRejected;
  return std::nullopt;
}

class T4Reader {
 public:
  T4Reader(double seconds_per_unit, SpaceBuilder& builder)
      : seconds_per_unit_(seconds_per_unit), builder_(builder) {}

  absl::Status ReadRow(const JsonValue& row, const std::string& path) {
    ASSIGN_OR_RETURN(const JsonObject* const configuration,
                     RequireObject(row, path, "configuration"));
    RETURN_IF_ERROR(CheckParameters(*configuration, path + ".configuration"));
    Record record;
    figure_seconds_.reset();
    RETURN_IF_ERROR(ReadOutcome(row, path, record));
    ReadTimes(row, path, record);
    ReadMeasurements(row, record);
    if (record.outcome == work::Outcome::kOk) {
      builder_.SetLatency(path, figure_seconds_, record);
    }
    return builder_.AddObject(path + ".configuration", *row.Find("configuration"),
                              std::move(record));
  }

 private:
  // The first row's parameters are those of the space.
  absl::Status CheckParameters(const JsonObject& configuration, const std::string& path) {
    if (builder_.parameter_count() == 0) {
      for (const JsonMember& member : configuration) {
        RETURN_IF_ERROR(builder_.AddParameter(path, member.key));
      }
    }
    for (const JsonMember& member : configuration) {
      if (builder_.ParameterIndex(member.key).has_value()) continue;
      return ErrorAtPath(path, "the parameter '" + member.key + "' is not in the rows before",
                         "every row has the same parameters");
    }
    return absl::OkStatus();
  }

  absl::Status ReadOutcome(const JsonValue& row, const std::string& path, Record& record) {
    const std::string invalidity = TextOr(row, "invalidity");
    const auto outcome = OutcomeOfInvalidity(invalidity);
    if (!outcome.has_value()) {
      return ErrorAtPath(path + ".invalidity", "is no outcome of T4: '" + invalidity + "'",
                         "correct, compile, runtime, timeout, correctness or constraints");
    }
    record.outcome = *outcome;
    if (record.outcome != work::Outcome::kOk) record.message = invalidity;
    return absl::OkStatus();
  }

  void ReadTimes(const JsonValue& row, const std::string& path, Record& record) {
    const JsonValue* times = row.Find("times");
    if (times == nullptr || times->Object() == nullptr) return;
    for (const auto& [key, value] : *times->Object()) {
      if (key == "runtimes") {
        record.samples_seconds =
            builder_.ReadSamples(path + ".times.runtimes", &value, seconds_per_unit_);
        continue;
      }
      const std::optional<double> number = value.Number();
      if (!number.has_value() || !std::isfinite(*number) || *number == 0) continue;
      // The schema says compilation_time, Kernel Tuner writes compilation, we write both.
      if (key == "compilation" || key == "compilation_time") {
        record.compile_seconds = *number * seconds_per_unit_;
      } else {
        record.metrics.push_back({key, *number * seconds_per_unit_, "s"});
      }
    }
  }

  // Where a row failed, published files hold the name of the failure in place of its time.
  void ReadMeasurements(const JsonValue& row, Record& record) {
    const JsonValue* measurements = row.Find("measurements");
    if (measurements == nullptr || measurements->List() == nullptr) return;
    for (const JsonValue& measurement : *measurements->List()) {
      const JsonValue* value = measurement.Find("value");
      if (value == nullptr) continue;
      if (const std::string* text = value->Text()) {
        const auto failure = OutcomeOfKernelTuner(*text);
        if (!failure.has_value()) continue;
        if (record.outcome == work::Outcome::kOk) record.outcome = *failure;
        record.message = *text;
        continue;
      }
      const std::optional<double> number = value->Number();
      if (!number.has_value()) continue;
      Metric metric{TextOr(measurement, "name"), *number, TextOr(measurement, "unit")};
      if (metric.name == "time") {
        figure_seconds_ = metric.value * SecondsPerUnit(metric.unit).value_or(seconds_per_unit_);
      } else if (std::isfinite(metric.value)) {
        record.metrics.push_back(std::move(metric));
      }
    }
  }

  const double seconds_per_unit_;
  SpaceBuilder& builder_;
  std::optional<double> figure_seconds_;  // of the current row
};

}  // namespace

absl::Status ReadT4(const JsonValue& root, SpaceBuilder& builder) {
  std::string unit = "milliseconds";  // what Kernel Tuner writes, also where it does not say so
  if (const JsonValue* metadata = root.Find("metadata")) {
    if (const std::string named = TextOr(*metadata, "timeunit"); !named.empty()) unit = named;
    builder.kernel() = TextOr(*metadata, "kernel_name");
    builder.device() = TextOr(*metadata, "device_name");
  }
  const std::optional<double> seconds_per_unit = SecondsPerUnit(unit);
  if (!seconds_per_unit.has_value()) {
    return ErrorAtPath("metadata.timeunit", "is no unit of time: '" + unit + "'", kUnits);
  }
  ASSIGN_OR_RETURN(const JsonList* const results, RequireList(root, "", "results"));
  T4Reader reader(*seconds_per_unit, builder);
  for (size_t i = 0; i < results->size(); ++i) {
    RETURN_IF_ERROR(reader.ReadRow((*results)[i], absl::StrCat("results[", i, "]")));
  }
  return absl::OkStatus();
}

}  // namespace burnish::measured
