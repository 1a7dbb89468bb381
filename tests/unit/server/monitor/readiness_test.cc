#include "server/monitor/readiness.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::server {
namespace {

using ::testing::ElementsAre;

TEST(Readiness, ComesWhenTheLastConditionIsGoneAndTellsSoOnce) {
  Readiness readiness;
  std::vector<bool> told;
  readiness.Tell([&](bool ready) { told.push_back(ready); });
  EXPECT_EQ(readiness.Reasons(), "starting: not listening yet\n");
  readiness.Set("database", "unreachable");
  readiness.Set("starting", "");
  EXPECT_EQ(readiness.Reasons(), "database: unreachable\n");
  readiness.Set("database", "");
  readiness.Set("database", "");
  EXPECT_EQ(readiness.Reasons(), "");
  readiness.Set("draining", "told to stop");
  readiness.Set("database", "unreachable");
  EXPECT_EQ(readiness.Reasons(), "database: unreachable\ndraining: told to stop\n");
  EXPECT_THAT(told, ElementsAre(false, true, false));
}

}  // namespace
}  // namespace burnish::server
