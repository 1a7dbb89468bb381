#include "agent/executor/inventory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/executor/scripted_worker.h"

namespace burnish::agent {
namespace {

const CallLimits kLimits{absl::Seconds(1), std::stop_token()};

TEST(InventoryTest, ABackendWhoseWorkerCrashesHasNoDevicesAndTheOthersDo) {
  WorkerScript script;
  script.describe =
      [](const std::string& backend) -> absl::StatusOr<std::vector<work::DeviceInfo>> {
    if (backend == "vulkan") return absl::UnavailableError("the worker died: signal 11");
    return std::vector<work::DeviceInfo>{TestDevice("cpu")};
  };
  ScriptedWorker worker(script);
  const auto devices = TakeInventory(worker, {"vulkan", "cpu"}, {{"rack", "3"}}, kLimits);
  ASSERT_TRUE(devices.ok());
  ASSERT_EQ(devices->size(), 1u);
  EXPECT_EQ(devices->front().backend, "cpu");
  EXPECT_EQ(devices->front().labels.at("rack"), "3");
}

TEST(InventoryTest, AnUnknownBackendIsAnError) {
  WorkerScript script;
  script.describe = [](const std::string&) -> absl::StatusOr<std::vector<work::DeviceInfo>> {
    return absl::InvalidArgumentError("unknown backend 'cuba'");
  };
  ScriptedWorker worker(script);
  EXPECT_TRUE(absl::IsInvalidArgument(TakeInventory(worker, {"cuba"}, {}, kLimits).status()));
}

}  // namespace
}  // namespace burnish::agent
