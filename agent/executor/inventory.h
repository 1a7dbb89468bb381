// What devices this host has, asked of a worker backend by backend: a driver that crashes on being
// asked takes a worker with it, not the agent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/sandbox/worker_channel.h"
#include "common/work/device.h"

namespace burnish::agent {

// A backend whose worker dies or hangs has no devices; the log says so. InvalidArgument for a
// backend that the worker does not know, Cancelled once stopped. `labels` are added to every
// device.
absl::StatusOr<std::vector<work::DeviceInfo>> TakeInventory(
    WorkerChannel& worker, const std::vector<std::string>& backends,
    const std::map<std::string, std::string>& labels, const CallLimits& limits);

}  // namespace burnish::agent
