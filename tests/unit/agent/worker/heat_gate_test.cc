#include "agent/worker/heat_gate.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/base/clock.h"

namespace burnish::worker {
namespace {

// A device that is held back, or as warm, as the test says at each read; waiting moves the clock.
class HeatGateTest : public ::testing::Test {
 protected:
  absl::StatusOr<sensors::Condition> Read() {
    ++reads_;
    sensors::Condition condition;
    condition.celsius = celsius_;
    if (held_back_reads_ > 0 && reads_ > 1) {
      --held_back_reads_;
      condition.throttle = "thermal";
    }
    return condition;
  }
  absl::Status Wait(absl::Duration duration) {
    waits_.push_back(duration);
    celsius_ -= 2;
    clock_.Advance(duration);
    return absl::OkStatus();
  }
  HeatGate::Undisturbed Timed(absl::Duration took = absl::Milliseconds(100)) {
    const auto time = [&]() -> absl::StatusOr<measure::Timing> {
      ++timings_;
      clock_.Advance(took);
      return measure::Timing{.samples = {{.total_ns = timings_, .launches = 1}}, .latency = {}};
    };
    return gate_
        .Time(
            time, {.clock = clock_, .deadline = absl::Seconds(30)}, [&] { return Read(); },
            [&](absl::Duration duration) { return Wait(duration); })
        .value();
  }
  absl::Status WaitUntilCool() {
    return gate_.WaitUntilCool([&] { return Read(); },
                               [&](absl::Duration duration) { return Wait(duration); });
  }

  SimulatedClock clock_{absl::UnixEpoch()};
  HeatGate gate_;
  double celsius_ = 40;
  int held_back_reads_ = 0;
  int reads_ = 0;
  int timings_ = 0;
  std::vector<absl::Duration> waits_;
};

TEST_F(HeatGateTest, WhatNoHeatHeldBackIsTimedOnce) {
  EXPECT_FALSE(Timed().throttled);
  EXPECT_EQ(timings_, 1);
}

TEST_F(HeatGateTest, WhatHeatHeldBackIsTimedAgainAfterPausesThatGrow) {
  held_back_reads_ = 2;
  const HeatGate::Undisturbed undisturbed = Timed();
  EXPECT_FALSE(undisturbed.throttled);
  EXPECT_EQ(undisturbed.timing.samples[0].total_ns, 3) << "the last timing counts";
  EXPECT_EQ(waits_, (std::vector{absl::Milliseconds(50), absl::Milliseconds(100)}));
}

TEST_F(HeatGateTest, WhatIsHeldBackAllTheTimeIsFlagged) {
  held_back_reads_ = 1000;
  EXPECT_TRUE(Timed(absl::Milliseconds(1)).throttled);
  EXPECT_EQ(timings_, 11);
}

TEST_F(HeatGateTest, DoesNotTimeAgainWithoutTimeForIt) {
  held_back_reads_ = 1000;
  EXPECT_TRUE(Timed(absl::Seconds(15)).throttled);
  EXPECT_EQ(timings_, 1);
}

TEST_F(HeatGateTest, WaitsUntilTheDeviceIsAboutAsCoolAsAtFirst) {
  EXPECT_TRUE(WaitUntilCool().ok());
  EXPECT_TRUE(waits_.empty());
  celsius_ = 50;
  EXPECT_TRUE(WaitUntilCool().ok());
  EXPECT_EQ(waits_.size(), 4u) << "50 to 42, which is within 3";
}

TEST_F(HeatGateTest, WhatItDoesNotGetBelowIsWhatCountsAsCool) {
  EXPECT_TRUE(WaitUntilCool().ok());
  celsius_ = 1000;
  EXPECT_TRUE(WaitUntilCool().ok());
  EXPECT_GT(waits_.size(), 100u);
  waits_.clear();
  EXPECT_TRUE(WaitUntilCool().ok());
  EXPECT_TRUE(waits_.empty());
  celsius_ = 30;  // the coolest now
  EXPECT_TRUE(WaitUntilCool().ok());
  celsius_ = 38;
  EXPECT_TRUE(WaitUntilCool().ok());
  EXPECT_EQ(waits_.size(), 3u) << "38 to 32";
}

TEST_F(HeatGateTest, AnUnknownTemperatureIsNotWaitedFor) {
  const auto nothing = []() -> absl::StatusOr<sensors::Condition> { return sensors::Condition(); };
  const auto failing = []() -> absl::StatusOr<sensors::Condition> {
    return absl::UnavailableError("no sensor");
  };
  const auto wait = [&](absl::Duration duration) { return Wait(duration); };
  EXPECT_TRUE(gate_.WaitUntilCool(nothing, wait).ok());
  EXPECT_TRUE(WaitUntilCool().ok());
  EXPECT_TRUE(gate_.WaitUntilCool(failing, wait).ok());
  EXPECT_TRUE(waits_.empty());
}

}  // namespace
}  // namespace burnish::worker
