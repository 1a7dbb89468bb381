#include "agent/sensors/registry.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

constexpr std::string_view kCommandPrefix = "command:";

struct Kind {
  const char* name;
  Sensors (*find)(const Surroundings&);
};
constexpr Kind kKinds[] = {{"nvml", FindNvml},
                           {"rapl", FindRapl},
                           {"hwmon", FindHwmon},
                           {"ina3221", FindIna3221},
                           {"android", FindAndroid}};

// "rapl" of "rapl:package-0".
std::string_view KindOf(std::string_view name) { return name.substr(0, name.find(':')); }

bool Names(const std::string& name, const SensorInfo& info) {
  return name == "auto" || name == info.name || name == KindOf(info.name);
}

// How much a sensor says of a part; less is more.
std::tuple<int, Quality> RankOf(const SensorInfo& info, Part part) {
  return {info.part == part ? 0 : info.part == Part::kMachine ? 1 : 2, info.quality};
}

absl::Status Try(Sensor& sensor) {
  absl::Status status = sensor.Begin();
  if (status.ok()) status = sensor.Read().status();
  sensor.End();
  return status;
}

}  // namespace

Sensors FindSensors(const Surroundings& surroundings) {
  Sensors all;
  for (const Kind& kind : kKinds) {
    for (std::unique_ptr<Sensor>& sensor : kind.find(surroundings)) {
      const absl::Status status = Try(*sensor);
      if (status.ok()) {
        all.push_back(std::move(sensor));
      } else {
        Log(LogLevel::kWarning, "sensor_unreadable",
            {{"sensor", sensor->info().name}, {"reason", std::string(status.message())}});
      }
    }
  }
  return all;
}

absl::Status CheckSensorNames(const std::vector<std::string>& names) {
  std::vector<std::string> known = {"auto", "none", "command:PROGRAM"};
  for (const Kind& kind : kKinds) known.emplace_back(kind.name);
  for (const std::string& name : names) {
    if (name == "none" && names.size() > 1) {
      return InvalidInput("--sensor none: stands alone", "leave out the others, or none");
    }
    const bool command = name.starts_with(kCommandPrefix);
    if (command && name.size() == kCommandPrefix.size()) {
      return InvalidInput("--sensor command: no program", "write --sensor command:PROGRAM");
    }
    if (!command && std::ranges::count(known, std::string(KindOf(name))) == 0) {
      return InvalidInput(absl::StrCat("--sensor ", name, ": there is no such kind of sensor"),
                          NameHint(KindOf(name), known));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Sensors> OpenSensors(const std::vector<std::string>& names,
                                    const Surroundings& surroundings) {
  RETURN_IF_ERROR(CheckSensorNames(names));
  Sensors chosen;
  Sensors found;
  const auto is_command = [](const std::string& name) { return name.starts_with(kCommandPrefix); };
  if (!std::ranges::all_of(names, is_command) && names != std::vector<std::string>{"none"}) {
    found = FindSensors(surroundings);
  }
  for (const std::string& name : names) {
    if (is_command(name)) {
      std::unique_ptr<Sensor> command =
          MakeCommandSensor(name.substr(kCommandPrefix.size()), surroundings.clock);
      const absl::Status status = Try(*command);
      if (!status.ok()) {
        return absl::UnavailableError(absl::StrCat("--sensor ", name, ": ", status.message()));
      }
      chosen.push_back(std::move(command));
      continue;
    }
    bool any = name == "auto" || name == "none";
    for (std::unique_ptr<Sensor>& sensor : found) {
      if (sensor == nullptr || !Names(name, sensor->info())) continue;
      chosen.push_back(std::move(sensor));
      any = true;
    }
    if (any) continue;
    std::vector<std::string> have;
    for (const auto& sensor : found) {
      if (sensor != nullptr) have.push_back(sensor->info().name);
    }
    return absl::NotFoundError(absl::StrCat("--sensor ", name,
                                            ": this host has no such sensor that can be read; ",
                                            have.empty() ? "it has none" : NameHint(name, have)));
  }
  return chosen;
}

Sensor* ChooseSensor(const Sensors& sensors, const std::vector<std::string>& names, Part part) {
  for (const std::string& name : names) {
    Sensor* best = nullptr;
    bool ambiguous = false;
    for (const auto& sensor : sensors) {
      const SensorInfo& info = sensor->info();
      if (!Names(name, info)) continue;
      // One that is named by itself is meant, whatever it covers.
      if (name != info.name && info.part != part && info.part != Part::kMachine) continue;
      const auto rank = RankOf(info, part);
      if (best != nullptr && rank >= RankOf(best->info(), part)) {
        ambiguous = ambiguous || (rank == RankOf(best->info(), part) &&
                                  KindOf(info.name) == KindOf(best->info().name));
        continue;
      }
      best = sensor.get();
      ambiguous = false;
    }
    if (best != nullptr && !ambiguous) return best;
  }
  return nullptr;
}

}  // namespace burnish::sensors
