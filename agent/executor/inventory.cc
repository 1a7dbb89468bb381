#include "agent/executor/inventory.h"

#include <utility>

#include "common/base/log.h"

namespace burnish::agent {

absl::StatusOr<std::vector<work::DeviceInfo>> TakeInventory(
    WorkerChannel& worker, const std::vector<std::string>& backends,
    const std::map<std::string, std::string>& labels, const CallLimits& limits) {
  std::vector<work::DeviceInfo> devices;
  for (const std::string& backend : backends) {
    absl::StatusOr<std::vector<work::DeviceInfo>> found = worker.Describe(backend, limits);
    if (absl::IsInvalidArgument(found.status()) || absl::IsCancelled(found.status())) {
      return found.status();
    }
    if (!found.ok()) {
      Log(LogLevel::kError, "backend_without_devices",
          {{"backend", backend}, {"reason", std::string(found.status().message())}});
      continue;
    }
    for (work::DeviceInfo& device : *found) {
      for (const auto& [key, value] : labels) device.labels[key] = value;
      Log(LogLevel::kInfo, "device",
          {{"backend", backend},
           {"name", device.name},
           {"unavailable", device.unavailable_reason}});
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

}  // namespace burnish::agent
