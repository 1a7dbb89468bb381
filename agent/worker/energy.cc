#include "agent/worker/energy.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/sensors/energy.h"
#include "agent/sensors/recorder.h"
#include "agent/worker/contest.h"
#include "agent/worker/correctness_check.h"
#include "agent/worker/device_sensor.h"
#include "agent/worker/heat_gate.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

struct State {
  std::map<const sensors::Sensor*, double> least_idle_watts;
};

State& TheState() {
  static auto* const state = new State;
  return *state;
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

absl::StatusOr<sensors::Energy> MeasureBySensor(const Task& task, sensors::Sensor& sensor,
                                                double latency_seconds, KernelRun& run) {
  ASSIGN_OR_RETURN(const std::unique_ptr<SensorRun> sensor_run, SensorRun::Start(sensor));
  const auto wait = [&](absl::Duration duration) { return Wait(task, duration); };
  const auto condition = [&] { return sensor_run->recorder().ReadCondition(); };
  HeatGate& heat = HeatGateOf(task);
  RETURN_IF_ERROR(heat.WaitUntilCool(condition, wait));
  ASSIGN_OR_RETURN(
      const sensors::Energy energy,
      sensors::MeasureEnergy(
          sensor.info(), TheSensorOptions().window, latency_seconds,
          {.clock = SystemClock(),
           .deadline = run.time().deadline - task.run_timeout(),
           .record = sensor_run->recorder(),
           .run = [&](int64_t launches) { return run.ExecuteBackToBack(launches).status(); },
           .wait = wait,
           .throttled =
               [&] {
                 const auto now = condition();
                 return now.ok() && heat.HoldsBack(*now);
               }}));
  double& least = TheState().least_idle_watts.try_emplace(&sensor, energy.idle_watts).first->second;
  least = std::min(least, energy.idle_watts);
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

absl::StatusOr<bool> MeasuresEnergy(const Task& task) {
  if (task.definition().costly_goals.empty()) return false;
  ASSIGN_OR_RETURN(const Contest* const contest, ContestOf(task));
  const work::Goals& goals = contest->goals();
  if (!goals.Name(spec::Metric::kEnergy) && !goals.Name(spec::Metric::kPower)) return false;
  ASSIGN_OR_RETURN(const sensors::Sensor* const sensor, SensorOf(DeviceOf(task)));
  return sensor != nullptr;
}

absl::Status MeasureEnergy(const Task& task, KernelRun run, const ExpectedOutputs& expected,
                           work::Measurement& measurement) {
  ASSIGN_OR_RETURN(sensors::Sensor* const sensor, SensorOf(DeviceOf(task)));
  ASSIGN_OR_RETURN(Contest* const contest, ContestOf(task));
  const auto values = [&] {
    return work::ValuesOf(*measurement.latency, measurement.correctness, measurement.figures);
  };
  const auto idle = TheState().least_idle_watts.find(sensor);
  if (!contest->CanWin(values(), idle == TheState().least_idle_watts.end() ? 0 : idle->second,
                       LeastWithoutPause(task, measurement.latency->seconds))) {
    measurement.flags.push_back("energy_skipped");
    return absl::OkStatus();
  }
  // A runner of its own, as the first one's time limit is for verifying and timing.
  RETURN_IF_ERROR(
      run.Load(task.definition().stages[0].entry,
               2 * task.run_timeout() + sensors::EnergyTimeLimit(TheSensorOptions().window)));
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
  return absl::OkStatus();
}

}  // namespace burnish::worker
