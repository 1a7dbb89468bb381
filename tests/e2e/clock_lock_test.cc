// Locked clocks are restored whoever is killed. The GPUs are a stand-in library's
// (tests/support/stand_in_nvml.cc), which writes down what is asked of it: no hardware is involved.
#include <csignal>
#include <cstdlib>
#include <string>

#include "common/base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"

namespace burnish::e2e {
namespace {

class ClockLockTest : public ::testing::Test {
 protected:
  ClockLockTest() {
    ::setenv("STAND_IN_NVML_LOG", log_.c_str(), 1);
    farm_.StartServer();
  }
  ~ClockLockTest() override { ::unsetenv("STAND_IN_NVML_LOG"); }

  void Start(std::vector<std::string> more) {
    more.insert(more.end(), {"--nvml-library", BURNISH_STAND_IN_NVML, "--sensor", "none"});
    farm_.StartAgent(std::move(more));
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  }
  std::string Asked() const { return ReadFile(log_, 1 << 16).value_or(""); }
  bool NoteIsThere() const { return ReadFile(note_, 100).ok(); }
  bool WaitUntilRestored() {
    return WaitUntil([&] { return Asked() == kLocked + kRestored && !NoteIsThere(); },
                     absl::Seconds(10));
  }
  std::vector<pid_t> Keepers() const { return ProcessesWith("keep-clocks 1200 " + note_); }

  const std::string kLocked = "lock 0 1200\nlock 1 1200\n";
  const std::string kRestored = "reset 0 0\nreset 1 0\n";
  TemporaryFolder folder_;
  const std::string log_ = folder_.path() + "/nvml.log";
  const std::string note_ = folder_.path() + "/agent/clocks-locked";
  Farm farm_{folder_};
};

TEST_F(ClockLockTest, TheyAreRestoredWhenTheAgentEnds) {
  Start({"--lock-clocks", "1200"});
  EXPECT_EQ(Asked(), kLocked);
  EXPECT_TRUE(NoteIsThere());
  farm_.agent().Signal(SIGTERM);
  ASSERT_TRUE(farm_.agent().Wait(absl::Seconds(20)));
  EXPECT_EQ(Asked(), kLocked + kRestored);
  EXPECT_FALSE(NoteIsThere());
}

TEST_F(ClockLockTest, AKilledWorkerChangesNothingAndAKilledAgentRestores) {
  Start({"--lock-clocks", "1200"});
  const std::vector<pid_t> keepers = Keepers();
  ASSERT_EQ(keepers.size(), 1u);
  ASSERT_TRUE(
      WaitUntil([&] { return ChildrenOf(farm_.agent().pid()).size() > 1; }, absl::Seconds(30)))
      << "there is no worker";
  for (const pid_t child : ChildrenOf(farm_.agent().pid())) {
    if (child != keepers[0]) ::kill(child, SIGKILL);
  }
  EXPECT_EQ(Asked(), kLocked);
  farm_.agent().KillHard();
  EXPECT_TRUE(WaitUntilRestored()) << Asked();
  EXPECT_TRUE(WaitUntil([&] { return Keepers().empty(); }, absl::Seconds(10)));
}

TEST_F(ClockLockTest, WhenAgentAndKeeperAreKilledTheNextStartRestores) {
  Start({"--lock-clocks", "1200"});
  const std::vector<pid_t> keepers = Keepers();
  ASSERT_EQ(keepers.size(), 1u);
  ::kill(keepers[0], SIGKILL);
  farm_.agent().KillHard();
  EXPECT_EQ(Asked(), kLocked);
  EXPECT_TRUE(NoteIsThere());
  Start({});
  EXPECT_EQ(Asked(), kLocked + kRestored);
  EXPECT_FALSE(NoteIsThere());
}

TEST_F(ClockLockTest, AnAgentThatCannotLockEnds) {
  farm_.StartAgent({"--lock-clocks", "1200", "--nvml-library", "libno-such-library.so"});
  EXPECT_EQ(farm_.agent().Wait(absl::Seconds(20))->code, 1);
  EXPECT_THAT(farm_.agent().Log(), ::testing::HasSubstr("--lock-clocks"));
}

}  // namespace
}  // namespace burnish::e2e
