#include "server/jobs/device_ratios.h"

#include "gtest/gtest.h"

namespace burnish::jobs {
namespace {

store::Trial Measured(const std::string& device, double seconds, double control_seconds) {
  store::Trial trial;
  trial.latency = work::Latency{.seconds = seconds};
  trial.device = DeviceId(device);
  trial.control_seconds = control_seconds;
  return trial;
}

TEST(DeviceRatios, TimesOfOtherDevicesAreBroughtToThoseOfTheFirst) {
  DeviceRatios ratios;
  ratios.Add(Measured("a", 1, 2e-4));
  ratios.Add(Measured("b", 1, 1e-4));  // twice as fast
  EXPECT_DOUBLE_EQ(ratios.ScaledSeconds(Measured("a", 3, 5e-4)), 3);
  EXPECT_DOUBLE_EQ(ratios.ScaledSeconds(Measured("b", 3, 1e-4)), 6);
}

TEST(DeviceRatios, TheFastestControlTimeOfADeviceCounts) {
  DeviceRatios ratios;
  ratios.Add(Measured("a", 1, 4e-4));
  ratios.Add(Measured("a", 1, 2e-4));
  ratios.Add(Measured("b", 1, 1e-4));
  ratios.Add(Measured("b", 1, 9e-4));  // it was busy
  EXPECT_DOUBLE_EQ(ratios.ScaledSeconds(Measured("b", 3, 9e-4)), 6);
}

TEST(DeviceRatios, WhatIsNotKnownCountsAsItIs) {
  DeviceRatios ratios;
  ratios.Add(Measured("a", 1, 0));
  ratios.Add(Measured("b", 1, 1e-4));
  ratios.Add(Measured("", 1, 1e-4));
  EXPECT_DOUBLE_EQ(ratios.ScaledSeconds(Measured("a", 3, 0)), 3);
  EXPECT_DOUBLE_EQ(ratios.ScaledSeconds(Measured("b", 3, 1e-4)), 3) << "it is the first known";
}

}  // namespace
}  // namespace burnish::jobs
