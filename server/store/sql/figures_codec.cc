// The latency column: what a measurement that succeeded says in numbers.
#include "server/store/sql/codec.h"
#include "server/store/sql/json_text.h"

namespace burnish::store::sql {
namespace {

struct Key {
  const char* name;
  std::optional<double> work::Figures::*figure;
};

constexpr Key kKeys[] = {{"energy_joules", &work::Figures::energy_joules},
                         {"power_watts", &work::Figures::power_watts},
                         {"memory_bytes", &work::Figures::memory_bytes},
                         {"code_bytes", &work::Figures::code_bytes},
                         {"net_energy_joules", &work::Figures::net_energy_joules},
                         {"sustained_seconds", &work::Figures::sustained_seconds},
                         {"sustained_ratio", &work::Figures::sustained_ratio}};

}  // namespace

std::string EncodeLatency(const work::Latency& latency, const work::Figures& figures) {
  Json json = {{"statistic", latency.statistic},
               {"seconds", FromReal(latency.seconds)},
               {"interval", FromInterval(latency.interval)},
               {"relative_mad", FromReal(latency.relative_mad)},
               {"min_seconds", FromReal(latency.min_seconds)}};
  for (const Key& key : kKeys) {
    if (figures.*key.figure) json[key.name] = FromReal(*(figures.*key.figure));
  }
  return Dump(json);
}

absl::StatusOr<work::Latency> DecodeLatency(const std::string& text) {
  return Parse(text, "latency", [](const Json& json) -> absl::StatusOr<work::Latency> {
    return work::Latency{.statistic = json.at("statistic").get<std::string>(),
                         .seconds = ToReal(json.at("seconds")),
                         .interval = ToInterval(json.at("interval")),
                         .relative_mad = ToReal(json.at("relative_mad")),
                         .min_seconds = ToReal(json.at("min_seconds"))};
  });
}

absl::StatusOr<work::Figures> DecodeFigures(const std::string& text) {
  return Parse(text, "latency", [](const Json& json) -> absl::StatusOr<work::Figures> {
    work::Figures figures;
    for (const Key& key : kKeys) {
      if (json.contains(key.name)) figures.*key.figure = ToReal(json.at(key.name));
    }
    return figures;
  });
}

}  // namespace burnish::store::sql
