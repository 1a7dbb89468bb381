// `burnish tune` with no server named: a private server and agent that come and go with it.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class PrivateModeTest : public ::testing::Test {
 protected:
  PrivateModeTest() {
    fs::create_directories(folder_.path() + "/run");
    environment_ = {absl::StrCat("XDG_DATA_HOME=", folder_.path(), "/data"),
                    absl::StrCat("XDG_RUNTIME_DIR=", folder_.path(), "/run")};
  }

  void TearDown() override { EXPECT_TRUE(NothingLeft()) << Leftovers(); }

  CommandResult Run(const std::vector<std::string>& arguments) {
    return Burnish(arguments, environment_);
  }

  // `burnish ARGUMENTS` in the background.
  Program Start(const std::vector<std::string>& arguments) {
    return Program("burnish", arguments, absl::StrCat(folder_.path(), "/client-", ++started_),
                   environment_);
  }

  // The private server names its folder, what it started does not, but stays in its session.
  std::vector<pid_t> Processes() const {
    for (const pid_t pid : ProcessesWith(folder_.path())) {
      if (CommandLineOf(pid).find("/burnish-server ") != std::string::npos) {
        sessions_.insert(::getsid(pid));
      }
    }
    std::vector<pid_t> found;
    for (const pid_t pid : ProcessesWith("")) {
      const std::string command = CommandLineOf(pid);
      const bool ours =
          command.find(folder_.path()) != std::string::npos || sessions_.contains(::getsid(pid));
      if (ours && !command.empty()) found.push_back(pid);
    }
    return found;
  }

  int CountOf(const std::string& program) const {
    int count = 0;
    for (const pid_t pid : Processes()) {
      count += CommandLineOf(pid).find("/" + program + " ") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  // No process, no socket folder: within the promised 5 s.
  bool NothingLeft() const {
    return WaitUntil([&] { return Processes().empty() && fs::is_empty(folder_.path() + "/run"); },
                     absl::Seconds(5));
  }

  std::string Leftovers() const {
    std::string text;
    for (const pid_t pid : Processes()) absl::StrAppend(&text, pid, " ", CommandLineOf(pid), "\n");
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() + "/run")) {
      absl::StrAppend(&text, entry.path().string(), "\n");
    }
    return text;
  }

  // A kernel executes: a candidate, or the agent's control kernel.
  bool SomethingRuns() const {
    for (const pid_t pid : Processes()) {
      if (CommandLineOf(pid).find("--role run ") != std::string::npos && !RunnersOf(pid).empty()) {
        return true;
      }
    }
    return false;
  }

  // The first job is there and has measured something.
  bool JobMeasures() {
    return Run({"records", "j1", "--json"}).out.find("\"ok\"") != std::string::npos;
  }

  TemporaryFolder folder_;
  std::vector<std::string> environment_;
  mutable std::set<pid_t> sessions_;
  int started_ = 0;
};

// Candidates that take a while, so that there is time to interfere.
SmallJob SlowJob(int trials) {
  return {.trials = trials,
          .modes = 12,
          .body = "  for (volatile int wait = 0; wait < 20000000; wait = wait + 1) {}\n"};
}

TEST_F(PrivateModeTest, TuneAloneStartsEverythingAndLeavesNothing) {
  const std::string job = WriteSmallJob(folder_, {.trials = 6});
  const CommandResult tuned = Run({"tune", job});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("best"));
  EXPECT_THAT(tuned.out, HasSubstr("outcomes  ok 6"));
  EXPECT_TRUE(NothingLeft()) << Leftovers();
  // What was learned is still there.
  const CommandResult listed = Run({"list"});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.out, HasSubstr("done"));
  EXPECT_THAT(Run({"records", "j1", "--json"}).JsonLines().size(), 6u);
}

TEST_F(PrivateModeTest, VerbsThatOnlyReadStartNoAgent) {
  Program list = Start({"list"});
  bool agent_seen = false;
  EXPECT_TRUE(WaitUntil(
      [&] {
        agent_seen = agent_seen || CountOf("burnish-agent") > 0;
        return !list.running();
      },
      absl::Seconds(30)));
  EXPECT_FALSE(agent_seen);
}

TEST_F(PrivateModeTest, ASecondClientSharesTheServer) {
  const std::string job = WriteSmallJob(folder_, SlowJob(6));
  Program first = Start({"tune", job});
  Program second = Start({"tune", job});
  ASSERT_TRUE(WaitUntil([&] { return SomethingRuns(); }, absl::Seconds(60)));
  EXPECT_EQ(CountOf("burnish-server"), 1);
  EXPECT_EQ(CountOf("burnish-agent"), 1);
  const auto first_end = first.Wait(absl::Minutes(3));
  const auto second_end = second.Wait(absl::Minutes(3));
  ASSERT_TRUE(first_end.has_value() && second_end.has_value());
  EXPECT_TRUE(first_end->ok()) << first.Log();
  EXPECT_TRUE(second_end->ok()) << second.Log();
}

TEST_F(PrivateModeTest, TheSocketFolderIsPrivate) {
  const std::string job = WriteSmallJob(folder_, SlowJob(4));
  Program tune = Start({"tune", job});
  ASSERT_TRUE(WaitUntil([&] { return SomethingRuns(); }, absl::Seconds(60)));
  for (const auto& entry : fs::directory_iterator(folder_.path() + "/run")) {
    struct stat info {};
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
  }
  ASSERT_TRUE(tune.Wait(absl::Minutes(3)).has_value());
}

TEST_F(PrivateModeTest, AfterAKilledClientNothingIsLeftAndTheJobCanBeResumed) {
  const std::string job = WriteSmallJob(folder_, SlowJob(10));
  Program tune = Start({"tune", job});
  ASSERT_TRUE(WaitUntil([&] { return JobMeasures(); }, absl::Seconds(60)));
  tune.KillHard();
  EXPECT_TRUE(NothingLeft()) << Leftovers();

  // It does not start by itself.
  const CommandResult listed = Run({"list"});
  EXPECT_THAT(listed.out, HasSubstr("paused"));
  const size_t before = Run({"records", "j1", "--json"}).JsonLines().size();
  EXPECT_EQ(Run({"records", "j1", "--json"}).JsonLines().size(), before);

  const CommandResult resumed = Run({"tune", job, "--resume", "j1", "--json"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.Json()["job_id"], "j1");
  EXPECT_EQ(resumed.Json()["tasks"][0]["trials"], 10);
}

TEST_F(PrivateModeTest, ResumeRefusesAChangedFile) {
  const std::string job = WriteSmallJob(folder_, SlowJob(10));
  Program tune = Start({"tune", job});
  ASSERT_TRUE(WaitUntil([&] { return JobMeasures(); }, absl::Seconds(60)));
  tune.KillHard();
  ASSERT_TRUE(NothingLeft()) << Leftovers();
  WriteSmallJob(folder_, SlowJob(11));
  const CommandResult resumed = Run({"tune", job, "--resume", "j1"});
  EXPECT_EQ(resumed.exit_code, 2);
  EXPECT_THAT(resumed.err, HasSubstr("differs from what j1 was started with"));
}

TEST_F(PrivateModeTest, CtrlCFinishesWithAResult) {
  const std::string job = WriteSmallJob(folder_, SlowJob(48));
  Program tune = Start({"tune", job});
  ASSERT_TRUE(WaitUntil([&] { return JobMeasures(); }, absl::Seconds(60)));
  tune.Signal(SIGINT);
  const auto ended = tune.Wait(absl::Seconds(60));
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->code, 5) << tune.Log();
  const CommandResult shown = Run({"best", "j1", "--json"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.Json()["state"], "done");
  EXPECT_LT(shown.Json()["tasks"][0]["trials"], 48);
  EXPECT_EQ(Run({"records", "j1", "--json", "--kind", "compare"}).JsonLines().size(), 1u);
}

TEST_F(PrivateModeTest, AKilledServerIsStartedAnewAndTheJobGoesOn) {
  const std::string job = WriteSmallJob(folder_, SlowJob(8));
  Program tune = Start({"tune", job, "--json"});
  ASSERT_TRUE(WaitUntil([&] { return JobMeasures(); }, absl::Seconds(60)));
  for (const pid_t pid : Processes()) {
    if (CommandLineOf(pid).find("/burnish-server ") != std::string::npos) ::kill(pid, SIGKILL);
  }
  const auto ended = tune.Wait(absl::Minutes(3));
  ASSERT_TRUE(ended.has_value());
  EXPECT_TRUE(ended->ok()) << tune.Log();
  const CommandResult best = Run({"best", "j1", "--json"});
  EXPECT_EQ(best.exit_code, 0);
  EXPECT_EQ(best.Json()["tasks"][0]["trials"], 8);
}

TEST_F(PrivateModeTest, SubmitNeedsANamedServer) {
  const std::string job = WriteSmallJob(folder_, {.trials = 4});
  const CommandResult submitted = Run({"submit", job});
  EXPECT_EQ(submitted.exit_code, 2);
  EXPECT_THAT(submitted.err, HasSubstr("burnish tune"));
  EXPECT_FALSE(fs::exists(folder_.path() + "/data"));
}

}  // namespace
}  // namespace burnish::e2e
