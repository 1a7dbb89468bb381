#include "agent/session/control_watch.h"

#include <utility>
#include <variant>

#include "agent/executor/executor.h"
#include "common/base/log.h"
#include "common/base/numbers.h"
#include "common/work/control_kernel.h"

namespace burnish::agent {

ControlWatch::ControlWatch(const AgentId& agent, const std::vector<work::DeviceInfo>& devices,
                           Wakeup& wakeup, const ControlOptions& options)
    : options_(options), wakeup_(wakeup) {
  absl::MutexLock lock(&mutex_);
  for (const work::DeviceInfo& device : devices) {
    if (!device.unavailable_reason.empty() || !work::ControlKernel(device.backend)) continue;
    devices_[DeviceIdOf(agent, device)] = Device();
  }
}

void ControlWatch::RunDue(const Measure& measure) {
  std::vector<DeviceId> start;
  {
    absl::MutexLock lock(&mutex_);
    for (auto& [id, device] : devices_) {
      if (!std::exchange(device.due, false)) continue;
      device.running = true;
      device.attempts = 0;
      start.push_back(id);
    }
  }
  for (const DeviceId& id : start) {
    measure(id,
            [this, id](work::Measurement measurement) { Measured(id, std::move(measurement)); });
  }
}

void ControlWatch::Request(const DeviceId& id) {
  absl::MutexLock lock(&mutex_);
  const auto device = devices_.find(id);
  if (device != devices_.end()) device->second.due = !device->second.running;
}

void ControlWatch::Note(const DeviceId& id, work::Report& report) {
  absl::MutexLock lock(&mutex_);
  const auto found = devices_.find(id);
  if (found == devices_.end()) return;
  Device& device = found->second;
  if (auto* measurement = std::get_if<work::Measurement>(&report.result)) {
    measurement->control_seconds = device.control_seconds;
  }
  const work::Outcome outcome =
      std::visit([](const auto& result) { return result.outcome; }, report.result);
  const bool counted = ++device.attempts >= options_.interval && options_.interval > 0;
  if (counted || outcome == work::Outcome::kCrash || outcome == work::Outcome::kInfrastructure) {
    device.due = !device.running;
  }
}

void ControlWatch::Measured(const DeviceId& id, work::Measurement measurement) {
  const bool ok = measurement.outcome == work::Outcome::kOk;
  options_.canaries.With({work::OutcomeName(measurement.outcome)}).Add();
  Log(ok ? LogLevel::kDebug : LogLevel::kWarning, "control_kernel_measured",
      {{"device", id.value()},
       {"outcome", work::OutcomeName(measurement.outcome)},
       {"message", measurement.message},
       {"run_seconds", FormatReal(measurement.run_seconds)}});
  absl::MutexLock lock(&mutex_);
  Device& device = devices_.at(id);
  device.running = false;
  if (ok && measurement.latency) device.control_seconds = measurement.latency->seconds;
  device.newest = std::move(measurement);
  device.measured = true;
  device.unsent = true;
  wakeup_.Notify();
}

void ControlWatch::Rewind() {
  absl::MutexLock lock(&mutex_);
  for (auto& [id, device] : devices_) device.unsent = device.measured;
}

std::vector<Canary> ControlWatch::TakeUnsent() {
  absl::MutexLock lock(&mutex_);
  std::vector<Canary> unsent;
  for (auto& [id, device] : devices_) {
    if (std::exchange(device.unsent, false)) unsent.push_back({id, device.newest});
  }
  return unsent;
}

}  // namespace burnish::agent
