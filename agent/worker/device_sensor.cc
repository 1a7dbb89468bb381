#include "agent/worker/device_sensor.h"

#include <utility>

#include "agent/sensors/host_condition.h"
#include "agent/sensors/registry.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

struct State {
  SensorOptions options;
  std::optional<absl::StatusOr<sensors::Sensors>> opened;
  std::optional<sensors::HostCondition> host;
};

State& TheState() {
  static auto* const state = new State;
  return *state;
}

bool IsHostProcessor(const work::DeviceInfo& device) { return device.exclusion_group == "cpu"; }

}  // namespace

void SetSensorOptions(SensorOptions options) { TheState().options = std::move(options); }
const SensorOptions& TheSensorOptions() { return TheState().options; }

absl::StatusOr<sensors::Sensor*> SensorOf(const work::DeviceInfo& device) {
  State& state = TheState();
  if (!state.opened) {
    state.opened = sensors::OpenSensors(
        state.options.names,
        {.root = state.options.root, .nvml_library = state.options.nvml_library});
  }
  RETURN_IF_ERROR(state.opened->status());
  const auto part = IsHostProcessor(device) ? sensors::Part::kCpu : sensors::Part::kGpu;
  return sensors::ChooseSensor(**state.opened, state.options.names, part);
}

std::optional<std::string> SensorText(const work::DeviceInfo& device) {
  const auto sensor = SensorOf(device);
  if (!sensor.ok() || *sensor == nullptr) return std::nullopt;
  return sensors::ToText((*sensor)->info());
}

void AddSensor(work::DeviceInfo& device) {
  if (!device.unavailable_reason.empty()) return;
  const auto sensor = SensorOf(device);
  if (!sensor.ok()) {
    device.unavailable_reason = std::string(sensor.status().message());
    return;
  }
  if (const auto text = SensorText(device)) {
    device.metrics.push_back(spec::Metric::kEnergy);
    device.metrics.push_back(spec::Metric::kPower);
    device.environment["sensor"] = *text;
  }
}

absl::StatusOr<sensors::Condition> ReadConditionOf(const work::DeviceInfo& device) {
  if (IsHostProcessor(device)) {
    State& state = TheState();
    if (!state.host) state.host.emplace(state.options.root);
    return state.host->Read();
  }
  ASSIGN_OR_RETURN(sensors::Sensor* const sensor, SensorOf(device));
  if (sensor == nullptr) return sensors::Condition();
  return sensor->ReadCondition();
}

}  // namespace burnish::worker
