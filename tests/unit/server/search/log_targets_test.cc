#include "server/search/log_targets.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

const double kFailed = std::numeric_limits<double>::infinity();
const double kPending = std::numeric_limits<double>::quiet_NaN();

TEST(Standardise, CutsTheSlowEndAndCountsFailuresAsSlowest) {
  const LogTargets result = Standardise({0, 1, 50, kFailed, kPending});
  // The median of the successes is 1, so all above 2 become 2.
  EXPECT_EQ(result.targets[2], result.targets[3]);
  EXPECT_TRUE(std::isnan(result.targets[4]));
  EXPECT_EQ(result.best, result.targets[0]);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 4; ++i) {
    sum += result.targets[i];
    squares += result.targets[i] * result.targets[i];
  }
  EXPECT_NEAR(sum, 0, 1e-12);
  EXPECT_NEAR(squares / 4, 1, 1e-12);
  EXPECT_NEAR((result.targets[2] - result.targets[0]) / (result.targets[1] - result.targets[0]), 2,
              1e-12);
}

TEST(Standardise, StandsEqualTargets) {
  const LogTargets result = Standardise({-7, -7, -7});
  EXPECT_THAT(result.targets, testing::Each(testing::DoubleNear(0, 1e-9)));
  EXPECT_NEAR(result.best, 0, 1e-9);
}

TEST(Scale, UsesTheScaleThatIsGiven) {
  const LogTargets result = Scale({0, 1, 10}, 4, 2);
  EXPECT_NEAR(result.targets[1] - result.targets[0], 0.5, 1e-12);
  EXPECT_NEAR(result.targets[2] - result.targets[0], 2, 1e-12);
}

}  // namespace
}  // namespace burnish::search
