// A job over TCP from submit to the verified best, through real server, agent and worker.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/stats/statistics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

using ::testing::HasSubstr;

class TcpJobTest : public ::testing::Test {
 protected:
  void SetUp() override {
    farm_.StartServer();
    ASSERT_FALSE(HasFatalFailure());
    farm_.StartAgent();
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  }

  CommandResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", farm_.address()});
    return Burnish(arguments);
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
};

TEST_F(TcpJobTest, TuneEndsWithAVerifiedBestThatTheRecordsImply) {
  const std::string job = WriteSmallJob(folder_, {.trials = 8});
  const CommandResult tuned = Run({"tune", job, "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err << farm_.server().Log() << farm_.agent().Log();
  const nlohmann::json document = tuned.Json();
  EXPECT_EQ(document["state"], "done");
  EXPECT_EQ(document["name"], "scale");
  const nlohmann::json& task = document["tasks"][0];
  EXPECT_EQ(task["trials"], 8);
  EXPECT_EQ(task["valid"], 8);
  EXPECT_EQ(task["outcomes"]["ok"], 8);
  EXPECT_EQ(task["statistic"], "p20");
  EXPECT_EQ(task["best"]["verified"], true);
  EXPECT_EQ(task["device"]["backend"], "cpu");
  EXPECT_EQ(task["default"]["configuration"], nlohmann::json({{"UNROLL", 1}, {"MODE", 0}}));

  const std::string job_id = document["job_id"];
  const auto records = Run({"records", job_id, "--json"}).JsonLines();
  ASSERT_EQ(records.size(), 8u);
  std::set<std::string> attempts;
  std::set<std::string> configurations;
  std::set<int> trials;  // stored in whatever order they ended
  for (const nlohmann::json& record : records) {
    trials.insert(record["trial"].get<int>());
    attempts.insert(record["attempt_id"]);
    configurations.insert(record["configuration"].dump());
    EXPECT_EQ(record["outcome"], "ok");
    EXPECT_GT(record["metrics"]["latency_seconds"], 0.0);
    EXPECT_GE(record["samples"].size(), 10u);
  }
  EXPECT_EQ(attempts.size(), 8u);
  EXPECT_EQ(configurations.size(), 8u);
  EXPECT_EQ(trials, (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7}));

  // The finalists' comparison decides: the best has the lowest 20 % quantile, or is tied with it.
  const auto comparisons = Run({"records", job_id, "--json", "--kind", "compare"}).JsonLines();
  ASSERT_EQ(comparisons.size(), 1u);
  std::string lowest;
  double lowest_seconds = 0;
  for (const nlohmann::json& finalist : comparisons[0]["finalists"]) {
    std::vector<double> rounds;
    for (const nlohmann::json& sample : finalist["rounds"]) {
      rounds.push_back(sample["total_ns"].get<double>() / sample["launches"].get<double>());
    }
    EXPECT_EQ(rounds.size(), 20u);
    const double seconds = stats::Quantile(rounds, 0.2);
    if (lowest.empty() || seconds < lowest_seconds) {
      lowest_seconds = seconds;
      lowest = finalist["configuration"].dump();
    }
  }
  std::set<std::string> winners = {task["best"]["configuration"].dump()};
  for (const nlohmann::json& tie : task["best"]["tie"]) winners.insert(tie.dump());
  EXPECT_TRUE(winners.contains(lowest)) << lowest;

  const CommandResult best = Run({"best", job_id, "--json"});
  EXPECT_EQ(best.exit_code, 0);
  EXPECT_EQ(best.Json()["tasks"][0]["best"], task["best"]);
  const CommandResult watched = Run({"watch", job_id, "--json"});
  EXPECT_EQ(watched.exit_code, 0);
  EXPECT_EQ(watched.Json()["tasks"][0]["best"], task["best"]);
}

TEST_F(TcpJobTest, SubmitReturnsAtOnceAndListShowsTheJob) {
  const std::string job = WriteSmallJob(folder_, {.trials = 3});
  const CommandResult submitted = Run({"submit", job, "--json"});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  const std::string job_id = submitted.Json()["job_id"];
  EXPECT_EQ(Run({"watch", job_id}).exit_code, 0);
  EXPECT_THAT(Run({"list"}).out, HasSubstr(job_id));
  EXPECT_THAT(Run({"show", job_id}).out, HasSubstr("name: scale"));
}

TEST_F(TcpJobTest, CandidatesThatCrashHangOrLieGetTheirOutcomesAndNeverWin) {
  // MODE 1 crashes, 2 never ends, 3 is wrong and would be by far the fastest.
  const std::string job = WriteSmallJob(
      folder_, {.trials = 16,
                .body = "  if (MODE == 1) *reinterpret_cast<volatile int*>(8) = 1;\n"
                        "  if (MODE == 2) { volatile bool on = true; while (on) {} }\n"
                        "  if (MODE == 3) return;\n",
                .extra_yaml = "measure: {timeout: 1}\n"});
  const CommandResult tuned = Run({"tune", job, "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err << farm_.agent().Log();
  const nlohmann::json document = tuned.Json();
  const nlohmann::json& task = document["tasks"][0];
  EXPECT_EQ(task["outcomes"],
            nlohmann::json({{"ok", 4}, {"crash", 4}, {"timeout", 4}, {"wrong_result", 4}}));
  EXPECT_EQ(task["best"]["configuration"]["MODE"], 0);
  for (const nlohmann::json& tie : task["best"]["tie"]) EXPECT_EQ(tie["MODE"], 0);
}

TEST_F(TcpJobTest, AJobThatCanNeverWorkStopsWithAHistogramAndOneMessage) {
  const std::string job = WriteSmallJob(folder_, {.trials = 40, .modes = 12, .body = "  oops;\n"});
  const CommandResult tuned = Run({"tune", job});
  EXPECT_EQ(tuned.exit_code, 1);
  EXPECT_THAT(tuned.out, HasSubstr("all of the first 20 trials failed: compile_error 20"));
  // The compiler's words with the user's file and line.
  EXPECT_THAT(tuned.out, HasSubstr("kernel.cc:2"));
}

}  // namespace
}  // namespace burnish::e2e
