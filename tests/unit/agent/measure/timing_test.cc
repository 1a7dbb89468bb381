#include "agent/measure/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "common/base/random.h"

namespace burnish::measure {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::SizeIs;

// A kernel whose executions take what `launch_ns` says, on a clock that they move.
class SimulatedKernel {
 public:
  explicit SimulatedKernel(std::function<int64_t()> launch_ns) : launch_ns_(std::move(launch_ns)) {}

  absl::StatusOr<int64_t> Run(int64_t launches) {
    int64_t total_ns = 0;
    for (int64_t i = 0; i < launches; ++i) total_ns += launch_ns_();
    clock_.Advance(absl::Nanoseconds(total_ns));
    launches_ += launches;
    return total_ns;
  }

  const Clock& clock() const { return clock_; }
  int64_t launches() const { return launches_; }

 private:
  std::function<int64_t()> launch_ns_;
  SimulatedClock clock_{absl::UnixEpoch()};
  int64_t launches_ = 0;
};

class TimingTest : public ::testing::Test {
 protected:
  void Kernel(std::function<int64_t()> launch_ns) {
    kernel_ = std::make_unique<SimulatedKernel>(std::move(launch_ns));
  }
  TimeFrame Time(absl::Duration limit = absl::Seconds(10)) {
    return {.clock = kernel_->clock(), .deadline = kernel_->clock().Monotonic() + limit};
  }
  int64_t Calibrated(const TimingPlan& plan, int64_t launch_ns) {
    return Calibrate(
               plan, launch_ns, [&](int64_t n) { return kernel_->Run(n); }, Time())
        .value();
  }
  Timing Sampled(const TimingPlan& plan, int64_t launches,
                 absl::Duration limit = absl::Seconds(10)) {
    return TakeSamples(
               plan, launches, [&](int64_t n) { return kernel_->Run(n); }, Time(limit))
        .value();
  }
  // As with an earlier execution of `launch_ns`, against an incumbent of a millisecond.
  Timing Raced(int64_t launch_ns, TimingPlan plan) {
    return TimeKernel(
               plan, launch_ns, [&](int64_t n) { return kernel_->Run(n); }, Time())
        .value();
  }
  Timing Raced(int64_t launch_ns) {
    return Raced(launch_ns, MakePlan(spec::MeasureOptions{}, 0.2, 1e-3));
  }
  absl::Duration Spent() { return kernel_->clock().Monotonic(); }

  std::unique_ptr<SimulatedKernel> kernel_;
  TimingPlan plan_ = MakePlan(spec::MeasureOptions{}, 0.2);
};

TEST_F(TimingTest, BatchesAFastKernelUntilASampleIsLongEnough) {
  Kernel([] { return 50; });
  const int64_t launches = Calibrated(plan_, 50);
  EXPECT_GE(launches * 50, 300'000);
  EXPECT_LE(launches * 50, 600'000);
}

TEST_F(TimingTest, WarmsUpForTheWholeWarmUpTime) {
  Kernel([] { return 1'000'000; });
  EXPECT_EQ(Calibrated(plan_, 1'000'000), 1);
  EXPECT_GE(Spent(), absl::Milliseconds(25));
  EXPECT_LE(Spent(), absl::Milliseconds(27));
}

TEST_F(TimingTest, AKernelSlowerThanTheWarmUpNeedsNoMoreOfIt) {
  Kernel([] { return 30'000'000; });
  EXPECT_EQ(Calibrated(plan_, 30'000'000), 1);
  EXPECT_EQ(kernel_->launches(), 0);
}

TEST_F(TimingTest, HonoursNumberRepeatAndWarmup) {
  Kernel([] { return 10; });
  spec::MeasureOptions options;
  options.number = 3;
  options.repeat = 5;
  options.warmup = 2;
  const TimingPlan plan = MakePlan(options, 0.2);
  EXPECT_EQ(Calibrated(plan, 10), 3);
  EXPECT_EQ(kernel_->launches(), 2);
  const Timing timing = Sampled(plan, 3);
  EXPECT_THAT(timing.samples, SizeIs(5));
  EXPECT_THAT(timing.samples, Each(Field(&work::Sample::launches, 3)));
  EXPECT_TRUE(timing.converged);
}

TEST_F(TimingTest, MinRepeatMsRaisesTheNumber) {
  Kernel([] { return 1000; });
  spec::MeasureOptions options;
  options.number = 3;
  options.min_repeat_ms = 2;
  EXPECT_GE(Calibrated(MakePlan(options, 0.2), 1000), 2000);
}

TEST_F(TimingTest, ColdCachesAllowOneLaunchPerSample) {
  Kernel([] { return 10'000; });
  spec::MeasureOptions options;
  options.cache = spec::CacheState::kCold;
  EXPECT_EQ(Calibrated(MakePlan(options, 0.2), 10'000), 1);
}

TEST_F(TimingTest, StopsAfterTheShortestTimeWhenThereIsNoNoise) {
  Kernel([] { return 1'000'000; });
  const Timing timing = Sampled(plan_, 1);
  EXPECT_THAT(timing.samples, SizeIs(50));
  EXPECT_TRUE(timing.converged);
  EXPECT_DOUBLE_EQ(timing.latency.seconds, 1e-3);
  EXPECT_EQ(timing.latency.statistic, "p20");
}

TEST_F(TimingTest, SamplesLongerWhenThereIsNoise) {
  RandomStream random(1, "noise");
  Kernel([&] { return static_cast<int64_t>(1e6 * (1 + 0.2 * random.UniformReal())); });
  const Timing timing = Sampled(plan_, 1);
  EXPECT_GT(timing.samples.size(), 50u);
  EXPECT_TRUE(timing.converged);
  EXPECT_NEAR(timing.latency.seconds, 1.04e-3, 0.02e-3);
}

TEST_F(TimingTest, FlagsAKernelThatNeverSettlesAtTheCap) {
  RandomStream random(1, "noise");
  Kernel([&] { return static_cast<int64_t>(1e6 * (1 + 20 * random.UniformReal())); });
  const Timing timing = Sampled(plan_, 1);
  EXPECT_FALSE(timing.converged);
  EXPECT_LE(Spent(), absl::Milliseconds(1030));
  EXPECT_LE(timing.samples.size(), limits::kSamplesPerMeasurement);
}

TEST_F(TimingTest, BurstsOfOtherWorkHardlyMoveTheStatistic) {
  RandomStream random(7, "bursts");
  Kernel([&] { return random.UniformReal() < 0.18 ? 20'000'000 : 1'000'000; });
  EXPECT_NEAR(Sampled(plan_, 1).latency.seconds, 1e-3, 1e-5);
}

TEST_F(TimingTest, LeavesTheTimeOfTwoSamplesBeforeTheDeadline) {
  Kernel([] { return 400'000'000; });
  const Timing timing = Sampled(plan_, 1, absl::Seconds(2));
  EXPECT_THAT(timing.samples, SizeIs(3));  // a fourth would leave less than one
  EXPECT_LE(Spent(), absl::Seconds(2) - absl::Milliseconds(400));
}

TEST_F(TimingTest, OneSampleIsNoConvergence) {
  Kernel([] { return 900'000'000; });
  const Timing timing = Sampled(plan_, 1, absl::Seconds(2));
  EXPECT_THAT(timing.samples, SizeIs(1));
  EXPECT_FALSE(timing.converged);
}

TEST_F(TimingTest, ASlowKernelIsNotSampledTenTimes) {
  Kernel([] { return 500'000'000; });
  EXPECT_THAT(Sampled(plan_, 1).samples, SizeIs(3));
}

TEST_F(TimingTest, PassesOnTheErrorOfARun) {
  Kernel([] { return 1; });
  const auto failing = [](int64_t) -> absl::StatusOr<int64_t> {
    return absl::AbortedError("crashed");
  };
  EXPECT_EQ(TakeSamples(plan_, 1, failing, Time()).status(), absl::AbortedError("crashed"));
  EXPECT_EQ(Calibrate(plan_, 1, failing, Time()).status(), absl::AbortedError("crashed"));
}

TEST_F(TimingTest, WhatIsClearlySlowerThanTheIncumbentIsNotSampledToTheEnd) {
  Kernel([] { return 1'260'000; });
  const Timing timing = Raced(1'260'000);
  EXPECT_TRUE(timing.raced);
  EXPECT_THAT(timing.samples, SizeIs(3));
  EXPECT_DOUBLE_EQ(timing.latency.seconds, 1.26e-3);
  EXPECT_GE(Spent(), absl::Milliseconds(25)) << "it was warm";
}

TEST_F(TimingTest, WhatIsNotClearlySlowerIsSampledToTheEnd) {
  Kernel([] { return 1'240'000; });
  const Timing timing = Raced(1'240'000);
  EXPECT_FALSE(timing.raced);
  EXPECT_GE(timing.samples.size(), 10u);
}

TEST_F(TimingTest, InNoiseTheRaceIsLostLater) {
  int64_t executions = 0;
  int64_t least_ns = 1'400'000;
  Kernel([&] { return least_ns + 300'000 * (executions++ % 3); });
  EXPECT_FALSE(Raced(1'400'000).raced);
  least_ns = 1'600'000;
  EXPECT_TRUE(Raced(1'600'000).raced);
}

TEST_F(TimingTest, WhatIsFarSlowerDuringTheWarmUpIsNotSampledBehindIt) {
  Kernel([] { return 3'100'000; });
  const Timing timing = Raced(3'100'000);
  EXPECT_TRUE(timing.raced);
  EXPECT_THAT(timing.samples, SizeIs(3));
  EXPECT_EQ(kernel_->launches(), 9) << "25 ms";
}

TEST_F(TimingTest, ADeviceThatIsStillClockingUpLosesNoRace) {
  int64_t executions = 0;
  Kernel([&] { return ++executions <= 5 ? 4'000'000 : 1'000'000; });
  EXPECT_FALSE(Raced(4'000'000).raced);
}

TEST_F(TimingTest, AFastKernelThatIsFarSlowerIsProbedInBatches) {
  Kernel([] { return 1'000; });
  const Timing timing = Raced(1'000, MakePlan(spec::MeasureOptions{}, 0.2, 100e-9));
  EXPECT_TRUE(timing.raced);
  EXPECT_THAT(timing.samples, SizeIs(3));
  EXPECT_THAT(timing.samples, Each(Field(&work::Sample::launches, 300)));
}

TEST_F(TimingTest, ASlowFirstExecutionLosesNoRace) {
  Kernel([] { return 1'000'000; });
  EXPECT_FALSE(Raced(20'000'000).raced);
}

TEST_F(TimingTest, AGivenNumberOfSamplesIsTakenAnyway) {
  Kernel([] { return 9'000'000; });
  spec::MeasureOptions options;
  options.repeat = 7;
  const Timing timing = Raced(9'000'000, MakePlan(options, 0.2, 1e-3));
  EXPECT_FALSE(timing.raced);
  EXPECT_THAT(timing.samples, SizeIs(7));
}

TEST(NextBatchTest, AimsAboveTheTargetAndGrowsAtMostTenfold) {
  EXPECT_EQ(NextBatch(10, 1000, 2000), 28);
  EXPECT_EQ(NextBatch(10, 1, 1'000'000), 100);
  EXPECT_EQ(NextBatch(10, 999, 1000), 15);
  EXPECT_EQ(NextBatch(1, 0, 1000), 10);
}

TEST(SummariseTest, NamesTheMedian) {
  const work::Sample samples[] = {{2000, 1}, {4000, 2}, {9000, 3}};
  const work::Latency latency = Summarise(samples, 0.5);
  EXPECT_EQ(latency.statistic, "median");
  EXPECT_DOUBLE_EQ(latency.seconds, 2e-6);
  EXPECT_DOUBLE_EQ(latency.min_seconds, 2e-6);
}

}  // namespace
}  // namespace burnish::measure
