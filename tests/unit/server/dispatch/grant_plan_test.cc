#include "server/dispatch/grant_plan.h"

#include <deque>
#include <map>
#include <string>

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::dispatch {
namespace {

bool Anything(const work::DeviceInfo&, const store::OpenTask&) { return true; }

store::OpenTask TaskOf(const std::string& owner, int64_t job, int64_t queued, int priority = 0,
                       const std::string& device = "") {
  return {.owner = Namespace(owner),
          .id = {JobId(job), 1},
          .device_class = "class",
          .device = DeviceId(device),
          .device_live = !device.empty(),
          .queued = queued,
          .priority = priority};
}

FreeDevice DeviceOf(const std::string& id, int free_slots) {
  return {.session = SessionId("s"),
          .device = {.id = DeviceId(id), .info = {.device_class = "class"}},
          .free_slots = free_slots};
}

PlanInput InputOf(std::vector<store::OpenTask> tasks, std::vector<FreeDevice> devices) {
  PlanInput input{.tasks = std::move(tasks), .devices = std::move(devices)};
  input.waited.assign(input.tasks.size(), absl::ZeroDuration());
  return input;
}

std::map<size_t, int> SlotsByTask(const PlanInput& input) {
  std::map<size_t, int> slots;
  for (const PlannedGrant& grant : PlanGrants(input, Anything)) slots[grant.task] += grant.count;
  return slots;
}

using Slots = std::map<size_t, int>;

TEST(GrantPlan, ATeamOfManyTasksGetsNoMoreThanOneOfFew) {
  PlanInput input =
      InputOf({TaskOf("a", 1, 9), TaskOf("a", 2, 9), TaskOf("a", 3, 9), TaskOf("b", 4, 9)},
              {DeviceOf("d", 6)});
  EXPECT_EQ(SlotsByTask(input), (Slots{{0, 1}, {1, 1}, {2, 1}, {3, 3}}));
}

TEST(GrantPlan, WhoHasHadMoreWaitsByWeight) {
  PlanInput input = InputOf({TaskOf("a", 1, 9), TaskOf("b", 2, 9)}, {DeviceOf("d", 4)});
  input.shares = {{.owner = Namespace("a"), .device_seconds = 10, .mean_seconds = 1},
                  {.owner = Namespace("b"), .device_seconds = 7, .mean_seconds = 1, .leased = 1}};
  EXPECT_EQ(SlotsByTask(input), (Slots{{0, 1}, {1, 3}}));  // 8 < 9 < 10 <= 10 < 11
  input.shares[0].weight = 4;                              // 2.5, 2.75, 3, 3.25
  EXPECT_EQ(SlotsByTask(input), (Slots{{0, 4}}));
}

TEST(GrantPlan, PriorityCountsWithinATeamAndWaitingRaisesIt) {
  PlanInput input =
      InputOf({TaskOf("a", 1, 9, 5), TaskOf("a", 2, 9), TaskOf("b", 3, 9, -9)}, {DeviceOf("d", 4)});
  EXPECT_EQ(SlotsByTask(input), (Slots{{0, 2}, {2, 2}}));
  input.waited[1] = 6 * kPriorityAgeing;
  EXPECT_EQ(SlotsByTask(input), (Slots{{1, 2}, {2, 2}}));
}

TEST(GrantPlan, ATaskStaysWithItsDeviceAndSpillsOverWhenThatIsFull) {
  const PlanInput input = InputOf({TaskOf("a", 1, 5, 0, "d1"), TaskOf("a", 2, 5)},
                                  {DeviceOf("d1", 2), DeviceOf("d2", 4)});
  std::map<std::pair<size_t, size_t>, int> slots;
  for (const PlannedGrant& grant : PlanGrants(input, Anything)) {
    slots[{grant.task, grant.device}] += grant.count;
  }
  EXPECT_EQ(slots,
            (std::map<std::pair<size_t, size_t>, int>{{{0, 0}, 2}, {{0, 1}, 1}, {{1, 1}, 3}}));
}

TEST(GrantPlan, NobodyGetsMoreThanIsQueuedOrADeviceThatCannotServe) {
  PlanInput input = InputOf({TaskOf("a", 1, 1), TaskOf("b", 2, 9)}, {DeviceOf("d", 4)});
  input.devices[0].device.info.device_class = "another";
  EXPECT_EQ(SlotsByTask(input), Slots());
  input.devices[0].device.info.device_class = "class";
  EXPECT_EQ(SlotsByTask(input), (Slots{{0, 1}, {1, 3}}));
}

// One team floods 10,000 trials of the highest priority in twenty jobs; the other has one job. One
// device with four slots, 200 device seconds.
TEST(GrantPlan, AFloodOfUrgentTrialsLeavesAnotherTeamItsShare) {
  RandomStream random(7, "flood");
  std::vector<store::OpenTask> tasks;
  for (int64_t job = 0; job < 20; ++job) tasks.push_back(TaskOf("flood", job, 500, 10));
  tasks.push_back(TaskOf("quiet", 99, 10'000, -10));
  std::map<std::string, store::Share> shares;
  std::deque<size_t> held;  // the device's slots, in order
  std::map<std::string, double> served_seconds;
  double total = 0;
  while (total < 200) {
    PlanInput input = InputOf(tasks, {DeviceOf("d", 4 - static_cast<int>(held.size()))});
    for (const auto& [owner, share] : shares) input.shares.push_back(share);
    for (const PlannedGrant& grant : PlanGrants(input, Anything)) {
      for (int i = 0; i < grant.count; ++i) held.push_back(grant.task);
      tasks[grant.task].queued -= grant.count;
    }
    const std::string owner = tasks[held.front()].owner.value();
    held.pop_front();
    // The flood's trials are long, the other's short.
    const double seconds = (owner == "flood" ? 0.2 : 0.02) * (0.5 + random.UniformReal());
    total += seconds;
    served_seconds[owner] += seconds;
    store::Share& share = shares[owner];
    share.owner = Namespace(owner);
    share.device_seconds += seconds;
    share.mean_seconds = owner == "flood" ? 0.2 : 0.02;
    for (auto& [name, one] : shares) {
      one.leased = std::count_if(held.begin(), held.end(), [&, name = name](size_t task) {
        return tasks[task].owner.value() == name;
      });
    }
  }
  EXPECT_NEAR(served_seconds["quiet"] / total, 0.5, 0.05);
}

}  // namespace
}  // namespace burnish::dispatch
