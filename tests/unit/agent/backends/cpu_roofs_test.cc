#include <algorithm>
#include <filesystem>
#include <string>

#include "agent/backends/cpu/device.h"
#include "agent/backends/cpu/roofs.h"
#include "agent/backends/registry.h"
#include "gtest/gtest.h"

namespace burnish::backends::cpu {
namespace {

double BandwidthOf(const work::Roofs& roofs, const std::string& level) {
  for (const work::Bandwidth& bandwidth : roofs.bandwidths) {
    if (bandwidth.level == level && bandwidth.threads == 1) return bandwidth.bytes_per_second;
  }
  return 0;
}

// Orders of magnitude alone: the machine is busy with other tests.
TEST(CpuRoofs, AreMeasuredOnThisProcessor) {
  RoofJob job;
  job.artefact_folder = testing::TempDir() + "/burnish_cpu_roofs";
  job.time_limit = absl::Milliseconds(200);
  const auto roofs = CpuRoofMeter().Measure(job);
  ASSERT_TRUE(roofs.ok()) << roofs.status();
  EXPECT_GT(work::PeakOf(*roofs, "f32", 1).value_or(0), 1e8);
  EXPECT_GT(work::PeakOf(*roofs, "f64", 1).value_or(0), 1e8);
  EXPECT_GT(BandwidthOf(*roofs, "memory"), 1e8);
  if (HostCpu().l1d.bytes > 0) {
    EXPECT_GE(BandwidthOf(*roofs, "L1"), BandwidthOf(*roofs, "memory"));
  }
  const auto& isa = HostCpu().isa;
  EXPECT_EQ(work::PeakOf(*roofs, "bf16", 1).has_value(),
            std::ranges::find(isa, "avx512_bf16") != isa.end());
  for (const work::Bandwidth& bandwidth : roofs->bandwidths) {
    EXPECT_GT(bandwidth.capacity_bytes, 0) << bandwidth.level;
  }
  std::filesystem::remove_all(job.artefact_folder);
}

TEST(CpuRoofs, SayWhyTheCodeCouldNotBeBuilt) {
  RoofJob job;
  job.artefact_folder = "/proc/no such folder";
  const auto roofs = CpuRoofMeter().Measure(job);
  EXPECT_NE(std::string(roofs.status().message()).find("compiling: "), std::string::npos)
      << roofs.status();
}

TEST(CpuRoofs, TheNullBackendHasNone) {
  EXPECT_NE(FindBackend("cpu")->roof_meter(), nullptr);
  EXPECT_EQ(FindBackend("null")->roof_meter(), nullptr);
}

TEST(CpuCaches, AreCountedByThoseThatShareThem) {
  EXPECT_EQ(CountCpuList("0"), 1);
  EXPECT_EQ(CountCpuList("0-3,8-11"), 8);
  EXPECT_EQ(CountCpuList(""), 1);
  const Cache shared{.bytes = 100, .sharing = 4};
  EXPECT_EQ(shared.BytesOf(1), 100);
  EXPECT_EQ(shared.BytesOf(4), 100);
  EXPECT_EQ(shared.BytesOf(5), 200);
}

}  // namespace
}  // namespace burnish::backends::cpu
