#include "server/store/sql/codec.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/store/sql/json_text.h"

namespace burnish::store::sql {
namespace {

Json FromSamples(const std::vector<work::Sample>& samples) {
  Json json = Json::array();
  for (const work::Sample& sample : samples) {
    json.push_back(Json::array({sample.total_ns, sample.launches}));
  }
  return json;
}

std::vector<work::Sample> ToSamples(const Json& json) {
  std::vector<work::Sample> samples;
  samples.reserve(json.size());
  for (const Json& sample : json) {
    samples.push_back({sample.at(0).get<int64_t>(), sample.at(1).get<int64_t>()});
  }
  return samples;
}

// A configuration keeps its own text form, as a value inside the JSON text.
Json FromConfiguration(const space::Configuration& configuration) {
  return space::ToJson(configuration);
}

absl::StatusOr<space::Configuration> ToConfiguration(const Json& json) {
  return space::ConfigurationFromJson(json.get_ref<const std::string&>());
}

Json FromConfigurations(const std::vector<space::Configuration>& configurations) {
  Json json = Json::array();
  for (const space::Configuration& configuration : configurations) {
    json.push_back(FromConfiguration(configuration));
  }
  return json;
}

absl::StatusOr<std::vector<space::Configuration>> ToConfigurations(const Json& json) {
  std::vector<space::Configuration> configurations;
  for (const Json& item : json) {
    absl::StatusOr<space::Configuration> configuration = ToConfiguration(item);
    if (!configuration.ok()) return configuration.status();
    configurations.push_back(*std::move(configuration));
  }
  return configurations;
}

Json FromCorrectness(const work::Correctness& correctness) {
  return {{"verified", correctness.verified},
          {"max_relative_error", FromReal(correctness.max_relative_error)},
          {"relative_frobenius", FromReal(correctness.relative_frobenius)},
          {"worst", correctness.worst}};
}

work::Correctness ToCorrectness(const Json& json) {
  return {.verified = json.at("verified").get<bool>(),
          .max_relative_error = ToReal(json.at("max_relative_error")),
          .relative_frobenius = ToReal(json.at("relative_frobenius")),
          .worst = json.at("worst").get<std::string>()};
}

absl::StatusOr<work::FinalistSamples> ToFinalist(const Json& json) {
  absl::StatusOr<space::Configuration> configuration = ToConfiguration(json.at("configuration"));
  if (!configuration.ok()) return configuration.status();
  const absl::StatusOr<work::Outcome> outcome =
      DecodeOutcome(json.at("outcome").get<std::string>());
  if (!outcome.ok()) return outcome.status();
  return work::FinalistSamples{.configuration = *std::move(configuration),
                               .outcome = *outcome,
                               .message = json.at("message").get<std::string>(),
                               .rounds = ToSamples(json.at("rounds")),
                               .correctness = ToCorrectness(json.at("correctness"))};
}

Json FromTie(const std::vector<TiedFinalist>& tie) {
  Json list = Json::array();
  for (const TiedFinalist& tied : tie) {
    list.push_back({{"configuration", FromConfiguration(tied.configuration)},
                    {"seconds", FromReal(tied.seconds)},
                    {"interval", FromInterval(tied.interval)},
                    {"verified", tied.verified},
                    {"max_relative_error", FromReal(tied.max_relative_error)}});
  }
  return list;
}

Json FromMetrics(const std::vector<spec::Metric>& metrics) {
  Json list = Json::array();
  for (const spec::Metric metric : metrics) list.push_back(spec::MetricName(metric));
  return list;
}

std::vector<spec::Metric> ToMetrics(const Json& list) {
  std::vector<spec::Metric> metrics;
  for (const Json& name : list) {
    if (const auto metric = spec::ParseMetric(name.get<std::string>())) metrics.push_back(*metric);
  }
  return metrics;
}

}  // namespace

absl::StatusOr<work::Outcome> DecodeOutcome(const std::string& name) {
  const std::optional<work::Outcome> outcome = work::ParseOutcome(name);
  if (!outcome.has_value()) {
    return absl::DataLossError(absl::StrCat("the database holds an unknown outcome: ", name));
  }
  return *outcome;
}

std::string EncodeDevice(const work::DeviceInfo& info) {
  return Dump({{"backend", info.backend},
               {"index", info.index},
               {"name", info.name},
               {"device_class", info.device_class},
               {"vendor", info.vendor},
               {"arch", info.arch},
               {"cores", info.cores},
               {"memory_bytes", info.memory_bytes},
               {"isa", info.isa},
               {"languages", info.languages},
               {"labels", info.labels},
               {"exclusion_group", info.exclusion_group},
               {"environment", info.environment},
               {"unavailable_reason", info.unavailable_reason},
               {"metrics", FromMetrics(info.metrics)},
               {"isolation", info.isolation},
               {"caches",
                {{"l1d_bytes", info.caches.l1d_bytes},
                 {"l2_bytes", info.caches.l2_bytes},
                 {"l3_bytes", info.caches.l3_bytes}}}});
}

absl::StatusOr<work::DeviceInfo> DecodeDevice(const std::string& text) {
  return Parse(text, "device", [](const Json& json) -> absl::StatusOr<work::DeviceInfo> {
    work::DeviceInfo info;
    json.at("backend").get_to(info.backend);
    json.at("index").get_to(info.index);
    json.at("name").get_to(info.name);
    json.at("device_class").get_to(info.device_class);
    json.at("vendor").get_to(info.vendor);
    json.at("arch").get_to(info.arch);
    json.at("cores").get_to(info.cores);
    json.at("memory_bytes").get_to(info.memory_bytes);
    json.at("isa").get_to(info.isa);
    json.at("languages").get_to(info.languages);
    json.at("labels").get_to(info.labels);
    json.at("exclusion_group").get_to(info.exclusion_group);
    json.at("environment").get_to(info.environment);
    json.at("unavailable_reason").get_to(info.unavailable_reason);
    // Absent from devices that attached before there were other metrics.
    if (json.contains("metrics")) info.metrics = ToMetrics(json.at("metrics"));
    if (json.contains("isolation")) json.at("isolation").get_to(info.isolation);
    // Absent from devices that attached before there were roofs.
    if (json.contains("caches")) {
      json.at("caches").at("l1d_bytes").get_to(info.caches.l1d_bytes);
      json.at("caches").at("l2_bytes").get_to(info.caches.l2_bytes);
      json.at("caches").at("l3_bytes").get_to(info.caches.l3_bytes);
    }
    return info;
  });
}

std::string EncodeRoofs(const std::string& device_class, const work::Roofs& roofs) {
  Json peaks = Json::array();
  for (const work::Peak& peak : roofs.peaks) {
    peaks.push_back({{"dtype", peak.dtype},
                     {"threads", peak.threads},
                     {"operations_per_second", peak.operations_per_second}});
  }
  Json bandwidths = Json::array();
  for (const work::Bandwidth& bandwidth : roofs.bandwidths) {
    bandwidths.push_back({{"level", bandwidth.level},
                          {"capacity_bytes", bandwidth.capacity_bytes},
                          {"threads", bandwidth.threads},
                          {"bytes_per_second", bandwidth.bytes_per_second}});
  }
  return Dump({{"device_class", device_class}, {"peaks", peaks}, {"bandwidths", bandwidths}});
}

absl::StatusOr<std::optional<work::Roofs>> DecodeRoofs(const std::string& device_class,
                                                       const std::string& text) {
  using Result = absl::StatusOr<std::optional<work::Roofs>>;
  return Parse(text, "device's roofs", [&](const Json& json) -> Result {
    if (json.at("device_class").get<std::string>() != device_class) return std::nullopt;
    work::Roofs roofs;
    for (const Json& peak : json.at("peaks")) {
      roofs.peaks.push_back(
          {.dtype = peak.at("dtype").get<std::string>(),
           .threads = peak.at("threads").get<int>(),
           .operations_per_second = peak.at("operations_per_second").get<double>()});
    }
    for (const Json& bandwidth : json.at("bandwidths")) {
      roofs.bandwidths.push_back(
          {.level = bandwidth.at("level").get<std::string>(),
           .capacity_bytes = bandwidth.at("capacity_bytes").get<int64_t>(),
           .threads = bandwidth.at("threads").get<int>(),
           .bytes_per_second = bandwidth.at("bytes_per_second").get<double>()});
    }
    return roofs;
  });
}

std::string EncodeEnvironment(const std::map<std::string, std::string>& environment) {
  return Dump(environment);
}

absl::StatusOr<std::map<std::string, std::string>> DecodeEnvironment(const std::string& text) {
  using Environment = std::map<std::string, std::string>;
  return Parse(text, "environment", [](const Json& json) -> absl::StatusOr<Environment> {
    return json.get<Environment>();
  });
}

std::string EncodeNamespaces(const std::vector<Namespace>& namespaces) {
  Json json = Json::array();
  for (const Namespace& owner : namespaces) json.push_back(owner.value());
  return Dump(json);
}

absl::StatusOr<std::vector<Namespace>> DecodeNamespaces(const std::string& text) {
  return Parse(text, "list of namespaces",
               [](const Json& json) -> absl::StatusOr<std::vector<Namespace>> {
                 std::vector<Namespace> namespaces;
                 for (const Json& name : json) namespaces.emplace_back(name.get<std::string>());
                 return namespaces;
               });
}

std::string EncodeWork(const work::Work& work) {
  if (const auto* measure = std::get_if<work::MeasureWork>(&work)) {
    return space::ToJson(measure->configuration);
  }
  const auto& compare = std::get<work::CompareWork>(work);
  return Dump({{"rounds", compare.rounds}, {"finalists", FromConfigurations(compare.finalists)}});
}

absl::StatusOr<work::Work> DecodeWork(const std::string& kind, const std::string& text) {
  if (kind == work::WorkKindName(work::MeasureWork{})) {
    absl::StatusOr<space::Configuration> configuration = space::ConfigurationFromJson(text);
    if (!configuration.ok()) return configuration.status();
    return work::MeasureWork{*std::move(configuration)};
  }
  return Parse(text, "comparison", [](const Json& json) -> absl::StatusOr<work::Work> {
    auto finalists = ToConfigurations(json.at("finalists"));
    if (!finalists.ok()) return finalists.status();
    return work::CompareWork{*std::move(finalists), json.at("rounds").get<int>()};
  });
}

std::string EncodeIncumbent(const std::optional<work::Incumbent>& incumbent) {
  if (!incumbent) return "";
  return Dump({{"seconds", FromReal(incumbent->seconds)}, {"device", incumbent->device.value()}});
}

absl::StatusOr<std::optional<work::Incumbent>> DecodeIncumbent(const std::string& text) {
  using Result = std::optional<work::Incumbent>;
  if (text.empty()) return Result();
  return Parse(text, "incumbent", [](const Json& json) -> absl::StatusOr<Result> {
    return Result({.seconds = ToReal(json.at("seconds")),
                   .device = DeviceId(json.at("device").get<std::string>())});
  });
}

std::string EncodeTaskResult(const TaskResult& result) {
  return Dump({{"best", result.best.has_value() ? FromConfiguration(*result.best) : Json()},
               {"best_seconds", FromReal(result.best_seconds)},
               {"best_interval", FromInterval(result.best_interval)},
               {"default_seconds", FromReal(result.default_seconds)},
               {"default_interval", FromInterval(result.default_interval)},
               {"speedup", FromReal(result.speedup)},
               {"speedup_interval", FromInterval(result.speedup_interval)},
               {"verified", result.verified},
               {"max_relative_error", FromReal(result.max_relative_error)},
               {"tie", FromTie(result.tie)}});
}

absl::StatusOr<TaskResult> DecodeTaskResult(const std::string& text) {
  return Parse(text, "task result", [](const Json& json) -> absl::StatusOr<TaskResult> {
    TaskResult result;
    if (!json.at("best").is_null()) {
      absl::StatusOr<space::Configuration> best = ToConfiguration(json.at("best"));
      if (!best.ok()) return best.status();
      result.best = *std::move(best);
    }
    result.best_seconds = ToReal(json.at("best_seconds"));
    result.best_interval = ToInterval(json.at("best_interval"));
    result.default_seconds = ToReal(json.at("default_seconds"));
    result.default_interval = ToInterval(json.at("default_interval"));
    result.speedup = ToReal(json.at("speedup"));
    result.speedup_interval = ToInterval(json.at("speedup_interval"));
    json.at("verified").get_to(result.verified);
    result.max_relative_error = ToReal(json.at("max_relative_error"));
    for (const Json& tied : json.at("tie")) {
      absl::StatusOr<space::Configuration> configuration =
          ToConfiguration(tied.at("configuration"));
      if (!configuration.ok()) return configuration.status();
      result.tie.push_back({.configuration = *std::move(configuration),
                            .seconds = ToReal(tied.at("seconds")),
                            .interval = ToInterval(tied.at("interval")),
                            .verified = tied.at("verified").get<bool>(),
                            .max_relative_error = ToReal(tied.at("max_relative_error"))});
    }
    return result;
  });
}

std::string EncodeCorrectness(const work::Correctness& correctness) {
  return Dump(FromCorrectness(correctness));
}

absl::StatusOr<work::Correctness> DecodeCorrectness(const std::string& text) {
  return Parse(text, "correctness", [](const Json& json) -> absl::StatusOr<work::Correctness> {
    return ToCorrectness(json);
  });
}

std::string EncodeDetails(const work::Measurement& measurement) {
  return Dump({{"flags", measurement.flags},
               {"compile_seconds", FromReal(measurement.compile_seconds)},
               {"run_seconds", FromReal(measurement.run_seconds)},
               {"control_seconds", FromReal(measurement.control_seconds)},
               {"samples", FromSamples(measurement.samples)}});
}

std::string EncodeDetails(const work::Comparison& comparison) {
  Json finalists = Json::array();
  for (const work::FinalistSamples& finalist : comparison.finalists) {
    finalists.push_back({{"configuration", FromConfiguration(finalist.configuration)},
                         {"outcome", work::OutcomeName(finalist.outcome)},
                         {"message", finalist.message},
                         {"rounds", FromSamples(finalist.rounds)},
                         {"correctness", FromCorrectness(finalist.correctness)}});
  }
  return Dump({{"run_seconds", FromReal(comparison.run_seconds)}, {"finalists", finalists}});
}

absl::StatusOr<StrippedDetails> StripSamples(const std::string& details) {
  return Parse(details, "measurement", [](Json json) -> absl::StatusOr<StrippedDetails> {
    Json& samples = json.at("samples");
    const auto count = static_cast<int64_t>(samples.size());
    samples = Json::array();
    return StrippedDetails{.text = Dump(json), .samples = count};
  });
}

absl::Status DecodeDetails(const std::string& text, work::Measurement& measurement) {
  return Parse(text, "measurement", [&](const Json& json) {
    json.at("flags").get_to(measurement.flags);
    measurement.compile_seconds = ToReal(json.at("compile_seconds"));
    measurement.run_seconds = ToReal(json.at("run_seconds"));
    // Absent from results of before the control kernel.
    if (json.contains("control_seconds")) {
      measurement.control_seconds = ToReal(json.at("control_seconds"));
    }
    measurement.samples = ToSamples(json.at("samples"));
    return absl::OkStatus();
  });
}

absl::Status DecodeDetails(const std::string& text, work::Comparison& comparison) {
  return Parse(text, "comparison", [&](const Json& json) -> absl::Status {
    comparison.run_seconds = ToReal(json.at("run_seconds"));
    for (const Json& item : json.at("finalists")) {
      absl::StatusOr<work::FinalistSamples> finalist = ToFinalist(item);
      if (!finalist.ok()) return finalist.status();
      comparison.finalists.push_back(*std::move(finalist));
    }
    return absl::OkStatus();
  });
}

}  // namespace burnish::store::sql
