// NVML through a stand-in library (tests/support/stand_in_nvml.cc), and our declarations of it
// beside the real header, where there is one.
#include <cstdlib>
#include <string>
#include <type_traits>

#include "agent/sensors/nvml_library.h"
#include "agent/sensors/registry.h"
#include "gtest/gtest.h"

#if __has_include(<nvml.h>)
#include <nvml.h>
#define BURNISH_HAS_NVML_HEADER 1
#endif

namespace burnish::sensors {
namespace {

class NvmlTest : public ::testing::Test {
 protected:
  ~NvmlTest() override { ::unsetenv("STAND_IN_NVML_LACKS"); }
  const Surroundings surroundings_{.nvml_library = BURNISH_STAND_IN_NVML};
};

TEST_F(NvmlTest, TheEnergyCounterIsPreferred) {
  const Sensors sensors = FindNvml(surroundings_);
  ASSERT_EQ(sensors.size(), 2u);
  EXPECT_EQ(ToText(sensors[1]->info()), "nvml:1, board, counter, 100ms");
  const double before = sensors[0]->Read()->value;
  EXPECT_NEAR(sensors[0]->Read()->value - before, 1.5, 1e-9);
}

TEST_F(NvmlTest, WithoutACounterItIsWattsOfTheMomentAndThenTheDriversAverage) {
  ::setenv("STAND_IN_NVML_LACKS", "energy", 1);
  Sensors sensors = FindNvml(surroundings_);
  ASSERT_EQ(sensors.size(), 2u);
  EXPECT_EQ(sensors[0]->info().quality, Quality::kInstant);
  EXPECT_EQ(sensors[0]->Read()->value, 71);
  ::setenv("STAND_IN_NVML_LACKS", "energy instant", 1);
  EXPECT_FALSE(sensors[0]->Read().ok());
  sensors = FindNvml(surroundings_);
  EXPECT_EQ(sensors[0]->info().quality, Quality::kAveraged);
  EXPECT_EQ(sensors[0]->Read()->value, 70.5);
}

TEST_F(NvmlTest, TheConditionHasClocksHeatAndReasons) {
  const Sensors sensors = FindNvml(surroundings_);
  const Condition first = *sensors[0]->ReadCondition();
  EXPECT_EQ(*first.celsius, 41);
  EXPECT_EQ(*first.clock_hz, 1410e6);
  EXPECT_EQ(*first.default_clock_hz, 1980e6);
  EXPECT_EQ(first.throttle, "") << "an idle clock is not held back";
  EXPECT_EQ(sensors[1]->ReadCondition()->throttle, "thermal");
}

TEST_F(NvmlTest, WhichOfSeveralGpusIsMeantHasToBeSaid) {
  const Sensors sensors = FindNvml(surroundings_);
  EXPECT_EQ(ChooseSensor(sensors, {"auto"}, Part::kGpu), nullptr);
  EXPECT_EQ(ChooseSensor(sensors, {"nvml:1"}, Part::kGpu)->info().name, "nvml:1");
  EXPECT_EQ(ChooseSensor(sensors, {"auto"}, Part::kCpu), nullptr);
}

TEST_F(NvmlTest, AHostWithoutTheLibraryHasNoSuchSensors) {
  EXPECT_TRUE(FindNvml({.nvml_library = "libno-such-library.so"}).empty());
}

TEST_F(NvmlTest, OurDeclarationsAreThoseOfTheHeader) {
#ifndef BURNISH_HAS_NVML_HEADER
  GTEST_SKIP() << "there is no nvml.h on this machine to compare with";
#else
  static_assert(sizeof(nvml::FieldValue) == sizeof(nvmlFieldValue_t));
  static_assert(offsetof(nvml::FieldValue, result) == offsetof(nvmlFieldValue_t, nvmlReturn));
  static_assert(offsetof(nvml::FieldValue, value) == offsetof(nvmlFieldValue_t, value));
  static_assert(sizeof(nvml::Result) == sizeof(nvmlReturn_t));
  static_assert(std::is_same_v<nvml::Device, nvmlDevice_t> ||
                sizeof(nvml::Device) == sizeof(nvmlDevice_t));
  static_assert(nvml::kTemperatureGpu == NVML_TEMPERATURE_GPU);
  static_assert(nvml::kClockSm == NVML_CLOCK_SM);
  static_assert(nvml::kFieldPowerInstant == NVML_FI_DEV_POWER_INSTANT);
  static_assert(std::is_invocable_r_v<nvmlReturn_t, decltype(nvmlDeviceGetTotalEnergyConsumption),
                                      nvmlDevice_t, unsigned long long*>);
  static_assert(std::is_invocable_r_v<nvmlReturn_t, decltype(nvmlDeviceGetFieldValues),
                                      nvmlDevice_t, int, nvmlFieldValue_t*>);
  static_assert(std::is_invocable_r_v<nvmlReturn_t, decltype(nvmlDeviceGetPowerUsage), nvmlDevice_t,
                                      unsigned*>);
  static_assert(std::is_invocable_r_v<nvmlReturn_t, decltype(nvmlDeviceSetGpuLockedClocks),
                                      nvmlDevice_t, unsigned, unsigned>);
  static_assert(
      std::is_invocable_r_v<nvmlReturn_t, decltype(nvmlDeviceResetGpuLockedClocks), nvmlDevice_t>);
#endif
}

}  // namespace
}  // namespace burnish::sensors
