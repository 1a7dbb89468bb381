#include "server/private/child_agent.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/file.h"
#include "common/base/numbers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::server {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A shell script stands in for burnish-agent. Each of its lives tells the test through a FIFO,
// whose reader blocks until it does: no clock is involved.
class ChildAgentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "agent_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    ASSERT_EQ(::mkfifo(Path("births").c_str(), 0600), 0);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Path(const std::string& name) const { return root_ / name; }

  // `body` runs after the script has told its arguments and process id.
  ChildAgentOptions OptionsFor(const std::string& body) {
    std::ofstream(Path("agent")) << "#!/bin/sh\necho \"$$ $*\" >" << Path("births") << "\n"
                                 << body << "\n";
    ::chmod(Path("agent").c_str(), 0700);
    ChildAgentOptions options;
    options.program = Path("agent");
    options.server_address = "unix:/run/x/socket";
    options.state_folder = Path("state");
    options.log_path = Path("agent.log");
    options.shortest_wait = absl::Milliseconds(1);
    options.longest_wait = absl::Milliseconds(1);
    options.patience = absl::Milliseconds(100);
    return options;
  }

  std::string NextBirth() const {
    std::ifstream births(Path("births"));
    std::string line;
    std::getline(births, line);
    return line;
  }

  static bool Alive(const std::string& birth) {
    const auto pid = ParseInteger(birth.substr(0, birth.find(' ')));
    return pid.has_value() && ::kill(static_cast<pid_t>(*pid), 0) == 0;
  }

  fs::path root_;
};

TEST_F(ChildAgentTest, StartsOneAgentOnTheServersSocketThatEndsWithItsInput) {
  ChildAgent agent(OptionsFor("cat >/dev/null; echo bye >&2"));
  agent.EnsureStarted();
  agent.EnsureStarted();
  const std::string birth = NextBirth();
  EXPECT_THAT(birth, HasSubstr("--server unix:/run/x/socket --state-dir " + Path("state") +
                               " --until-stdin-closes"));
  EXPECT_TRUE(Alive(birth));
  agent.Stop();
  EXPECT_FALSE(Alive(birth));
  EXPECT_EQ(*ReadFile(Path("agent.log"), 100), "bye\n");
}

TEST_F(ChildAgentTest, StartsTheAgentAgainWhenItDies) {
  ChildAgent agent(OptionsFor("exit 3"));
  agent.EnsureStarted();
  NextBirth();
  NextBirth();
}

TEST_F(ChildAgentTest, KillsAnAgentThatDoesNotEnd) {
  ChildAgent agent(OptionsFor("exec sleep 600"));
  agent.EnsureStarted();
  const std::string birth = NextBirth();
  agent.Stop();
  EXPECT_FALSE(Alive(birth));
}

TEST_F(ChildAgentTest, LivesOnWithoutTheProgram) {
  ChildAgentOptions options = OptionsFor("");
  options.program = Path("absent");
  ChildAgent agent(options);
  agent.EnsureStarted();
  agent.Stop();
  agent.EnsureStarted();  // no start after Stop
}

}  // namespace
}  // namespace burnish::server
