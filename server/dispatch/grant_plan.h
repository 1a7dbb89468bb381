// Which device gets how many items of which task: the decision of one dispatch round, apart from
// leases and connections. Pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "common/work/device.h"
#include "common/work/task_definition.h"
#include "server/store/store.h"

namespace burnish::dispatch {

// An attached device that can take more work.
struct FreeDevice {
  SessionId session;
  work::AttachedDevice device;
  int free_slots = 0;
};

// Whether the device can run the task: class, selector, languages, availability.
bool CanServe(const work::DeviceInfo& device, const store::OpenTask& task,
              const work::TaskDefinition& definition);

struct PlannedGrant {
  size_t task = 0;    // index into the tasks
  size_t device = 0;  // index into the devices
  int count = 0;
};

// Gives slots away one by one, task after task in the order given, so that no task waits behind the
// whole queue of another. A task stays with its live device; a task without one goes to the device
// with the fewest tasks. At most one grant per task.
std::vector<PlannedGrant> PlanGrants(
    const std::vector<store::OpenTask>& tasks, const std::vector<FreeDevice>& devices,
    const std::function<bool(const work::DeviceInfo&, const store::OpenTask&)>& can_serve);

}  // namespace burnish::dispatch
