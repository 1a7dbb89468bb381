#include "agent/worker/run_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/agent/worker/worker_driver.h"

namespace burnish::worker {
namespace {

using ::testing::HasSubstr;

class RunLockTest : public ::testing::Test {
 protected:
  // A run worker of agent a that has the lock.
  RunLockTest() {
    pb::WorkerRequest request;
    request.mutable_describe()->set_backend("null");
    holder_.Send(request);
    holder_.Receive();
  }

  ScratchFolder folder_;
  const std::string path_ = folder_.path("run.lock");
  WorkerDriver holder_{"run", {}, {"--run-lock", path_, "a"}};
};

TEST_F(RunLockTest, AnotherAgentsWorkerIsLeftAloneAndNamed) {
  const absl::Status status =
      TakeRunLock(path_, "b", {.stale = absl::ZeroDuration(), .any = absl::Milliseconds(10)});
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(absl::StrCat("burnish-worker ", holder_.process().pid(), " of agent a")));
  EXPECT_FALSE(holder_.process().Wait(absl::ZeroDuration()).has_value());
}

TEST_F(RunLockTest, TheSameAgentsWorkerIsStaleAndEnded) {
  EXPECT_TRUE(
      TakeRunLock(path_, "a", {.stale = absl::ZeroDuration(), .any = absl::Seconds(20)}).ok());
  const auto ended = holder_.process().Wait(kPatience);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->signal, SIGKILL);
}

}  // namespace
}  // namespace burnish::worker
