// Sensors on trees of sysfs made from public documentation (tests/data/sensors/README.md).
#include <filesystem>
#include <fstream>
#include <string>

#include "agent/sensors/host_condition.h"
#include "agent/sensors/recorder.h"
#include "agent/sensors/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::sensors {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A copy of a tree, which may be written to.
class SensorsTest : public ::testing::Test {
 protected:
  ~SensorsTest() override { fs::remove_all(root_); }

  Surroundings Use(const std::string& tree) {
    root_ = fs::path(::testing::TempDir()) /
            ("sensors-" + std::to_string(::getpid()) + "-" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::copy(fs::path(BURNISH_SOURCE_DIR) / "tests/data/sensors" / tree, root_,
             fs::copy_options::recursive);
    return {.root = root_, .nvml_library = "libnone.so", .clock = clock_};
  }
  void Write(const std::string& path, const std::string& text) {
    std::ofstream(root_ / path) << text << "\n";
  }

  static Sensor* Named(const Sensors& sensors, const std::string& name) {
    for (const auto& sensor : sensors) {
      if (sensor->info().name == name) return sensor.get();
    }
    return nullptr;
  }

  SimulatedClock clock_{absl::UnixEpoch()};
  fs::path root_;
};

TEST_F(SensorsTest, AnIntelHostHasItsPackagesTheirSumAndTheirParts) {
  const Sensors sensors = FindSensors(Use("intel"));
  for (const char* name : {"rapl:packages", "rapl:package-0", "rapl:package-1", "rapl:core@0:0",
                           "rapl:dram@0:1", "hwmon:power_meter:power1"}) {
    EXPECT_NE(Named(sensors, name), nullptr) << name;
  }
  EXPECT_EQ(sensors.size(), 6u);
  Sensor* const chosen = ChooseSensor(sensors, {"auto"}, Part::kCpu);
  ASSERT_NE(chosen, nullptr);
  EXPECT_EQ(ToText(chosen->info()), "rapl:packages, chip, counter, 1ms");
  const double before = chosen->Read()->value;
  Write("sys/class/powercap/intel-rapl:0/energy_uj", "25824219837");  // 10 J more
  Write("sys/class/powercap/intel-rapl:1/energy_uj", "25001500000");  // 2.5 J more
  EXPECT_NEAR(chosen->Read()->value - before, 12.5, 1e-9);
  EXPECT_EQ(Named(sensors, "hwmon:power_meter:power1")->Read()->value, 212);
}

TEST_F(SensorsTest, ACounterThatWrapsGoesOn) {
  const Sensors sensors = FindSensors(Use("amd"));
  Sensor* const package = Named(sensors, "rapl:package-0");
  ASSERT_NE(package, nullptr);
  Write("sys/class/powercap/intel-rapl:0/energy_uj", "65532000000");
  const double before = package->Read()->value;
  Write("sys/class/powercap/intel-rapl:0/energy_uj", "389013");
  EXPECT_NEAR(package->Read()->value - before, 1.0, 1e-9);
}

TEST_F(SensorsTest, ALostSensorIsAnErrorAndNotAZero) {
  const Sensors sensors = FindSensors(Use("amd"));
  Sensor* const package = Named(sensors, "rapl:package-0");
  fs::remove(root_ / "sys/class/powercap/intel-rapl:0/energy_uj");
  EXPECT_THAT(std::string(package->Read().status().message()), HasSubstr("energy_uj"));
  Sensor* const socket = Named(sensors, "hwmon:amd_energy:Esocket0");
  Write("sys/class/hwmon/hwmon1/energy2_input", "");
  EXPECT_THAT(std::string(socket->Read().status().message()), HasSubstr("no number"));
  Write("sys/class/hwmon/hwmon1/energy2_input", "100");
  EXPECT_THAT(std::string(socket->Read().status().message()), HasSubstr("back to"));
}

TEST_F(SensorsTest, AnUnreadableSensorIsNotOffered) {
  const Surroundings surroundings = Use("amd");
  Write("sys/class/powercap/intel-rapl:0/energy_uj", "");
  const Sensors sensors = FindSensors(surroundings);
  EXPECT_EQ(Named(sensors, "rapl:package-0"), nullptr);
  EXPECT_EQ(ChooseSensor(sensors, {"auto"}, Part::kCpu)->info().name, "hwmon:amd_energy:Esocket0");
}

TEST_F(SensorsTest, OneOfTwoSocketsIsNotTakenForBoth) {
  const Surroundings surroundings = Use("amd");
  fs::remove_all(root_ / "sys/class/powercap");
  Write("sys/class/hwmon/hwmon1/energy3_label", "Esocket1");
  Write("sys/class/hwmon/hwmon1/energy3_input", "1000");
  const Sensors sensors = FindSensors(surroundings);
  EXPECT_EQ(ChooseSensor(sensors, {"auto"}, Part::kCpu), nullptr);
  EXPECT_EQ(ChooseSensor(sensors, {"hwmon:amd_energy:Esocket1"}, Part::kCpu)->info().name,
            "hwmon:amd_energy:Esocket1");
}

TEST_F(SensorsTest, AnAmdHostsGpuIsMeasuredByItsOwnDriver) {
  const Sensors sensors = FindSensors(Use("amd"));
  Sensor* const gpu = ChooseSensor(sensors, {"auto"}, Part::kGpu);
  ASSERT_NE(gpu, nullptr);
  EXPECT_EQ(gpu->info().name, "hwmon:amdgpu:PPT");
  EXPECT_EQ(gpu->info().quality, Quality::kAveraged);
  EXPECT_EQ(gpu->Read()->value, 31);
}

TEST_F(SensorsTest, AJetsonIsMeasuredAtTheInputOfItsModule) {
  const Sensors sensors = FindSensors(Use("jetson"));
  Sensor* const board = ChooseSensor(sensors, {"auto"}, Part::kCpu);
  ASSERT_NE(board, nullptr);
  EXPECT_EQ(board->info().name, "ina3221:VDD_IN");
  EXPECT_EQ(board->info().scope, Scope::kBoard);
  EXPECT_NEAR(board->Read()->value, 4.976 * 1.25, 1e-9);
  EXPECT_EQ(ChooseSensor(sensors, {"ina3221:VDD_SOC"}, Part::kCpu)->info().name, "ina3221:VDD_SOC");
  EXPECT_EQ(*board->ReadCondition()->celsius, 48.75);
  EXPECT_EQ(board->ReadCondition()->throttle, "");
  Write("sys/class/thermal/cooling_device0/cur_state", "2");
  EXPECT_EQ(board->ReadCondition()->throttle, "thermal");
}

TEST_F(SensorsTest, AnOlderJetsonHasWattsPerRail) {
  const Sensors sensors = FindSensors(Use("jetson_l4t32"));
  EXPECT_NEAR(Named(sensors, "ina3221:POM_5V_IN")->Read()->value, 2.114, 1e-9);
  EXPECT_EQ(ChooseSensor(sensors, {"auto"}, Part::kCpu)->info().name, "ina3221:POM_5V_CPU");
}

TEST_F(SensorsTest, APhoneIsMeasuredAtItsBatteryUnlessItCharges) {
  const Sensors sensors = FindSensors(Use("phone"));
  Sensor* const battery = ChooseSensor(sensors, {"auto"}, Part::kCpu);
  ASSERT_NE(battery, nullptr);
  EXPECT_EQ(battery->info().name, "android:battery");
  EXPECT_NEAR(battery->Read()->value, 4.123 * 0.4125, 1e-9);
  Write("sys/class/power_supply/battery/status", "Charging");
  EXPECT_THAT(std::string(battery->Read().status().message()), HasSubstr("unplug"));
  Sensor* const rail = Named(sensors, "android:S4M_VDD_CPUCL0");
  const double before = rail->Read()->value;
  Write("sys/bus/iio/devices/iio:device0/energy_value",
        "t=3606231\nCH0(T=3606231)[S4M_VDD_CPUCL0], 1580756123");
  EXPECT_NEAR(rail->Read()->value - before, 2, 1e-9);
  EXPECT_FALSE(Named(sensors, "android:S2M_VDD_CPUCL2")->Read().ok());
}

TEST_F(SensorsTest, TheConditionOfAHostIsTheHottestChipAndItsThrottling) {
  const Surroundings surroundings = Use("intel");
  HostCondition host(surroundings.root);
  const Condition first = host.Read();
  EXPECT_EQ(*first.celsius, 51);
  EXPECT_EQ(first.throttle, "");
  Write("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "4");
  EXPECT_EQ(host.Read().throttle, "thermal");
  EXPECT_EQ(host.Read().throttle, "");
}

TEST_F(SensorsTest, WhatIsNoSensorIsRefusedByName) {
  const Surroundings surroundings = Use("phone");
  EXPECT_TRUE(absl::IsInvalidArgument(OpenSensors({"rapel"}, surroundings).status()));
  const absl::Status missing = OpenSensors({"rapl"}, surroundings).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr("android:battery"));
  EXPECT_TRUE(OpenSensors({"none"}, surroundings)->empty());
  EXPECT_FALSE(CheckSensorNames({"none", "rapl"}).ok());
  EXPECT_FALSE(CheckSensorNames({"command:"}).ok());
}

TEST(CommandSensorTest, AProgramPrintsWattsOrJoules) {
  const auto watts = MakeCommandSensor("echo 12.5; echo 13 W; sleep 60", SystemClock());
  ASSERT_TRUE(watts->Begin().ok());
  EXPECT_EQ(watts->info().quality, Quality::kInstant);
  EXPECT_EQ(watts->Read()->value, 13);
  watts->End();
  const auto joules =
      MakeCommandSensor("echo 100 J; echo 101.5J; echo 103 J; sleep 60", SystemClock());
  ASSERT_TRUE(joules->Begin().ok());
  EXPECT_EQ(joules->info().quality, Quality::kCounter);
  const double before = joules->Read()->value;
  EXPECT_EQ(joules->Read()->value - before, 1.5);
}

TEST(CommandSensorTest, AProgramThatEndsOrTalksNonsenseIsLost) {
  const auto ends = MakeCommandSensor("echo 1; exit 3", SystemClock());
  ASSERT_TRUE(ends->Begin().ok());
  EXPECT_THAT(std::string(ends->Read().status().message()), HasSubstr("exit code 3"));
  const auto nonsense = MakeCommandSensor("echo hello", SystemClock());
  EXPECT_THAT(std::string(nonsense->Begin().message()), HasSubstr("'hello'"));
}

TEST(RecorderTest, ALostSensorIsToldToWhoeverAsks) {
  const auto sensor = MakeCommandSensor("echo 1; echo 2; echo 3", SystemClock());
  ASSERT_TRUE(sensor->Begin().ok());
  Recorder recorder(*sensor);
  absl::StatusOr<std::vector<Reading>> readings = std::vector<Reading>();
  while (readings.ok()) readings = recorder.Between(absl::ZeroDuration(), absl::InfiniteDuration());
  EXPECT_THAT(std::string(readings.status().message()), HasSubstr("is lost"));
}

}  // namespace
}  // namespace burnish::sensors
