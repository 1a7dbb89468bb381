// The INA3221 power monitors of Jetson boards: a voltage and a current per rail through hwmon, or,
// on older kernels, watts through iio.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "agent/sensors/file_sensor.h"
#include "agent/sensors/registry.h"
#include "agent/sensors/sysfs.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

constexpr int kChannels = 3;

// Names as in NVIDIA's documentation of its boards. The inputs of modules carry everything but the
// carrier board; rails that are not listed feed several things, or others.
struct KnownRail {
  std::string_view name;
  Part part;
};
constexpr KnownRail kKnownRails[] = {
    {"VDD_IN", Part::kMachine}, {"POM_5V_IN", Part::kMachine}, {"VDD_CPU_CV", Part::kCpu},
    {"POM_5V_CPU", Part::kCpu}, {"CPU", Part::kCpu},           {"VDD_GPU_SOC", Part::kGpu},
    {"POM_5V_GPU", Part::kGpu}, {"GPU", Part::kGpu},
};

Part PartOf(const std::string& rail) {
  const auto* known = std::ranges::find(kKnownRails, rail, &KnownRail::name);
  return known == std::end(kKnownRails) ? Part::kOther : known->part;
}

std::unique_ptr<Sensor> MakeRail(const Surroundings& surroundings, const std::string& rail,
                                 FileSensor::ReadValue read) {
  return std::make_unique<FileSensor>(
      SensorInfo{.name = absl::StrCat("ina3221:", rail),
                 .scope = PartOf(rail) == Part::kMachine ? Scope::kBoard : Scope::kChip,
                 .part = PartOf(rail),
                 .quality = Quality::kInstant,
                 .period = absl::Milliseconds(2),
                 .averaging = {},
                 .interval = absl::Milliseconds(2)},
      surroundings.root, surroundings.clock, std::move(read));
}

void FindOnHwmon(const Surroundings& surroundings, Sensors& sensors) {
  for (const std::string& chip :
       EntriesOf(absl::StrCat(surroundings.root, "/sys/class/hwmon"), "hwmon")) {
    const auto name = ReadText(absl::StrCat(chip, "/name"));
    if (!name.ok() || *name != "ina3221") continue;
    for (int i = 1; i <= kChannels; ++i) {
      const auto rail = ReadText(absl::StrCat(chip, "/in", i, "_label"));
      if (!rail.ok() || *rail == "NC") continue;
      sensors.push_back(MakeRail(
          surroundings, *rail,
          [volts = absl::StrCat(chip, "/in", i, "_input"),
           amperes = absl::StrCat(chip, "/curr", i, "_input")]() -> absl::StatusOr<double> {
            ASSIGN_OR_RETURN(const double millivolts, ReadNumber(volts));
            ASSIGN_OR_RETURN(const double milliamperes, ReadNumber(amperes));
            return millivolts * milliamperes * 1e-6;
          }));
    }
  }
}

void FindOnIio(const Surroundings& surroundings, Sensors& sensors) {
  for (const std::string& chip :
       EntriesOf(absl::StrCat(surroundings.root, "/sys/bus/iio/devices"), "iio:device")) {
    for (int i = 0; i < kChannels; ++i) {
      const auto rail = ReadText(absl::StrCat(chip, "/rail_name_", i));
      if (!rail.ok()) continue;
      sensors.push_back(MakeRail(
          surroundings, *rail,
          [file = absl::StrCat(chip, "/in_power", i, "_input")]() -> absl::StatusOr<double> {
            ASSIGN_OR_RETURN(const double milliwatts, ReadNumber(file));
            return milliwatts * 1e-3;
          }));
    }
  }
}

}  // namespace

Sensors FindIna3221(const Surroundings& surroundings) {
  Sensors sensors;
  FindOnHwmon(surroundings, sensors);
  FindOnIio(surroundings, sensors);
  return sensors;
}

}  // namespace burnish::sensors
