// Running average power limit of Intel and AMD processors, through the kernel's powercap class: an
// energy counter per package.
#include "absl/strings/str_cat.h"
#include "agent/sensors/file_sensor.h"
#include "agent/sensors/registry.h"
#include "agent/sensors/sysfs.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

struct Counter {
  std::string file;
  Unwrapped unwrapped;
};

absl::StatusOr<double> ReadMicrojoules(const std::string& file) {
  ASSIGN_OR_RETURN(const double microjoules, ReadNumber(file));
  return microjoules * 1e-6;
}

SensorInfo InfoOf(const std::string& zone, Part part) {
  // The hardware counts every millisecond; a read costs a system call.
  return {.name = absl::StrCat("rapl:", zone),
          .scope = Scope::kChip,
          .part = part,
          .quality = Quality::kCounter,
          .period = absl::Milliseconds(1),
          .averaging = {},
          .interval = absl::Milliseconds(10)};
}

}  // namespace

// A host of several packages also gets their sum, as its processor is all of them.
Sensors FindRapl(const Surroundings& surroundings) {
  Sensors sensors;
  std::vector<Counter> packages;
  for (const std::string& zone :
       EntriesOf(absl::StrCat(surroundings.root, "/sys/class/powercap"), "intel-rapl:")) {
    const auto name = ReadText(absl::StrCat(zone, "/name"));
    const auto range = ReadNumber(absl::StrCat(zone, "/max_energy_range_uj"));
    if (!name.ok() || !range.ok()) continue;
    const std::string file = absl::StrCat(zone, "/energy_uj");
    const bool package = name->starts_with("package-");
    if (package) packages.push_back({file, Unwrapped(*range * 1e-6)});
    // Parts of a package (core, dram) may be asked for by name.
    const std::string path_name = zone.substr(zone.rfind('/') + 1);
    const std::string label =
        package ? *name : absl::StrCat(*name, "@", path_name.substr(path_name.find(':') + 1));
    sensors.push_back(std::make_unique<FileSensor>(
        InfoOf(label, package ? Part::kCpu : Part::kOther), surroundings.root, surroundings.clock,
        [file] { return ReadMicrojoules(file); }, *range * 1e-6));
  }
  if (packages.size() < 2) return sensors;
  sensors.insert(sensors.begin(),
                 std::make_unique<FileSensor>(
                     InfoOf("packages", Part::kCpu), surroundings.root, surroundings.clock,
                     [packages]() mutable -> absl::StatusOr<double> {
                       double joules = 0;
                       for (Counter& package : packages) {
                         ASSIGN_OR_RETURN(const double raw, ReadMicrojoules(package.file));
                         ASSIGN_OR_RETURN(const double used, package.unwrapped.Next(raw));
                         joules += used;
                       }
                       return joules;
                     }));
  return sensors;
}

}  // namespace burnish::sensors
