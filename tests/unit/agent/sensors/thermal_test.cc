#include "agent/sensors/thermal.h"

#include "gtest/gtest.h"

namespace burnish::sensors {
namespace {

TEST(ThrottleDetectorTest, AReasonOrALowClockIsThrottling) {
  ThrottleDetector detector;
  const auto at = [](double clock) {
    return Condition{.clock_hz = clock, .default_clock_hz = 1500e6};
  };
  EXPECT_FALSE(detector.Throttles({}));
  EXPECT_FALSE(detector.Throttles(at(1400e6)));
  EXPECT_FALSE(detector.Throttles(at(1400e6)));
  EXPECT_FALSE(detector.Throttles(at(1340e6)));
  EXPECT_TRUE(detector.Throttles(at(1320e6))) << "below 95 % of the median";
  EXPECT_TRUE(detector.Throttles({.throttle = "power"}));
  ThrottleDetector fresh;
  EXPECT_TRUE(fresh.Throttles(at(1100e6))) << "below 75 % of the default one";
}

TEST(DiscardPolicyTest, PausesDoubleAndThenThereAreNoMore) {
  DiscardPolicy policy;
  EXPECT_EQ(policy.Next(), absl::Milliseconds(50));
  EXPECT_EQ(policy.Next(), absl::Milliseconds(100));
  for (int i = 2; i < 9; ++i) policy.Next();
  EXPECT_EQ(policy.Next(), absl::Seconds(2));
  EXPECT_EQ(policy.Next(), std::nullopt);
}

TEST(CoolDownTest, WaitsUntilItIsCoolOrTheLimitHasPassed) {
  double celsius = 60;
  double falls = 1;
  absl::Duration waited;
  const auto read = [&]() -> absl::StatusOr<Condition> { return Condition{.celsius = celsius}; };
  const auto wait = [&](absl::Duration duration) {
    waited += duration;
    celsius -= falls;
    return absl::OkStatus();
  };
  EXPECT_TRUE(*WaitUntilCool({}, 45, read, wait));
  EXPECT_EQ(celsius, 48);
  EXPECT_EQ(waited, 12 * CoolDown().step);
  falls = 0;
  celsius = 60;
  waited = absl::ZeroDuration();
  EXPECT_FALSE(*WaitUntilCool({}, 45, read, wait));
  EXPECT_EQ(waited, absl::Seconds(30));
  EXPECT_TRUE(*WaitUntilCool(
      {}, 45, [] { return absl::StatusOr<Condition>(Condition{}); }, wait));
}

}  // namespace
}  // namespace burnish::sensors
