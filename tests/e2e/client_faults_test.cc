// Where the command line can do nothing: each is refused in clear words before anything is sent.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ClientFaultsTest, AJobFileOfAHundredMegabytesIsRefusedBeforeAnythingIsSent) {
  const TemporaryFolder folder;
  const std::string job = folder.Write("huge.yaml", "name: huge\n");
  std::filesystem::resize_file(job, 100'000'000);
  for (const char* verb : {"tune", "submit"}) {
    // Nobody listens there: to send it would end with exit 3.
    const CommandResult refused = Burnish({verb, job, "--server", "127.0.0.1:1"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("huge.yaml"), HasSubstr("1048576 bytes")));
  }
}

class HomelessTest : public ::testing::TestWithParam<const char*> {
 protected:
  const std::vector<std::string> environment_ = {
      GetParam(), "BURNISH_CONFIG_DIR=", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_RUNTIME_DIR="};
  TemporaryFolder folder_;
};

TEST_P(HomelessTest, ANamedServerNeedsNoHome) {
  Farm farm(folder_);
  ASSERT_NO_FATAL_FAILURE(farm.StartServer());
  farm.StartAgent();
  ASSERT_TRUE(farm.WaitForDevice()) << farm.agent().Log();
  const std::string job = WriteSmallJob(folder_, {.trials = 2});
  const CommandResult tuned = Burnish({"tune", job, "--server", farm.address()}, environment_);
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
}

TEST_P(HomelessTest, ThePrivateServerSaysWhatToSet) {
  const std::string job = WriteSmallJob(folder_, {.trials = 2});
  const CommandResult refused = Burnish({"tune", job}, environment_);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("results"), HasSubstr("XDG_DATA_HOME")));
}

INSTANTIATE_TEST_SUITE_P(Homes, HomelessTest, ::testing::Values("HOME=", "HOME=/dev/null/home"),
                         [](const auto& info) {
                           return std::string(info.index == 0 ? "Missing" : "NotWritable");
                         });

}  // namespace
}  // namespace burnish::e2e
