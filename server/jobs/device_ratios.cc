#include "server/jobs/device_ratios.h"

#include <algorithm>

namespace burnish::jobs {

void DeviceRatios::Add(const store::Trial& trial) {
  if (trial.device.empty() || trial.control_seconds <= 0) return;
  if (first_.empty()) first_ = trial.device;
  double& fastest = control_seconds_.try_emplace(trial.device, trial.control_seconds).first->second;
  fastest = std::min(fastest, trial.control_seconds);
}

double DeviceRatios::ScaledSeconds(const store::Trial& trial) const {
  const auto own = control_seconds_.find(trial.device);
  if (own == control_seconds_.end() || trial.device == first_) return trial.latency->seconds;
  return trial.latency->seconds * control_seconds_.at(first_) / own->second;
}

}  // namespace burnish::jobs
