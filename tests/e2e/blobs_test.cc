// A big source: its upload goes on behind a broken connection, and an agent gets it once, whatever
// is tuned with it and however often the agent starts.
#include <signal.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"
#include "tests/e2e/page.h"
#include "tests/support/tcp_proxy.h"

namespace burnish::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kChunk = 1 << 20;

// C++ of a little more than that many bytes which means nothing.
std::string Comments(int64_t bytes) {
  const std::string line = "  // a big table, if it were one\n";
  std::string text;
  while (static_cast<int64_t>(text.size()) < bytes) text += line;
  return text;
}

class BlobsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(farm_.StartServer({"--http", "127.0.0.1:0"}));
    StartAgent();
  }
  void StartAgent() {
    farm_.StartAgent();
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  }
  // The value of a metric without labels; -1 if it is not there.
  int64_t Metric(const std::string& name) {
    std::istringstream page(Get(farm_.http_address(), "/metrics").text);
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with(name + " ")) {
        return static_cast<int64_t>(std::stod(line.substr(name.size() + 1)));
      }
    }
    return -1;
  }
  int64_t KernelBytes() const {
    return static_cast<int64_t>(std::filesystem::file_size(folder_.path() + "/kernel.cc"));
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
};

TEST_F(BlobsTest, ABigSourceSurvivesABrokenUploadAndIsSentToAnAgentOnce) {
  SmallJob job{.trials = 4, .body = Comments(3 * kChunk)};
  const std::string path = WriteSmallJob(folder_, job);
  const int64_t size = KernelBytes();
  tests::TcpProxy proxy(std::stoi(farm_.address().substr(farm_.address().rfind(':') + 1)));
  proxy.CutAfter(kChunk + kChunk / 2);
  const CommandResult first = Burnish({"tune", path, "--server", proxy.address(), "--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err << farm_.agent().Log();
  EXPECT_EQ(first.Json()["tasks"][0]["best"]["verified"], true);
  EXPECT_EQ(proxy.cuts(), 1);
  // The chunk that was cut went a second time, but never arrived the first time.
  EXPECT_EQ(Metric("burnish_blob_bytes_received_total"), size);
  EXPECT_EQ(Metric("burnish_blob_bytes_sent_total"), size);

  farm_.agent().Signal(SIGTERM);
  ASSERT_TRUE(farm_.agent().Wait(absl::Seconds(30)).has_value());
  StartAgent();
  job.modes = 2;  // another task
  WriteSmallJob(folder_, job);
  ASSERT_EQ(KernelBytes(), size);
  const CommandResult second = Burnish({"tune", path, "--server", farm_.address()});
  ASSERT_EQ(second.exit_code, 0) << second.err << farm_.agent().Log();
  EXPECT_EQ(Metric("burnish_blob_bytes_received_total"), size);
  EXPECT_EQ(Metric("burnish_blob_bytes_sent_total"), size);
}

TEST_F(BlobsTest, ASourceAboveTheLimitIsRefusedWithWhatToDo) {
  const std::string path = WriteSmallJob(folder_, {.body = Comments(4 * kChunk)});
  const CommandResult refused = Burnish({"tune", path, "--server", farm_.address()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("kernel.cc"), HasSubstr("4194304 bytes"),
                                 HasSubstr("by the compiler")));
}

}  // namespace
}  // namespace burnish::e2e
