// Which device gets how many items of which task: the decision of one dispatch round, apart from
// leases and connections. Pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/time/time.h"
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

struct PlanInput {
  std::vector<store::OpenTask> tasks;
  std::vector<FreeDevice> devices;
  std::vector<store::Share> shares;
  // How long each task has had nothing granted.
  std::vector<absl::Duration> waited;
};

// Gives slots away one by one. The next slot goes to the namespace that has had least of the
// devices for its weight, what it holds counted as if done; within it to the task of the highest
// priority, one that waits gaining a step every kPriorityAgeing; within that in turn. A task takes
// a slot of the device that serves it if one is free, else of the device that serves the fewest
// tasks.
//
// This is start-time fair queueing (Goyal, Vin, Cheng 1996) over device seconds, with each
// namespace's mean attempt as the expected length.
std::vector<PlannedGrant> PlanGrants(
    const PlanInput& input,
    const std::function<bool(const work::DeviceInfo&, const store::OpenTask&)>& can_serve);

inline constexpr absl::Duration kPriorityAgeing = absl::Minutes(5);

}  // namespace burnish::dispatch
