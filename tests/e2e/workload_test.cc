// A workload by name: Burnish has the code. From the job file to the winner's source, through the
// server's death.
#include <sys/wait.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"

namespace burnish::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kWorkload[] = R"(name: small
workload:
  operator: matmul
  shape: {m: 33, n: 47, k: 70, batch: 3}
  dtype: f32
  transpose: [b]
  constant: [b]
  epilogue: [bias, gelu]
devices: {backend: cpu}
measure: {number: 1, repeat: 3, warmup: 0}
)";

class WorkloadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    farm_.StartServer();
    ASSERT_FALSE(HasFatalFailure());
    farm_.StartAgent({"--measure-roofs", "never"});
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  }
  CommandResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", farm_.address()});
    return Burnish(arguments);
  }
  std::string JobFile(const std::string& tail) const {
    return folder_.Write("small.yaml", absl::StrCat(kWorkload, tail));
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
};

TEST_F(WorkloadTest, IsTunedVerifiedAndShowsItsSource) {
  const CommandResult tuned = Run({"tune", JobFile("budget: {trials: 6}\n"), "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  const nlohmann::json task = tuned.Json()["tasks"][0];
  EXPECT_EQ(task["trials"], 6);
  EXPECT_EQ(task["outcomes"], nlohmann::json({{"ok", 6}}));
  EXPECT_EQ(task["best"]["verified"], true);
  EXPECT_THAT(task["best"]["configuration"]["template"], StartsWith("cpu_"));

  // What it prints compiles as it stands.
  const CommandResult source = Run({"show", "@", "--source"});
  ASSERT_EQ(source.exit_code, 0) << source.err;
  EXPECT_THAT(source.out, AllOf(HasSubstr("#define THREADS "), HasSubstr("void burnish_matmul(")));
  const std::string file = folder_.Write("best.cc", source.out);
  const std::string compile =
      absl::StrCat("c++ -std=c++20 -march=native -w -c ", file, " -o ", file, ".o");
  EXPECT_EQ(std::system(compile.c_str()), 0) << compile;

  const CommandResult json = Run({"show", "@", "--source", "--json"});
  EXPECT_EQ(json.Json()["tasks"][0]["configuration"], task["best"]["configuration"]);
  EXPECT_EQ(json.Json()["tasks"][0]["language"], "cpp");
}

TEST_F(WorkloadTest, GoesOnWhenItsServerIsKilled) {
  const CommandResult submitted = Run({"submit", JobFile("budget: {trials: 24}\n"), "--json"});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  const std::string job = submitted.Json()["job_id"];
  const auto trials = [&] {
    return int{Run({"best", job, "--json"}).Json()["tasks"][0]["trials"]};
  };
  ASSERT_TRUE(WaitUntil([&] { return trials() >= 2; }, absl::Minutes(1)));
  farm_.server().KillHard();
  farm_.StartServer();
  EXPECT_LT(trials(), 24) << "it had ended before the server was killed";
  const CommandResult ended = Run({"wait", job, "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.Json()["tasks"][0]["outcomes"], nlohmann::json({{"ok", 24}}));
}

TEST_F(WorkloadTest, WhatNoTemplateServesIsRefusedWithTheReason) {
  const std::string file = folder_.Write("odd.yaml", R"(name: odd
workload: {operator: einsum, expression: 'bmk,bkn->mnb', shape: {b: 3, m: 4, n: 5, k: 6}, dtype: f32}
budget: {trials: 2}
)");
  const CommandResult refused = Run({"submit", file});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("no schedule template serves einsum 4x5x3x6 f32"));
  EXPECT_THAT(refused.err, HasSubstr("the output's last axis is one of a batch"));
  const CommandResult checked = Burnish({"validate", file});
  EXPECT_EQ(checked.exit_code, 2) << checked.out;
  EXPECT_THAT(checked.err, HasSubstr("odd.yaml: workload: no schedule template serves"));
  EXPECT_THAT(checked.err, HasSubstr("the output's last axis is one of a batch"));
}

}  // namespace
}  // namespace burnish::e2e
