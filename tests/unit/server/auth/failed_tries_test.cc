#include "server/auth/failed_tries.h"

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "gtest/gtest.h"

namespace burnish::auth {
namespace {

class FailedTriesTest : public testing::Test {
 protected:
  void Fail(const std::string& peer, int times) {
    for (int i = 0; i < times; ++i) EXPECT_TRUE(tries_.Add(peer)) << peer << " " << i;
  }
  SimulatedClock clock_{absl::FromUnixSeconds(0)};
  FailedTries tries_{clock_};
};

TEST_F(FailedTriesTest, APeerMayFailTenTimesAMinute) {
  Fail("a", limits::kFailedTriesPerMinute);
  EXPECT_FALSE(tries_.Add("a"));
  EXPECT_TRUE(tries_.Add("b")) << "each for itself";
  clock_.Advance(absl::Seconds(59));
  EXPECT_FALSE(tries_.Add("a"));
  clock_.Advance(absl::Seconds(1));
  Fail("a", limits::kFailedTriesPerMinute);
  EXPECT_FALSE(tries_.Add("a"));
}

TEST_F(FailedTriesTest, APeerWithTooManyIsLookedAtOnceASecond) {
  Fail("a", limits::kFailedTriesPerMinute - 1);
  EXPECT_TRUE(tries_.MayLookUp("a"));
  EXPECT_TRUE(tries_.MayLookUp("a"));
  Fail("a", 1);
  EXPECT_TRUE(tries_.MayLookUp("a"));
  EXPECT_FALSE(tries_.MayLookUp("a"));
  EXPECT_TRUE(tries_.MayLookUp("b"));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(tries_.MayLookUp("a"));
  EXPECT_FALSE(tries_.MayLookUp("a"));
}

TEST_F(FailedTriesTest, ForgetsTheOldestPeersWhenThereAreTooMany) {
  Fail("oldest", limits::kFailedTriesPerMinute);
  clock_.Advance(absl::Milliseconds(1));
  Fail("older", limits::kFailedTriesPerMinute);
  clock_.Advance(absl::Milliseconds(1));
  for (size_t i = 1; i < limits::kPeersWithFailedTries; ++i) tries_.Add(absl::StrCat("p", i));
  EXPECT_FALSE(tries_.Add("older"));
  EXPECT_TRUE(tries_.Add("oldest")) << "it made room";
}

}  // namespace
}  // namespace burnish::auth
