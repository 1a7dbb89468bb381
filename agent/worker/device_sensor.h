// Which sensor measures a device, and how warm the device is. State of the process: sensors stay
// open from one candidate to the next. For the thread that serves requests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/sensors/sensor.h"
#include "common/work/device.h"

namespace burnish::worker {

struct SensorOptions {
  std::vector<std::string> names;  // as sensors::OpenSensors takes them; none: no sensor
  std::string root = "/";
  std::string nvml_library = "libnvidia-ml.so.1";
  absl::Duration window = absl::Seconds(5);     // of executions, per trial of energy
  absl::Duration sustained = absl::Minutes(1);  // of executions, for the sustained latency
};
// Before anything else here; until then the defaults hold.
void SetSensorOptions(SensorOptions options);
const SensorOptions& TheSensorOptions();

// Null: nothing measures its power. Errors are those of opening what was named.
absl::StatusOr<sensors::Sensor*> SensorOf(const work::DeviceInfo& device);

// Lets the device say that it measures energy and power, and by what (environment, `sensor`), if a
// sensor is there. Makes it unavailable if a sensor was named that cannot be had.
void AddSensor(work::DeviceInfo& device);
// What AddSensor() adds to the environment; nothing without a sensor.
std::optional<std::string> SensorText(const work::DeviceInfo& device);

// From its sensor or, of the host's processor, from the host. What is not told is absent.
absl::StatusOr<sensors::Condition> ReadConditionOf(const work::DeviceInfo& device);

}  // namespace burnish::worker
