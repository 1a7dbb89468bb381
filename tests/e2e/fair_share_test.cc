// Two teams on one device: a flood of urgent work leaves the other team its half.
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/environment.h"
#include "common/base/numbers.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"

namespace burnish::e2e {
namespace {

// Device-seconds over which shares are compared; BURNISH_SHARE_SECONDS=200 for a longer run.
double ComparedSeconds() {
  return ParseReal(EnvironmentVariable("BURNISH_SHARE_SECONDS").value_or("")).value_or(8);
}

std::string Numbers() {
  std::string list = "1";
  for (int number = 2; number <= 128; ++number) absl::StrAppend(&list, ", ", number);
  return list;
}

// Configurations of the null backend, whose executions wait: tens of milliseconds each.
std::string JobText(int trials) {
  return absl::StrCat(R"(name: waits
kernel:
  language: cpp
  source: {file: kernel.cc}
  entry: scale
  arguments:
    - {name: c, dtype: f32, shape: [n], role: output}
    - {name: n, dtype: i32, value: n}
  constants: {n: 64}
  reference: none
  parameters:
    A: [)",
                      Numbers(), R"(]
    B: [)",
                      Numbers(), R"(]
measure: {number: 10, repeat: 20, warmup: 0, min_repeat_ms: 1}
objectives: [latency]
strategy: random
budget: {trials: )",
                      trials, "}\n");
}

class FairShareTest : public ::testing::Test {
 protected:
  void SetUp() override {
    farm_.StartServer();
    farm_.StartAgent({"--backend", "null"});
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
    folder_.Write("kernel.cc", "void scale(float* c, int n) {}\n");
  }

  CommandResult Run(std::vector<std::string> arguments, const std::string& team) {
    arguments.insert(arguments.end(), {"--server", farm_.address(), "--namespace", team});
    return Burnish(arguments);
  }

  std::string Submit(const std::string& team, int trials, const std::string& priority) {
    const std::string job = folder_.Write(absl::StrCat(team, ".yaml"), JobText(trials));
    const CommandResult submitted = Run({"submit", job, "--priority", priority, "--json"}, team);
    EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
    return submitted.Json()["job_id"];
  }

  // The seconds that each record of the job kept the device, in order of storing.
  std::vector<double> Seconds(const std::string& job, const std::string& team) {
    std::vector<double> seconds;
    for (const nlohmann::json& record : Run({"records", job, "--json"}, team).JsonLines()) {
      EXPECT_EQ(record["outcome"], "ok");
      double total = 0;
      for (const nlohmann::json& sample : record["samples"]) {
        total += sample["total_ns"].get<double>() / 1e9;
      }
      seconds.push_back(total);
    }
    return seconds;
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
};

double SumFrom(const std::vector<double>& values, size_t first) {
  double sum = 0;
  for (size_t i = first; i < values.size(); ++i) sum += values[i];
  return sum;
}

TEST_F(FairShareTest, AFloodOfUrgentTrialsLeavesTheOtherTeamItsHalf) {
  const std::string flood = Submit("flood", 10'000, "10");
  // The flood has the device to itself first.
  ASSERT_TRUE(WaitUntil([&] { return Seconds(flood, "flood").size() >= 5; }, absl::Minutes(1)));
  const std::string other = Submit("other", 10'000, "0");
  ASSERT_TRUE(WaitUntil([&] { return !Seconds(other, "other").empty(); }, absl::Minutes(1)));

  const size_t flood_before = Seconds(flood, "flood").size();
  const size_t other_before = Seconds(other, "other").size();
  double flood_seconds = 0;
  double other_seconds = 0;
  ASSERT_TRUE(WaitUntil(
      [&] {
        flood_seconds = SumFrom(Seconds(flood, "flood"), flood_before);
        other_seconds = SumFrom(Seconds(other, "other"), other_before);
        return flood_seconds + other_seconds >= ComparedSeconds();
      },
      absl::Seconds(60 + 4 * ComparedSeconds())));
  const double share = other_seconds / (flood_seconds + other_seconds);
  std::cout << absl::StrCat("device-seconds: flood ", flood_seconds, ", other ", other_seconds,
                            ", share of the other team ", share, "\n");
  EXPECT_NEAR(share, 0.5, 0.05);
  EXPECT_EQ(Run({"cancel", flood}, "flood").exit_code, 0);
  EXPECT_EQ(Run({"cancel", other}, "other").exit_code, 0);
}

}  // namespace
}  // namespace burnish::e2e
