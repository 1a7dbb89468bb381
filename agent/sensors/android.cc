// Phones: the battery's voltage and current, and, where the kernel shows them, the energy counters
// of single rails (on-device power rail monitors, as Pixels have).
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/sensors/file_sensor.h"
#include "agent/sensors/registry.h"
#include "agent/sensors/sysfs.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

// Some phones count discharging as negative, some as positive; a battery that charges says nothing
// of what is used.
absl::StatusOr<double> ReadBatteryWatts(const std::string& battery) {
  ASSIGN_OR_RETURN(const std::string status, ReadText(absl::StrCat(battery, "/status")));
  if (status == "Charging" || status == "Full") {
    return absl::FailedPreconditionError(
        absl::StrCat("the battery is ", status == "Full" ? "full" : "charging",
                     ": unplug the phone, so that it works from its battery"));
  }
  ASSIGN_OR_RETURN(const double microvolts, ReadNumber(absl::StrCat(battery, "/voltage_now")));
  ASSIGN_OR_RETURN(const double microamperes, ReadNumber(absl::StrCat(battery, "/current_now")));
  return std::abs(microvolts * microamperes) * 1e-12;
}

// Lines `CH3(T=4012)[S4M_VDD_CPUCL0], 5578756`: microwatt-seconds by rail.
absl::StatusOr<std::map<std::string, double>> ReadRails(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string text, ReadText(file));
  std::map<std::string, double> joules;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (const std::string& line : lines) {
    const size_t open = line.find('[');
    const size_t close = line.find("], ");
    if (open == std::string::npos || close == std::string::npos || close < open) continue;
    const std::optional<double> value = ParseReal(line.substr(close + 3));
    if (!value) return absl::DataLossError(absl::StrCat(file, ": '", line, "': no number"));
    joules[line.substr(open + 1, close - open - 1)] = *value * 1e-6;
  }
  return joules;
}

void FindRails(const Surroundings& surroundings, Sensors& sensors) {
  for (const std::string& chip :
       EntriesOf(absl::StrCat(surroundings.root, "/sys/bus/iio/devices"), "iio:device")) {
    const std::string file = absl::StrCat(chip, "/energy_value");
    const auto rails = ReadRails(file);
    if (!rails.ok()) continue;
    for (const auto& [rail, joules] : *rails) {
      sensors.push_back(std::make_unique<FileSensor>(
          SensorInfo{.name = absl::StrCat("android:", rail),
                     .scope = Scope::kChip,
                     .part = Part::kOther,
                     .quality = Quality::kCounter,
                     .period = absl::Milliseconds(8),
                     .averaging = {},
                     .interval = absl::Milliseconds(10)},
          surroundings.root, surroundings.clock, [file, rail = rail]() -> absl::StatusOr<double> {
            ASSIGN_OR_RETURN(const auto now, ReadRails(file));
            const auto found = now.find(rail);
            if (found != now.end()) return found->second;
            return absl::NotFoundError(absl::StrCat(file, " no longer has the rail ", rail));
          }));
    }
  }
}

}  // namespace

Sensors FindAndroid(const Surroundings& surroundings) {
  Sensors sensors;
  for (const std::string& supply :
       EntriesOf(absl::StrCat(surroundings.root, "/sys/class/power_supply"), "")) {
    const auto type = ReadText(absl::StrCat(supply, "/type"));
    if (!type.ok() || *type != "Battery") continue;
    const std::string name = supply.substr(supply.rfind('/') + 1);
    // Fuel gauges give the mean over about a second.
    sensors.push_back(std::make_unique<FileSensor>(
        SensorInfo{.name = absl::StrCat("android:", name),
                   .scope = Scope::kBoard,
                   .part = Part::kMachine,
                   .quality = Quality::kAveraged,
                   .period = absl::Milliseconds(250),
                   .averaging = absl::Seconds(1),
                   .interval = absl::Milliseconds(100)},
        surroundings.root, surroundings.clock, [supply] { return ReadBatteryWatts(supply); }));
  }
  FindRails(surroundings, sensors);
  return sensors;
}

}  // namespace burnish::sensors
