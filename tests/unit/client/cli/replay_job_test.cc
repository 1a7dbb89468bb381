#include "client/cli/replay_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/measured/reader.h"
#include "common/spec/job_reader.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kRecords[] = R"({"device_name": "A100", "kernel_name": "bowl",
    "tune_params_keys": ["A", "B", "C"], "cache": {
    "1": {"A": 1, "B": "x y", "C": 0.5, "time": "CompilationFailedConfig"},
    "2": {"A": 2, "B": "it's", "C": 2.0, "time": 5.0},
    "3": {"A": 2, "B": "x y", "C": 2.0, "time": 3.0}}})";

TEST(ReplayJobTest, IsAJobOverTheValuesOfTheFile) {
  const std::string text = ReplayJob(measured::Read("it's.json", kRecords).value(), "it's.json");
  const spec::JobText job{.file_name = "job.yaml", .text = text};
  const auto spec = spec::ReadJob(job, spec::SourceCheck::kRequired);
  ASSERT_TRUE(spec.ok()) << spec.status() << "\n" << text;
  EXPECT_EQ(spec->name, "bowl");
  EXPECT_EQ(spec->devices.text(), R"(backend == 'replay' and label.records == 'it\'s')");
  const auto built = spec::BuildSpace(job, *spec);
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built->space.size(), 8u);
  EXPECT_EQ(space::ToJson(built->space.At(built->default_index)),
            R"({"A": 2, "B": "it's", "C": 2.0})");
  EXPECT_THAT(text, HasSubstr("The file has 3 of their combinations"));
}

}  // namespace
}  // namespace burnish::cli
