#include "agent/worker/energy.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/sensors/energy.h"
#include "agent/sensors/recorder.h"
#include "agent/sensors/registry.h"
#include "agent/sensors/thermal.h"
#include "agent/worker/correctness_check.h"
#include "agent/worker/energy_contest.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/numbers.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

// What is remembered of a sensor.
struct Memory {
  std::optional<double> start_celsius;
  std::optional<double> least_idle_watts;
  sensors::ThrottleDetector throttling;
};

struct State {
  SensorOptions options;
  std::optional<absl::StatusOr<sensors::Sensors>> opened;
  std::map<const sensors::Sensor*, Memory> memories;
  TaskHash task;  // that the contest is of
  std::optional<EnergyContest> contest;
};

State& TheState() {
  static auto* const state = new State;
  return *state;
}

// Null: nothing measures it. Errors are those of opening what was named.
absl::StatusOr<sensors::Sensor*> SensorOf(const work::DeviceInfo& device) {
  State& state = TheState();
  if (!state.opened) {
    state.opened = sensors::OpenSensors(
        state.options.names,
        {.root = state.options.root, .nvml_library = state.options.nvml_library});
  }
  RETURN_IF_ERROR(state.opened->status());
  const auto part = device.exclusion_group == "cpu" ? sensors::Part::kCpu : sensors::Part::kGpu;
  return sensors::ChooseSensor(**state.opened, state.options.names, part);
}

work::DeviceInfo DeviceOf(const Task& task) {
  return task.backend().Devices()[task.device_index()];
}

absl::StatusOr<EnergyContest*> ContestOf(const Task& task) {
  State& state = TheState();
  const TaskHash hash = work::HashOf(task.definition());
  if (!state.contest || state.task != hash) {
    ASSIGN_OR_RETURN(work::Goals goals, work::ReadGoals(task.definition().energy_goals));
    state.contest.emplace(std::move(goals));
    state.task = hash;
  }
  return &*state.contest;
}

// A stretch of reading a sensor.
class SensorRun {
 public:
  static absl::StatusOr<std::unique_ptr<SensorRun>> Start(sensors::Sensor& sensor) {
    RETURN_IF_ERROR(sensor.Begin());
    return std::unique_ptr<SensorRun>(new SensorRun(sensor));
  }
  ~SensorRun() {
    recorder_.reset();
    sensor_.End();
  }
  sensors::Recorder& recorder() { return *recorder_; }

 private:
  explicit SensorRun(sensors::Sensor& sensor)
      : sensor_(sensor), recorder_(std::make_unique<sensors::Recorder>(sensor)) {}
  sensors::Sensor& sensor_;
  std::unique_ptr<sensors::Recorder> recorder_;
};

absl::Status Wait(absl::Duration duration, int cancel_fd) {
  pollfd hangup{.fd = cancel_fd, .events = POLLIN};
  if (!PollUntil({&hangup, 1}, DeadlineAfter(duration))) return absl::OkStatus();
  return absl::CancelledError("the agent is gone");
}

absl::StatusOr<sensors::Energy> MeasureBySensor(const Task& task, sensors::Sensor& sensor,
                                                double latency_seconds, KernelRun& run) {
  Memory& memory = TheState().memories[&sensor];
  ASSIGN_OR_RETURN(const std::unique_ptr<SensorRun> sensor_run, SensorRun::Start(sensor));
  const auto wait = [&](absl::Duration duration) {
    return Wait(duration, task.runners().cancel_fd());
  };
  const auto condition = [&] { return sensor_run->recorder().ReadCondition(); };
  ASSIGN_OR_RETURN(const sensors::Condition start, condition());
  if (!memory.start_celsius) memory.start_celsius = start.celsius;
  if (memory.start_celsius) {
    RETURN_IF_ERROR(sensors::WaitUntilCool({}, *memory.start_celsius, condition, wait).status());
  }
  ASSIGN_OR_RETURN(
      const sensors::Energy energy,
      sensors::MeasureEnergy(
          sensor.info(), TheState().options.window, latency_seconds,
          {.clock = SystemClock(),
           .deadline = run.time().deadline - task.run_timeout(),
           .record = sensor_run->recorder(),
           .run = [&](int64_t launches) { return run.ExecuteBackToBack(launches).status(); },
           .wait = wait,
           .throttled =
               [&] {
                 const auto now = condition();
                 return now.ok() && memory.throttling.Throttles(*now);
               }}));
  memory.least_idle_watts =
      std::min(energy.idle_watts, memory.least_idle_watts.value_or(energy.idle_watts));
  return energy;
}

void LogEnergy(const sensors::Sensor& sensor, const sensors::Energy& energy) {
  Log(LogLevel::kInfo, "energy",
      {{"sensor", sensors::ToText(sensor.info())},
       {"gross_joules", FormatReal(energy.joules)},
       {"net_joules", FormatReal(energy.net_joules)},
       {"watts", FormatReal(energy.watts)},
       {"idle_watts", FormatReal(energy.idle_watts)},
       {"relative_sigma", FormatReal(energy.relative_sigma)}});
}

}  // namespace

void SetSensorOptions(SensorOptions options) { TheState().options = std::move(options); }

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

absl::StatusOr<bool> MeasuresEnergy(const Task& task) {
  if (task.definition().energy_goals.empty()) return false;
  ASSIGN_OR_RETURN(const sensors::Sensor* const sensor, SensorOf(DeviceOf(task)));
  return sensor != nullptr;
}

absl::Status MeasureEnergy(const Task& task, KernelRun run, const ExpectedOutputs& expected,
                           work::Measurement& measurement) {
  ASSIGN_OR_RETURN(sensors::Sensor* const sensor, SensorOf(DeviceOf(task)));
  ASSIGN_OR_RETURN(EnergyContest* const contest, ContestOf(task));
  const auto values = [&] {
    return work::ValuesOf(*measurement.latency, measurement.correctness, measurement.figures);
  };
  if (!contest->CanWin(values(), TheState().memories[sensor].least_idle_watts.value_or(0))) {
    measurement.flags.push_back("energy_skipped");
    return absl::OkStatus();
  }
  // A runner of its own, as the first one's time limit is for verifying and timing.
  RETURN_IF_ERROR(
      run.Load(task.definition().stages[0].entry,
               2 * task.run_timeout() + sensors::EnergyTimeLimit(TheState().options.window)));
  CorrectnessCheck check(task, expected);
  RETURN_IF_ERROR(check.BeforeTiming(run).status());
  ASSIGN_OR_RETURN(const sensors::Energy energy,
                   MeasureBySensor(task, *sensor, measurement.latency->seconds, run));
  RETURN_IF_ERROR(check.AfterTiming(run));
  LogEnergy(*sensor, energy);
  measurement.figures.energy_joules = energy.joules;
  measurement.figures.net_energy_joules = energy.net_joules;
  measurement.figures.power_watts = energy.watts;
  if (!energy.stable()) measurement.flags.push_back("energy_unstable");
  if (energy.throttled) measurement.flags.push_back("throttled");
  contest->Add(values());
  return absl::OkStatus();
}

}  // namespace burnish::worker
