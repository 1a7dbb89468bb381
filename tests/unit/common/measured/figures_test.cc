#include "common/measured/figures.h"

#include "gtest/gtest.h"

namespace burnish::measured {
namespace {

work::Figures Of(std::vector<Metric> metrics, double latency_seconds = 2) {
  return FiguresOf({.latency_seconds = latency_seconds, .metrics = std::move(metrics)});
}

TEST(FiguresOf, ConvertsUnitsToThoseOfTheMetrics) {
  EXPECT_EQ(Of({{"energy", 1500, "mJ"}}).energy_joules, 1.5);
  EXPECT_EQ(Of({{"nvml_energy", 3, ""}}).energy_joules, 3);
  EXPECT_EQ(Of({{"Power", 20, "W"}}).power_watts, 20);
  EXPECT_EQ(Of({{"memory", 2, "KiB"}}).memory_bytes, 2048);
}

TEST(FiguresOf, DerivesEnergyAndPowerFromEachOther) {
  EXPECT_EQ(Of({{"energy", 30, "J"}}).power_watts, 15);
  EXPECT_EQ(Of({{"ps_power", 30, ""}}).energy_joules, 60);
  const work::Figures both = Of({{"energy", 30, "J"}, {"power", 14, "W"}});
  EXPECT_EQ(both.power_watts, 14) << "as the file says";
}

TEST(FiguresOf, LeavesAloneWhatItDoesNotKnow) {
  EXPECT_EQ(Of({{"GFLOP/s", 30, ""}, {"energy", 1, "kWh"}, {"energyy", 1, ""}}), work::Figures());
  EXPECT_EQ(Of({{"power", -1, ""}}), work::Figures());
}

}  // namespace
}  // namespace burnish::measured
