#include "agent/measure/sustained.h"

#include <gtest/gtest.h>

namespace burnish::measure {
namespace {

// A kernel of `cool_seconds` that takes 30 % more once it has run for `hot_after`.
std::optional<Sustained> Measured(double cool_seconds, absl::Duration hot_after) {
  SimulatedClock clock(absl::UnixEpoch());
  return *MeasureSustained(
      absl::Minutes(1), cool_seconds, 0.5,
      [&](int64_t launches) -> absl::StatusOr<int64_t> {
        const double factor = clock.Monotonic() >= hot_after ? 1.3 : 1;
        const absl::Duration took =
            absl::Seconds(cool_seconds * factor * static_cast<double>(launches));
        clock.Advance(took);
        return absl::ToInt64Nanoseconds(took);
      },
      clock);
}

TEST(SustainedTest, ComparesTheLastQuarterWithTheFirstTwelfth) {
  const auto sustained = Measured(1e-3, absl::Seconds(30));
  ASSERT_TRUE(sustained.has_value());
  EXPECT_NEAR(sustained->seconds, 1.3e-3, 1e-9);
  EXPECT_NEAR(sustained->ratio, 1.3, 1e-6);
}

TEST(SustainedTest, WhatDoesNotGetHotStaysAsFast) {
  EXPECT_NEAR(Measured(1e-3, absl::InfiniteDuration())->ratio, 1, 1e-6);
  EXPECT_NEAR(Measured(1e-3, absl::Seconds(6))->ratio, 1.3, 1e-6) << "hot after the first part";
}

TEST(SustainedTest, ASlowKernelIsRunOneByOneAndOneThatTakesAllOfItHasNoParts) {
  EXPECT_NEAR(Measured(2, absl::InfiniteDuration())->seconds, 2, 1e-6);
  EXPECT_FALSE(Measured(8, absl::InfiniteDuration()).has_value());
}

}  // namespace
}  // namespace burnish::measure
