// Power and energy of the kernel's hwmon class: energyN_input in microjoules, powerN_input and
// powerN_average in microwatts.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "agent/sensors/file_sensor.h"
#include "agent/sensors/registry.h"
#include "agent/sensors/sysfs.h"
#include "common/base/status_macros.h"

namespace burnish::sensors {
namespace {

struct Channel {
  std::string file;
  std::string label;  // "Esocket0", or as the channel: "power1"
  Quality quality;
};

// What a driver's channel is of; its documentation says so.
struct KnownChannel {
  std::string_view chip;
  std::string_view label_prefix;
  Part part;
  Scope scope;
};
constexpr KnownChannel kKnownChannels[] = {
    {"amd_energy", "Esocket", Part::kCpu, Scope::kChip},
    {"amdgpu", "", Part::kGpu, Scope::kBoard},
    {"i915", "", Part::kGpu, Scope::kBoard},
    {"xe", "", Part::kGpu, Scope::kBoard},
    {"power_meter", "", Part::kMachine, Scope::kBoard},
};

std::string LabelOf(const std::string& chip, const std::string& channel) {
  const auto label = ReadText(absl::StrCat(chip, "/", channel, "_label"));
  return label.ok() && !label->empty() ? *label : channel;
}

std::vector<Channel> ChannelsOf(const std::string& chip) {
  std::vector<Channel> channels;
  for (const std::string& file : EntriesOf(chip, "")) {
    const std::string name = file.substr(file.rfind('/') + 1);
    const std::string channel = name.substr(0, name.find('_'));
    if (name.starts_with("energy") && name.ends_with("_input")) {
      channels.push_back({file, LabelOf(chip, channel), Quality::kCounter});
    } else if (name.starts_with("power") && name.ends_with("_input")) {
      channels.push_back({file, LabelOf(chip, channel), Quality::kInstant});
    } else if (name.starts_with("power") && name.ends_with("_average")) {
      channels.push_back({file, LabelOf(chip, channel), Quality::kAveraged});
    }
  }
  return channels;
}

absl::Duration AveragingOf(const std::string& chip, const Channel& channel) {
  if (channel.quality != Quality::kAveraged) return absl::ZeroDuration();
  // "powerN_average_interval", in milliseconds, where the driver has it.
  const auto milliseconds = ReadNumber(absl::StrCat(channel.file, "_interval"));
  return milliseconds.ok() ? absl::Milliseconds(*milliseconds) : absl::Seconds(1);
}

}  // namespace

Sensors FindHwmon(const Surroundings& surroundings) {
  Sensors sensors;
  for (const std::string& chip :
       EntriesOf(absl::StrCat(surroundings.root, "/sys/class/hwmon"), "hwmon")) {
    const auto name = ReadText(absl::StrCat(chip, "/name"));
    if (!name.ok() || name->starts_with("ina3221")) continue;  // has a kind of its own
    for (const Channel& channel : ChannelsOf(chip)) {
      const auto* known = std::ranges::find_if(kKnownChannels, [&](const KnownChannel& one) {
        return one.chip == *name && channel.label.starts_with(one.label_prefix);
      });
      const bool is_known = known != std::end(kKnownChannels);
      const absl::Duration averaging = AveragingOf(chip, channel);
      sensors.push_back(std::make_unique<FileSensor>(
          SensorInfo{.name = absl::StrCat("hwmon:", *name, ":", channel.label),
                     .scope = is_known ? known->scope : Scope::kBoard,
                     .part = is_known ? known->part : Part::kOther,
                     .quality = channel.quality,
                     .period = absl::Milliseconds(channel.quality == Quality::kCounter ? 1 : 10),
                     .averaging = averaging,
                     .interval = absl::Milliseconds(channel.quality == Quality::kInstant ? 2 : 10)},
          surroundings.root, surroundings.clock, [file = channel.file]() -> absl::StatusOr<double> {
            ASSIGN_OR_RETURN(const double micro, ReadNumber(file));
            return micro * 1e-6;
          }));
    }
  }
  return sensors;
}

}  // namespace burnish::sensors
