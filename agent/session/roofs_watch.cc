#include "agent/session/roofs_watch.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/executor/executor.h"
#include "common/base/log.h"

namespace burnish::agent {

RoofsWatch::RoofsWatch(const AgentId& agent, const std::vector<work::DeviceInfo>& devices,
                       RoofsCache cache, Wakeup& wakeup, const RoofsOptions& options)
    : cache_(std::move(cache)), wakeup_(wakeup) {
  absl::MutexLock lock(&mutex_);
  for (const work::DeviceInfo& info : devices) {
    Device& device = devices_[DeviceIdOf(agent, info)];
    device.info = info;
    if (!options.measures) {
      device.roofs.absence = "its agent was started with --measure-roofs never";
      continue;
    }
    if (options.remembers) device.roofs = cache_.Find(info).value_or(work::Roofs());
    if (device.roofs.known()) continue;
    device.due = info.unavailable_reason.empty();
    device.roofs.absence = device.due ? work::kRoofsPending : info.unavailable_reason;
  }
}

void RoofsWatch::RunDue(const Measure& measure) {
  std::vector<DeviceId> start;
  {
    absl::MutexLock lock(&mutex_);
    for (auto& [id, device] : devices_) {
      if (std::exchange(device.due, false)) start.push_back(id);
    }
  }
  for (const DeviceId& id : start) {
    measure(id, [this, id](absl::StatusOr<work::Roofs> roofs) { Measured(id, std::move(roofs)); });
  }
}

work::Roofs RoofsWatch::Of(const DeviceId& id) const {
  absl::MutexLock lock(&mutex_);
  const auto device = devices_.find(id);
  return device == devices_.end() ? work::Roofs() : device->second.roofs;
}

void RoofsWatch::Measured(const DeviceId& id, absl::StatusOr<work::Roofs> roofs) {
  if (!roofs.ok()) {
    const std::string reason(roofs.status().message());
    Log(LogLevel::kWarning, "roofs_not_measured", {{"device", id.value()}, {"reason", reason}});
    roofs = work::Roofs{.absence = absl::StrCat("measuring them failed: ", reason)};
  }
  absl::MutexLock lock(&mutex_);
  Device& device = devices_.at(id);
  device.roofs = *std::move(roofs);
  device.unsent = true;
  if (device.roofs.known()) cache_.Put(device.info, device.roofs);
  wakeup_.Notify();
}

void RoofsWatch::Rewind() {
  absl::MutexLock lock(&mutex_);
  for (auto& [id, device] : devices_) device.unsent = false;
}

std::vector<DeviceRoofs> RoofsWatch::TakeUnsent() {
  absl::MutexLock lock(&mutex_);
  std::vector<DeviceRoofs> unsent;
  for (auto& [id, device] : devices_) {
    if (std::exchange(device.unsent, false)) unsent.push_back({id, device.roofs});
  }
  return unsent;
}

}  // namespace burnish::agent
