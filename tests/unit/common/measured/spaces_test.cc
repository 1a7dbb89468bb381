// Reads the measured spaces of real devices in the folder BURNISH_SPACES, against its manifest.
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "common/base/environment.h"
#include "common/measured/reader.h"
#include "common/measured/table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace burnish::measured {
namespace {

using work::Outcome;

class SpacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = EnvironmentVariable("BURNISH_SPACES");
    if (!folder.has_value()) GTEST_SKIP() << "BURNISH_SPACES is not set";
    folder_ = *folder + "/";
  }

  std::string folder_;
};

int64_t Failures(const MeasuredSpace& space) {
  return std::count_if(space.records.begin(), space.records.end(),
                       [](const Record& record) { return record.outcome != Outcome::kOk; });
}

TEST_F(SpacesTest, EverySpaceHasTheCountsAndTheOptimumOfTheManifest) {
  const auto manifest = nlohmann::ordered_json::parse(std::ifstream(folder_ + "manifest.json"));
  ASSERT_EQ(manifest.size(), 8);
  for (const auto& expected : manifest) {
    SCOPED_TRACE(expected["name"].get<std::string>());
    const auto space = ReadFile(folder_ + expected["file"].get<std::string>());
    ASSERT_TRUE(space.ok()) << space.status();
    EXPECT_EQ(space->name, expected["name"]);
    EXPECT_EQ(space->records.size(), expected["configurations"]);
    EXPECT_EQ(Failures(*space), expected["failed"]);
    EXPECT_THAT(space->warnings, ::testing::IsEmpty());
    ASSERT_EQ(space->parameters.size(), expected["parameters"].size());
    size_t p = 0;
    for (const auto& [name, domain] : expected["parameters"].items()) {
      EXPECT_EQ(space->parameters[p].name, name);
      EXPECT_EQ(space->parameters[p].values.size(), domain.size());
      ++p;
    }
    const auto repeats = expected["repeats"].get<size_t>();
    for (const Record& record : space->records) {
      ASSERT_EQ(record.samples_seconds.size(), record.outcome == Outcome::kOk ? repeats : 0);
      ASSERT_GT(record.compile_seconds, 0);
    }
    const auto table = Table::Create(*space);
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_NEAR(*table->OptimumSeconds() * 1e3 / expected["optimum_ms"].get<double>(), 1, 1e-12);
  }
}

TEST_F(SpacesTest, KttMeasuredNearlyTheSameSpace) {
  const auto space = ReadFile(folder_ + "ktt-convolution-RTX_3090.json.gz");
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->format, "ktt");
  EXPECT_EQ(space->device, "NVIDIA GeForce RTX 3090");
  EXPECT_EQ(space->kernel, "Convolution");
  EXPECT_EQ(space->records.size(), 6768);
  EXPECT_EQ(Failures(*space), 1528);
  EXPECT_NEAR(space->records.front().latency_seconds, 7368.064e-6, 1e-12);
}

}  // namespace
}  // namespace burnish::measured
