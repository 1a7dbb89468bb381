#include "server/dispatch/grant_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "absl/status/statusor.h"
#include "common/expr/expression.h"

namespace burnish::dispatch {
namespace {

bool SelectorAccepts(const std::string& selector, const work::DeviceInfo& device) {
  const absl::StatusOr<expr::Expression> expression = expr::Expression::Parse(selector);
  if (!expression.ok()) return false;
  const absl::StatusOr<bool> matches = work::SelectorMatches(*expression, device);
  return matches.ok() && *matches;
}

// The device for every task, or none; `devices` that serve no task yet are preferred.
class DeviceChoice {
 public:
  DeviceChoice(const std::vector<store::OpenTask>& tasks, const std::vector<FreeDevice>& devices)
      : devices_(devices) {
    for (const store::OpenTask& task : tasks) {
      if (task.device_live) ++tasks_served_[task.device];
    }
  }

  std::optional<size_t> Choose(
      const store::OpenTask& task,
      const std::function<bool(const work::DeviceInfo&, const store::OpenTask&)>& can_serve) {
    std::optional<size_t> best;
    for (size_t i = 0; i < devices_.size(); ++i) {
      const work::AttachedDevice& device = devices_[i].device;
      if (task.device_live && device.id != task.device) continue;
      if (best.has_value() && Rank(*best) <= Rank(i)) continue;
      if (can_serve(device.info, task)) best = i;
    }
    if (best.has_value() && !task.device_live) ++tasks_served_[devices_[*best].device.id];
    return best;
  }

 private:
  std::tuple<int, int, const DeviceId&> Rank(size_t i) {
    const FreeDevice& device = devices_[i];
    return {tasks_served_[device.device.id], -device.free_slots, device.device.id};
  }

  const std::vector<FreeDevice>& devices_;
  std::map<DeviceId, int> tasks_served_;
};

}  // namespace

bool CanServe(const work::DeviceInfo& device, const store::OpenTask& task,
              const work::TaskDefinition& definition) {
  if (!device.unavailable_reason.empty() || device.device_class != task.device_class) return false;
  const auto speaks = [&](const spec::Kernel& stage) {
    return std::find(device.languages.begin(), device.languages.end(), stage.language) !=
           device.languages.end();
  };
  return std::all_of(definition.stages.begin(), definition.stages.end(), speaks) &&
         SelectorAccepts(task.selector, device);
}

std::vector<PlannedGrant> PlanGrants(
    const std::vector<store::OpenTask>& tasks, const std::vector<FreeDevice>& devices,
    const std::function<bool(const work::DeviceInfo&, const store::OpenTask&)>& can_serve) {
  DeviceChoice choice(tasks, devices);
  std::vector<PlannedGrant> grants;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const std::optional<size_t> device = choice.Choose(tasks[i], can_serve);
    if (device.has_value()) grants.push_back({.task = i, .device = *device, .count = 0});
  }
  std::vector<int> free_slots;
  for (const FreeDevice& device : devices) free_slots.push_back(device.free_slots);
  for (bool progress = true; progress;) {
    progress = false;
    for (PlannedGrant& grant : grants) {
      if (grant.count == tasks[grant.task].queued || free_slots[grant.device] == 0) continue;
      ++grant.count;
      --free_slots[grant.device];
      progress = true;
    }
  }
  std::erase_if(grants, [](const PlannedGrant& grant) { return grant.count == 0; });
  return grants;
}

}  // namespace burnish::dispatch
