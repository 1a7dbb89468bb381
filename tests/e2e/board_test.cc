// A board without an agent: workers behind a command that drops, from submit to the verified best.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/environment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

using ::testing::HasSubstr;

constexpr int kTrials = 24;

class BoardTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(farm_.StartServer()); }
  void StartAgent() { farm_.StartAgent({"--worker-prefix", link_, "--worker-folder", on_board_}); }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  bool Has(const std::string& name) const { return ::access(Path(name).c_str(), F_OK) == 0; }
  int Logged(const std::string& event) {
    const std::string name = absl::StrCat("\"event\":\"", event, "\"");
    const std::string log = farm_.agent().Log();
    int count = 0;
    for (size_t at = log.find(name); at != std::string::npos; at = log.find(name, at + 1)) ++count;
    return count;
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
  const std::string on_board_ = folder_.path() + "/board";
  const std::string link_ =
      absl::StrCat(ExecutableFolder(), "/burnish_dropping_link ", folder_.path());
};

TEST_F(BoardTest, AJobIsTunedThroughALinkThatDropsAndNoTrialIsLost) {
  folder_.Write("refuse-1", "");
  StartAgent();
  ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  EXPECT_FALSE(Has("refuse-1"));
  const int refused = Logged("board_unreachable");
  EXPECT_EQ(refused, 1);

  const std::string job = WriteSmallJob(
      folder_, {.trials = kTrials,
                .modes = 12,
                .body = "  for (volatile int wait = 0; wait < 1000000; wait = wait + 1) {}\n"});
  const std::string job_id =
      Burnish({"submit", job, "--json", "--server", farm_.address()}).Json()["job_id"];
  Program wait("burnish", {"wait", job_id, "--server", farm_.address()}, Path("wait.log"));
  int drops = 0;
  for (const char* way : {"drop-down", "drop-up", "drop-down", "drop-up", "drop-down", "drop-up"}) {
    // While a candidate runs, most of the time.
    WaitUntil([&] { return !wait.running() || !RunnersOf(farm_.agent().pid()).empty(); },
              absl::Seconds(2));
    folder_.Write(way, "");
    if (!WaitUntil([&] { return !Has(way) || !wait.running(); }, absl::Seconds(60))) break;
    drops += Has(way) ? 0 : 1;
  }
  const auto ended = wait.Wait(absl::Minutes(3));
  ASSERT_TRUE(ended.has_value() && ended->ok()) << wait.Log() << farm_.agent().Log();
  EXPECT_GE(drops, 4);
  // In the midst of a request; the others while a worker was being started.
  const int lost = Logged("worker_lost");
  EXPECT_GE(lost, 3) << farm_.agent().Log();
  EXPECT_GE(lost + Logged("board_unreachable") - refused, drops) << farm_.agent().Log();
  std::printf("%d links dropped, %d requests lost with them\n", drops, lost);

  const nlohmann::json document =
      Burnish({"watch", job_id, "--json", "--server", farm_.address()}).Json();
  EXPECT_EQ(document["state"], "done");
  const nlohmann::json& task = document["tasks"][0];
  EXPECT_EQ(task["outcomes"], nlohmann::json({{"ok", kTrials}})) << farm_.agent().Log();
  EXPECT_EQ(task["best"]["verified"], true);
  for (const nlohmann::json& record :
       Burnish({"records", job_id, "--json", "--server", farm_.address()}).JsonLines()) {
    EXPECT_EQ(record["outcome"], "ok") << record["message"];
  }

  farm_.agent().Signal(SIGTERM);
  ASSERT_TRUE(farm_.agent().Wait(absl::Seconds(20)).has_value());
  EXPECT_TRUE(WaitUntil([&] { return ProcessesWith(on_board_).empty(); }, absl::Seconds(10)));
}

TEST_F(BoardTest, AWorkerGoesWithItsAgentThatWasKilled) {
  StartAgent();
  ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  ASSERT_TRUE(WaitUntil([&] { return !ProcessesWith(on_board_).empty(); }, absl::Seconds(30)));
  farm_.agent().KillHard();
  EXPECT_TRUE(WaitUntil([&] { return ProcessesWith(on_board_).empty(); }, absl::Seconds(10)));
}

TEST_F(BoardTest, ACommandThatIsWrongEndsTheAgentAndSaysSo) {
  for (const auto& [prefix, said] :
       {std::pair{"no-such-ssh -T board", "there is no program no-such-ssh"},
        std::pair{"env no-such-wrapper", "exit code 127"}}) {
    farm_.StartAgent({"--worker-prefix", prefix, "--worker-folder", on_board_});
    const auto ended = farm_.agent().Wait(absl::Seconds(30));
    ASSERT_TRUE(ended.has_value());
    EXPECT_EQ(ended->code, 2);
    EXPECT_THAT(farm_.agent().Log(), HasSubstr(said));
  }
}

}  // namespace
}  // namespace burnish::e2e
