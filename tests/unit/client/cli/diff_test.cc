#include "client/cli/diff.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(CompareTest, TheVerdictComesFromTheWholeInterval) {
  const Estimate a{.seconds = 1.0, .low = 0.999, .high = 1.001};
  EXPECT_EQ(Compare(a, {0.9, 0.898, 0.902}).verdict, "faster");
  EXPECT_EQ(Compare(a, {1.1, 1.098, 1.102}).verdict, "slower");
  EXPECT_EQ(Compare(a, {0.995, 0.994, 0.996}).verdict, "same") << "within 1 %, though below 1";
  EXPECT_EQ(Compare(a, {1.02, 0.97, 1.07}).verdict, "uncertain");
}

TEST(CompareTest, TheIntervalJoinsBothErrors) {
  // Equal half-widths of 2 % on both sides: their root of squares.
  const RatioVerdict verdict = Compare({1.0, 1 / 1.02, 1.02}, {1.0, 1 / 1.02, 1.02});
  EXPECT_DOUBLE_EQ(verdict.ratio, 1);
  EXPECT_NEAR(verdict.high, 1.0284, 1e-4);
  EXPECT_NEAR(verdict.low, 1 / 1.0284, 1e-4);
}

Json ResultOf(int64_t block, double seconds) {
  return {{"configuration", {{"BLOCK", block}}},
          {"latency_seconds", seconds},
          {"interval_seconds", {seconds * 0.999, seconds * 1.001}}};
}

Json RecordOf(int64_t block, double seconds) {
  return {{"task_id", "j1.1"},
          {"outcome", "ok"},
          {"late", false},
          {"configuration", {{"BLOCK", block}}},
          {"metrics", {{"latency_seconds", seconds}}},
          {"latency_interval_seconds", {seconds * 0.999, seconds * 1.001}},
          {"environment", 0}};
}

// Block 1 is the default; `best` won.
Json ExportOf(int64_t best, double best_seconds, const std::string& compiler,
              const std::string& device_class = "zen4") {
  const Json task = {{"task_id", "j1.1"},
                     {"device", {{"name", "EPYC"}, {"device_class", device_class}}},
                     {"default", ResultOf(1, 4e-3)},
                     {"best", ResultOf(best, best_seconds)}};
  return {{"schema", "burnish.records/1"},
          {"job", {{"tasks", Json::array({task})}}},
          {"environments", Json::array({{{"compiler", compiler}, {"os", "debian"}}})},
          {"records", {RecordOf(1, 4e-3), RecordOf(best, best_seconds)}}};
}

TEST(DiffTest, TellsWhatBecameFasterAndWhatChanged) {
  const auto diff =
      DiffDocuments(ExportOf(8, 2e-3, "g++ 12"), "j1", ExportOf(16, 1e-3, "g++ 13"), "j2");
  ASSERT_TRUE(diff.ok()) << diff.status();
  const Json& task = (*diff)["tasks"][0];
  EXPECT_EQ(task["best"]["verdict"], "faster");
  EXPECT_DOUBLE_EQ(task["best"]["ratio"], 0.5);
  EXPECT_EQ(task["parameters"], (Json{{"BLOCK", {8, 16}}}));
  EXPECT_EQ(task["environment"], (Json{{"compiler", {"g++ 12", "g++ 13"}}}));
  ASSERT_EQ(task["same"].size(), 1u) << "only the default was measured by both";
  EXPECT_EQ(task["same"][0]["what"], "default");
  EXPECT_EQ(task["same"][0]["verdict"], "same");
  EXPECT_EQ(task["shared"]["configurations"], 1);
  EXPECT_FALSE(IsSlowerBeyond(*diff, 0));
  const std::string text = DiffText(*diff);
  EXPECT_THAT(text, HasSubstr("0.500"));
  EXPECT_THAT(text, HasSubstr("BLOCK 8 -> 16"));
  EXPECT_THAT(text, HasSubstr("compiler g++ 12 -> g++ 13"));
}

TEST(DiffTest, FailsAboveTheShareOnly) {
  const auto diff = DiffDocuments(ExportOf(8, 1e-3, "c"), "a", ExportOf(8, 1.05e-3, "c"), "b");
  EXPECT_EQ((*diff)["tasks"][0]["best"]["verdict"], "slower");
  EXPECT_TRUE(IsSlowerBeyond(*diff, 0.03));
  EXPECT_FALSE(IsSlowerBeyond(*diff, 0.06));
}

TEST(DiffTest, ASideWithoutAResultIsNoSuccess) {
  Json without = ExportOf(8, 1e-3, "c");
  without["job"]["tasks"][0]["best"] = nullptr;
  const auto diff = DiffDocuments(ExportOf(8, 1e-3, "c"), "a", without, "b");
  ASSERT_TRUE(diff.ok());
  EXPECT_TRUE(IsSlowerBeyond(*diff, 0.03));
  EXPECT_THAT(DiffText(*diff), HasSubstr("one side has no result"));
}

TEST(DiffTest, ADocumentThatIsNoExportIsNamed) {
  const Json good = ExportOf(8, 1e-3, "c");
  for (const Json& bad : {Json(nullptr), Json{{"schema", "burnish.records/1"}}, Json(3)}) {
    EXPECT_THAT(std::string(DiffDocuments(good, "a", bad, "bad.json").status().message()),
                HasSubstr("bad.json is no export"));
  }
}

TEST(DiffTest, SeveralTasksArePairedByDeviceClass) {
  Json two = ExportOf(8, 1e-3, "c", "zen4");
  Json other = two["job"]["tasks"][0];
  other["device"]["device_class"] = "orin";
  two["job"]["tasks"].push_back(other);
  const auto diff = DiffDocuments(two, "a", ExportOf(8, 1e-3, "c", "orin"), "b");
  ASSERT_TRUE(diff.ok());
  EXPECT_EQ((*diff)["tasks"].size(), 1u);
  EXPECT_FALSE(DiffDocuments(two, "a", ExportOf(8, 1e-3, "c", "arm"), "b").ok());
}

}  // namespace
}  // namespace burnish::cli
