#include "agent/sensors/host_condition.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/sensors/sysfs.h"

namespace burnish::sensors {
namespace {

constexpr std::string_view kProcessorChips[] = {"coretemp", "k10temp", "zenpower"};

// Thousandths of a degree; of chips that are processors, else of thermal zones named after one.
std::vector<std::string> TemperatureFiles(const std::string& root) {
  std::vector<std::string> files;
  for (const std::string& chip : EntriesOf(absl::StrCat(root, "/sys/class/hwmon"), "hwmon")) {
    const auto name = ReadText(absl::StrCat(chip, "/name"));
    if (name.ok() && std::ranges::count(kProcessorChips, *name) > 0) {
      files.push_back(absl::StrCat(chip, "/temp1_input"));
    }
  }
  if (!files.empty()) return files;
  for (const std::string& zone :
       EntriesOf(absl::StrCat(root, "/sys/class/thermal"), "thermal_zone")) {
    const auto type = ReadText(absl::StrCat(zone, "/type"));
    if (type.ok() && (type->find("cpu") != std::string::npos ||
                      type->find("CPU") != std::string::npos || *type == "x86_pkg_temp")) {
      files.push_back(absl::StrCat(zone, "/temp"));
    }
  }
  return files;
}

}  // namespace

HostCondition::HostCondition(std::string root)
    : root_(std::move(root)), temperatures_(TemperatureFiles(root_)) {}

Condition HostCondition::Read() {
  Condition condition;
  for (const std::string& file : temperatures_) {
    const auto millidegrees = ReadNumber(file);
    if (!millidegrees.ok()) continue;
    condition.celsius = std::max(condition.celsius.value_or(-273), *millidegrees * 1e-3);
  }
  const auto throttles = ReadNumber(
      absl::StrCat(root_, "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count"));
  if (throttles.ok()) {
    if (throttles_ >= 0 && *throttles > throttles_) condition.throttle = "thermal";
    throttles_ = *throttles;
  }
  for (const std::string& device :
       EntriesOf(absl::StrCat(root_, "/sys/class/thermal"), "cooling_device")) {
    const auto type = ReadText(absl::StrCat(device, "/type"));
    const auto state = ReadNumber(absl::StrCat(device, "/cur_state"));
    if (type.ok() && type->find("cpufreq") != std::string::npos && state.ok() && *state > 0) {
      condition.throttle = "thermal";
    }
  }
  return condition;
}

}  // namespace burnish::sensors
