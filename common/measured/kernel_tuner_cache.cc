// Kernel Tuner's cache file. It is streamed, so a running or killed tuner leaves it without its
// end.
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/measured/formats.h"

namespace burnish::measured {
namespace {

constexpr double kSecondsPerMs = 1e-3;
// Open objects of a file that lacks nothing but its end: the root and `cache`.
constexpr int kBetweenRecords = 2;

absl::Status DeclareParameters(const JsonValue& root, SpaceBuilder& builder) {
  ASSIGN_OR_RETURN(const JsonList* const keys, RequireList(root, "", "tune_params_keys"));
  for (size_t i = 0; i < keys->size(); ++i) {
    const std::string path = absl::StrCat("tune_params_keys[", i, "]");
    const std::string* name = (*keys)[i].Text();
    if (name == nullptr) return ErrorAtPath(path, "must be the name of a parameter");
    RETURN_IF_ERROR(builder.AddParameter(path, *name));
    const JsonValue* domains = root.Find("tune_params");
    const JsonValue* domain = domains == nullptr ? nullptr : domains->Find(*name);
    if (domain == nullptr || domain->List() == nullptr) continue;
    RETURN_IF_ERROR(builder.DeclareDomain(i, "tune_params." + *name, *domain->List()));
  }
  return absl::OkStatus();
}

// The failure's name: under a key of its own since version 1.4, in place of the objective before.
std::string FailureOf(const JsonValue& entry, const std::string& objective) {
  for (const std::string& key : {std::string("__error__"), objective, std::string("time")}) {
    if (const std::string text = TextOr(entry, key); !text.empty()) return text;
  }
  return "";
}

// The text ended behind a record's key.
bool EndsWithKey(const JsonObject& cache) {
  return !cache.empty() && std::holds_alternative<std::monostate>(cache.back().value);
}

class EntryReader {
 public:
  EntryReader(std::string objective, SpaceBuilder& builder)
      : objective_(std::move(objective)), builder_(builder) {}

  absl::Status Read(const std::string& path, const JsonValue& entry) {
    if (entry.Object() == nullptr) return ErrorAtPath(path, "must be an object");
    Record record;
    ReadMetrics(*entry.Object(), record);
    record.samples_seconds =
        builder_.ReadSamples(path + ".times", entry.Find("times"), kSecondsPerMs);
    record.message = FailureOf(entry, objective_);
    if (record.message.empty()) {
      const JsonValue* time = entry.Find("time");
      std::optional<double> figure_ms;
      if (time != nullptr) figure_ms = time->Number();
      builder_.SetLatency(
          path, figure_ms ? std::optional(*figure_ms * kSecondsPerMs) : std::nullopt, record);
    } else if (const auto outcome = OutcomeOfKernelTuner(record.message)) {
      record.outcome = *outcome;
    } else {
      builder_.Warn(path, "an unknown failure '" + record.message + "'; it counts as a crash");
      record.outcome = work::Outcome::kCrash;
    }
    return builder_.AddObject(path, entry, std::move(record));
  }

 private:
  void ReadMetrics(const JsonObject& entry, Record& record) {
    for (const auto& [key, value] : entry) {
      const std::optional<double> number = value.Number();
      if (!number.has_value() || !std::isfinite(*number)) continue;
      if (key == "time" || builder_.ParameterIndex(key).has_value()) continue;
      if (key == "compile_time") {
        record.compile_seconds = *number * kSecondsPerMs;
      } else if (key.ends_with("_time")) {
        if (*number != 0) record.metrics.push_back({key, *number, "ms"});
      } else {
        record.metrics.push_back({key, *number, ""});
      }
    }
  }

  const std::string objective_;
  SpaceBuilder& builder_;
};

}  // namespace

absl::Status ReadKernelTunerCache(const JsonText& json, SpaceBuilder& builder) {
  ASSIGN_OR_RETURN(const JsonObject* const cache, RequireObject(json.root, "", "cache"));
  size_t whole = cache->size();
  const std::string end = absl::StrCat("line ", json.line);
  if (json.trailing) {
    builder.Warn("", "something stands behind the end of the file; it was left out");
  } else if (json.open > kBetweenRecords || (json.open > 0 && EndsWithKey(*cache))) {
    builder.Warn(end, "the file ends within a record; that record was left out");
    --whole;
  } else if (json.open > 0) {
    builder.Warn(end, "the file was not closed by its tuner; it may go on");
  }
  builder.device() = TextOr(json.root, "device_name");
  builder.kernel() = TextOr(json.root, "kernel_name");
  RETURN_IF_ERROR(DeclareParameters(json.root, builder));
  std::string objective = TextOr(json.root, "objective");
  if (objective.empty()) objective = "time";
  EntryReader reader(std::move(objective), builder);
  for (size_t i = 0; i < whole; ++i) {
    const JsonMember& member = (*cache)[i];
    RETURN_IF_ERROR(reader.Read(absl::StrCat("cache[\"", member.key, "\"]"), member.value));
  }
  return absl::OkStatus();
}

}  // namespace burnish::measured
