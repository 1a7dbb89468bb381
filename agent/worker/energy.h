// Energy of candidates in a run worker: which sensor measures a device, and measuring those
// candidates that can still win. State of the process: sensors, what idling takes, and the rivals
// of the present task stay from one candidate to the next. For the thread that serves requests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/worker/kernel_run.h"
#include "agent/worker/reference_values.h"
#include "agent/worker/task.h"
#include "common/work/device.h"
#include "common/work/measurement.h"

namespace burnish::worker {

struct SensorOptions {
  std::vector<std::string> names;  // as sensors::OpenSensors takes them; none: no sensor
  std::string root = "/";
  std::string nvml_library = "libnvidia-ml.so.1";
  absl::Duration window = absl::Seconds(5);  // of executions, per trial
};
// Before anything else here; until then the defaults hold.
void SetSensorOptions(SensorOptions options);

// Lets the device say that it measures energy and power, and by what (environment, `sensor`), if a
// sensor is there. Makes it unavailable if a sensor was named that cannot be had.
void AddSensor(work::DeviceInfo& device);
// What AddSensor() adds to the environment; nothing without a sensor.
std::optional<std::string> SensorText(const work::DeviceInfo& device);

// Whether the task asks for energy, and its device has a sensor.
absl::StatusOr<bool> MeasuresEnergy(const Task& task);
// Of a candidate that was right and has been timed; `run` is a runner of its own, just started.
// Adds to figures and flags: `energy_skipped` (it cannot win), `energy_unstable`, `throttled`.
absl::Status MeasureEnergy(const Task& task, KernelRun run, const ExpectedOutputs& expected,
                           work::Measurement& measurement);

}  // namespace burnish::worker
