// Running average power limit of Intel and AMD processors, through the kernel's powercap class: an
// energy counter per package.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/sensors/file_sensor.h"
#include "agent/sensors/registry.h"
#include "agent/sensors/sysfs.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

struct Zone {
  std::string label;
  std::string file;
  double range_joules = 0;
  bool package = false;
};

absl::StatusOr<double> ReadJoules(const std::string& file) {
  ASSIGN_OR_RETURN(const double microjoules, ReadNumber(file));
  return microjoules * 1e-6;
}

std::vector<Zone> ZonesOf(const std::string& root) {
  std::vector<Zone> zones;
  for (const std::string& folder :
       EntriesOf(absl::StrCat(root, "/sys/class/powercap"), "intel-rapl:")) {
    const auto name = ReadText(absl::StrCat(folder, "/name"));
    const auto range = ReadNumber(absl::StrCat(folder, "/max_energy_range_uj"));
    if (!name.ok() || !range.ok()) continue;
    Zone zone{.label = *name,
              .file = absl::StrCat(folder, "/energy_uj"),
              .range_joules = *range * 1e-6,
              .package = name->starts_with("package-")};
    // Every package has parts of the same names: core, dram.
    if (!zone.package) absl::StrAppend(&zone.label, "@", folder.substr(folder.rfind("rapl:") + 5));
    zones.push_back(std::move(zone));
  }
  return zones;
}

SensorInfo InfoOf(const std::string& label, Part part) {
  // The hardware counts every millisecond; a read costs a system call.
  return {.name = absl::StrCat("rapl:", label),
          .scope = Scope::kChip,
          .part = part,
          .quality = Quality::kCounter,
          .period = absl::Milliseconds(1),
          .averaging = {},
          .interval = absl::Milliseconds(10)};
}

// Of all packages.
FileSensor::ReadValue SumOf(const std::vector<Zone>& zones) {
  std::vector<std::pair<std::string, Unwrapped>> packages;
  for (const Zone& zone : zones) {
    if (zone.package) packages.emplace_back(zone.file, Unwrapped(zone.range_joules));
  }
  return [packages]() mutable -> absl::StatusOr<double> {
    double joules = 0;
    for (auto& [file, unwrapped] : packages) {
      ASSIGN_OR_RETURN(const double raw, ReadJoules(file));
      ASSIGN_OR_RETURN(const double used, unwrapped.Next(raw));
      joules += used;
    }
    return joules;
  };
}

}  // namespace

// Of several packages it is their sum that is the processor's; each of them, and parts of them
// (core, dram), may be asked for by name.
Sensors FindRapl(const Surroundings& surroundings) {
  Sensors sensors;
  const std::vector<Zone> zones = ZonesOf(surroundings.root);
  const bool several = std::ranges::count(zones, true, &Zone::package) > 1;
  if (several) {
    sensors.push_back(std::make_unique<FileSensor>(
        InfoOf("packages", Part::kCpu), surroundings.root, surroundings.clock, SumOf(zones)));
  }
  for (const Zone& zone : zones) {
    sensors.push_back(std::make_unique<FileSensor>(
        InfoOf(zone.label, zone.package && !several ? Part::kCpu : Part::kOther), surroundings.root,
        surroundings.clock, [file = zone.file] { return ReadJoules(file); }, zone.range_joules));
  }
  return sensors;
}

}  // namespace burnish::sensors
