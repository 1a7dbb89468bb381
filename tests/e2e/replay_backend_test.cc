// An agent that answers from a file of measurements: the whole service without a device.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"

namespace burnish::e2e {
namespace {

using ::testing::HasSubstr;

class ReplayBackendTest : public ::testing::Test {
 protected:
  // A cache file of Kernel Tuner over A, B = 0 ... 5. (4, 2) is the best with 2 ms; what has A = 5
  // did not compile; (3, 3) is not there.
  std::string WriteRecords() {
    std::vector<std::string> records;
    for (int a = 0; a < 6; ++a) {
      for (int b = 0; b < 6; ++b) {
        if (a == 3 && b == 3) continue;
        const double time = 2 + 0.1 * ((a - 4) * (a - 4) + (b - 2) * (b - 2));
        const std::string result =
            a == 5 ? R"("CompilationFailedConfig")"
                   : absl::StrCat(time, R"(, "times": [)", time - 0.5, ", ", time + 0.5, "]");
        records.push_back(absl::StrCat("\"", a, ",", b, R"(": {"A": )", a, R"(, "B": )", b,
                                       R"(, "compile_time": 1500, "time": )", result, "}"));
      }
    }
    return folder_.Write("bowl-A100.json",
                         absl::StrCat(R"({"device_name": "A100", "kernel_name": "bowl",)",
                                      R"("tune_params_keys": ["A", "B"], "cache": {)",
                                      absl::StrJoin(records, ","), "}}"));
  }

  CommandResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", farm_.address(), "--json"});
    return Burnish(arguments);
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
};

TEST_F(ReplayBackendTest, AJobFindsTheOptimumOfTheFile) {
  const std::string records_file = WriteRecords();
  const std::string job = folder_.path() + "/job.yaml";
  ASSERT_EQ(Burnish({"init", "--from-records", records_file, "-o", job}).exit_code, 0);
  farm_.StartServer();
  farm_.StartAgent({"--backend", "replay", "--replay-records", records_file});
  ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  const nlohmann::json device = Run({"devices"}).Json()["devices"][0];
  EXPECT_EQ(device["name"], "A100");
  EXPECT_EQ(device["device_class"], "A100 (replayed)");

  const nlohmann::json submitted = Run({"submit", job}).Json();
  const std::string id = submitted["job_id"];
  Run({"wait", id});
  const nlohmann::json task = Run({"show", id}).Json()["tasks"][0];
  EXPECT_EQ(task["state"], "done") << task << farm_.agent().Log();
  EXPECT_EQ(task["outcomes"], nlohmann::json({{"ok", 29}, {"compile_error", 6}, {"rejected", 1}}));
  EXPECT_EQ(task["best"]["configuration"], nlohmann::json({{"A", 4}, {"B", 2}}));
  EXPECT_EQ(task["best"]["latency_seconds"], 2e-3);
  EXPECT_EQ(task["best"]["verified"], false);
  EXPECT_EQ(task["statistic"], "mean");

  int rejected = 0;
  for (const nlohmann::json& record : Run({"records", id}).JsonLines()) {
    if (record["outcome"] == "rejected") {
      ++rejected;
      EXPECT_EQ(record["configuration"], nlohmann::json({{"A", 3}, {"B", 3}}));
      EXPECT_EQ(record["message"], "bowl-A100 has no record of it");
    }
    if (record["outcome"] == "ok") {
      EXPECT_EQ(record["samples"].size(), 2u) << record;
      EXPECT_EQ(record["flags"], nlohmann::json({"replayed"}));
    }
  }
  EXPECT_EQ(rejected, 1);
  const nlohmann::json exported = Run({"export", id, "--format", "json"}).Json();
  EXPECT_EQ(exported["environments"], nlohmann::json({{{"replay", records_file}}}));
}

TEST_F(ReplayBackendTest, AnAgentWithoutItsFileDoesNotStart) {
  farm_.StartServer();
  farm_.StartAgent({"--backend", "replay", "--replay-records", "/nowhere/bowl.json"});
  const auto ended = farm_.agent().Wait(absl::Seconds(30));
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 2);
  EXPECT_THAT(farm_.agent().Log(), HasSubstr("--replay-records: "));
  EXPECT_THAT(farm_.agent().Log(), HasSubstr("/nowhere/bowl.json"));
}

}  // namespace
}  // namespace burnish::e2e
