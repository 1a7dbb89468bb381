#include "server/monitor/database_watch.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::server {
namespace {

class DatabaseWatchTest : public ::testing::Test {
 protected:
  DatabaseWatchTest() { readiness_.Set("starting", ""); }
  std::string ReasonsAfter(absl::Duration passed) {
    clock_.Advance(passed);
    watch_.Check();
    return readiness_.Reasons();
  }

  SimulatedClock clock_{absl::UnixEpoch()};
  Readiness readiness_;
  DatabaseWatch watch_{readiness_, clock_, "database"};
};

TEST_F(DatabaseWatchTest, ForgivesAFewSeconds) {
  watch_.RoundEnded(absl::UnavailableError("gone"));
  EXPECT_EQ(ReasonsAfter(absl::Seconds(5)), "");
}

TEST_F(DatabaseWatchTest, SaysWhatFailsAndReturnsWithTheDatabase) {
  clock_.Advance(absl::Seconds(6));
  watch_.RoundEnded(absl::UnavailableError("disk gone"));
  EXPECT_EQ(ReasonsAfter(absl::Seconds(1)), "database: failing for 7 s (disk gone)\n");
  watch_.RoundEnded(absl::OkStatus());
  EXPECT_EQ(ReasonsAfter(absl::Seconds(1)), "");
}

TEST_F(DatabaseWatchTest, NoticesACallThatHangs) {
  watch_.RoundEnded(absl::OkStatus());
  EXPECT_EQ(ReasonsAfter(absl::Seconds(60)), "database: no answer for 60 s\n");
}

TEST_F(DatabaseWatchTest, ForgivesAUserThatMayBeBusyUnlessItFailed) {
  DatabaseWatch watch(readiness_, clock_, "jobs", Rounds::kMayBeLong);
  clock_.Advance(absl::Seconds(60));
  watch.Check();
  EXPECT_EQ(readiness_.Reasons(), "");
  watch.RoundEnded(absl::UnavailableError("gone"));
  watch.Check();
  EXPECT_EQ(readiness_.Reasons(), "jobs: failing for 60 s (gone)\n");
}

}  // namespace
}  // namespace burnish::server
