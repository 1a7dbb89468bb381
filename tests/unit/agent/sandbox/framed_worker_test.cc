// Against the real burnish-worker with the null backend, which needs no compiler.
#include "agent/sandbox/framed_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace burnish::agent {
namespace {

using ::testing::HasSubstr;

FramedWorker RealWorker(const std::string& role) {
  return FramedWorker({.arguments = {BURNISH_BINARY_DIR "/burnish-worker", "--role", role},
                       .environment = {"PATH=/usr/bin:/bin"}});
}

const CallLimits kLimits{absl::Seconds(30), std::stop_token()};

TEST(FramedWorkerTest, DescribesTheDevicesOfABackend) {
  FramedWorker worker = RealWorker("run");
  const auto devices = worker.Describe("null", kLimits);
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_FALSE(devices->empty());
  EXPECT_EQ(devices->front().backend, "null");
}

TEST(FramedWorkerTest, ARefusalIsInvalidArgumentAndTheWorkerLives) {
  FramedWorker worker = RealWorker("run");
  const auto devices = worker.Describe("cuba", kLimits);
  EXPECT_TRUE(absl::IsInvalidArgument(devices.status())) << devices.status();
  EXPECT_THAT(std::string(devices.status().message()), HasSubstr("unknown backend 'cuba'"));
  EXPECT_TRUE(worker.Describe("null", kLimits).ok());
}

}  // namespace
}  // namespace burnish::agent
