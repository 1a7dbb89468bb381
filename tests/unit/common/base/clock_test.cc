#include "common/base/clock.h"

#include <gtest/gtest.h>

namespace burnish {
namespace {

TEST(SimulatedClock, MovesOnlyWhenTold) {
  SimulatedClock clock(absl::FromUnixSeconds(1000));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(1000));
  EXPECT_EQ(clock.Monotonic(), absl::ZeroDuration());
  clock.Advance(absl::Seconds(5));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(1005));
  EXPECT_EQ(clock.Monotonic(), absl::Seconds(5));
}

TEST(SystemClock, RunsForward) {
  const absl::Duration before = SystemClock().Monotonic();
  EXPECT_GE(SystemClock().Monotonic(), before);
  EXPECT_GT(SystemClock().Now(), absl::FromUnixSeconds(1'600'000'000));
}

}  // namespace
}  // namespace burnish
