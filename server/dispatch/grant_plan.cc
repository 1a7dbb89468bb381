#include "server/dispatch/grant_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

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

class Planner {
 public:
  Planner(const PlanInput& input,
          const std::function<bool(const work::DeviceInfo&, const store::OpenTask&)>& can_serve)
      : input_(input) {
    ReadShares();
    std::map<std::string, std::vector<size_t>> by_class;
    for (size_t i = 0; i < input.devices.size(); ++i) {
      free_slots_.push_back(input.devices[i].free_slots);
      by_class[input.devices[i].device.info.device_class].push_back(i);
    }
    for (size_t i = 0; i < input.tasks.size(); ++i) {
      const store::OpenTask& task = input.tasks[i];
      if (task.device_live) ++tasks_served_[task.device];
      Demand demand{.left = task.queued};
      for (const size_t device : by_class[task.device_class]) {
        if (can_serve(input.devices[device].device.info, task)) demand.devices.push_back(device);
      }
      demands_.push_back(std::move(demand));
      TeamOf(task.owner).waiting.insert(PlaceOf(i));
    }
  }

  std::vector<PlannedGrant> Plan() {
    while (Team* team = NextTeam()) {
      const size_t task = std::get<2>(*team->waiting.begin());
      team->waiting.erase(team->waiting.begin());
      Demand& demand = demands_[task];
      const std::optional<size_t> device = DeviceFor(input_.tasks[task], demand);
      if (!device.has_value() || demand.left == 0) continue;
      ++grants_[{task, *device}];
      --free_slots_[*device];
      --demand.left;
      ++demand.granted;
      team->used += team->step;
      team->waiting.insert(PlaceOf(task));
    }
    std::vector<PlannedGrant> grants;
    for (const auto& [where, count] : grants_) {
      grants.push_back({.task = where.first, .device = where.second, .count = count});
    }
    return grants;
  }

 private:
  // The lowest is next: negated priority, slots granted in this round, index of the task.
  using Place = std::tuple<int64_t, int64_t, size_t>;
  struct Demand {
    int64_t left = 0;
    int64_t granted = 0;
    std::vector<size_t> devices;  // that can serve the task
  };
  // A namespace: what it has had, and gets in this round, in device seconds for its weight.
  struct Team {
    double used = 0;
    double step = 0;  // one more attempt
    std::set<Place> waiting;
  };

  void ReadShares() {
    double seconds = 0;
    int known = 0;
    for (const store::Share& share : input_.shares) {
      if (share.mean_seconds <= 0) continue;
      seconds += share.mean_seconds;
      ++known;
    }
    usual_seconds_ = known > 0 ? seconds / known : 1;
    for (const store::Share& share : input_.shares) {
      const double mean = share.mean_seconds > 0 ? share.mean_seconds : usual_seconds_;
      Team& team = teams_[share.owner];
      team.used = (share.device_seconds + static_cast<double>(share.leased) * mean) / share.weight;
      team.step = mean / share.weight;
    }
  }
  Team& TeamOf(const Namespace& owner) {
    const auto [team, added] = teams_.try_emplace(owner);
    if (added) team->second.step = usual_seconds_;
    return team->second;
  }
  Place PlaceOf(size_t task) const {
    const auto aged = static_cast<int64_t>(input_.waited[task] / kPriorityAgeing);
    return {-(input_.tasks[task].priority + aged), demands_[task].granted, task};
  }
  // Null when nobody wants anything more.
  Team* NextTeam() {
    Team* best = nullptr;
    for (auto& [owner, team] : teams_) {
      if (!team.waiting.empty() && (best == nullptr || team.used < best->used)) best = &team;
    }
    return best;
  }

  std::optional<size_t> DeviceFor(const store::OpenTask& task, const Demand& demand) {
    std::optional<size_t> best;
    for (const size_t i : demand.devices) {
      if (free_slots_[i] == 0) continue;
      if (!best.has_value() || DeviceRank(task, i) < DeviceRank(task, *best)) best = i;
    }
    if (best.has_value() && input_.devices[*best].device.id != task.device) {
      ++tasks_served_[input_.devices[*best].device.id];
    }
    return best;
  }
  std::tuple<bool, int, int, const DeviceId&> DeviceRank(const store::OpenTask& task, size_t i) {
    const DeviceId& id = input_.devices[i].device.id;
    return {id != task.device, tasks_served_[id], -free_slots_[i], id};
  }

  const PlanInput& input_;
  double usual_seconds_ = 1;
  std::map<Namespace, Team> teams_;
  std::vector<int> free_slots_;
  std::vector<Demand> demands_;
  std::map<DeviceId, int> tasks_served_;
  std::map<std::pair<size_t, size_t>, int> grants_;
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
    const PlanInput& input,
    const std::function<bool(const work::DeviceInfo&, const store::OpenTask&)>& can_serve) {
  return Planner(input, can_serve).Plan();
}

}  // namespace burnish::dispatch
