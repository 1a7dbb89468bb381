// The energy policy on scripted meters, whose integral is known, and a simulated clock.
#include "agent/sensors/energy.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::sensors {
namespace {

constexpr double kIdleWatts = 20;

// A device and its meter. The device draws idle power, and while it executes a wave with the period
// of one execution: `low` watts, and `high` for the share `duty` at its end. The meter shows, every
// `period`, what its kind makes of the power so far.
class Bench : public Record {
 public:
  struct Wave {
    double execution = 1e-3;  // s
    double high = 100;
    double low = 100;
    double duty = 0.5;
    double MeanWatts() const { return duty * high + (1 - duty) * low; }
  };

  Bench(SensorInfo info, Wave wave) : info_(info), wave_(wave) {}

  absl::StatusOr<std::vector<Reading>> Between(absl::Duration from, absl::Duration to) override {
    if (lost_) return absl::UnavailableError("the sensor is lost");
    std::vector<Reading> readings;
    const double interval = absl::ToDoubleSeconds(info_.interval);
    for (double at = std::ceil(absl::ToDoubleSeconds(from) / interval) * interval;
         at <= absl::ToDoubleSeconds(to); at += interval) {
      readings.push_back({absl::Seconds(at), Shown(at)});
    }
    return readings;
  }

  absl::StatusOr<Energy> Measure() {
    return MeasureEnergy(info_, absl::Seconds(5), wave_.execution,
                         {.clock = clock_,
                          .deadline = absl::Minutes(20),
                          .record = *this,
                          .run = run_,
                          .wait = wait_,
                          .throttled = throttled_});
  }

  void Lose() { lost_ = true; }
  std::vector<bool> throttles_;  // by call; then none
  double extra_watts_per_trial_ = 0;
  int calls_ = 0;

 private:
  // A stretch of idling or of executions.
  struct Stretch {
    double start = 0;
    double joules = 0;  // before it
    bool idle = true;
    double extra_watts = 0;
  };

  double JoulesIn(const Stretch& stretch, double seconds) const {
    if (stretch.idle) return kIdleWatts * seconds;
    const double whole = std::floor(seconds / wave_.execution);
    const double part = seconds - whole * wave_.execution;
    const double high = std::max(0.0, part - (1 - wave_.duty) * wave_.execution);
    return whole * wave_.execution * wave_.MeanWatts() + high * wave_.high +
           (part - high) * wave_.low + stretch.extra_watts * seconds;
  }

  double JoulesUntil(double at) const {
    auto next = std::ranges::upper_bound(stretches_, at, {}, &Stretch::start);
    if (next == stretches_.begin()) return 0;
    const Stretch& stretch = *std::prev(next);
    return stretch.joules + JoulesIn(stretch, at - stretch.start);
  }

  double Shown(double at) const {
    const double period = absl::ToDoubleSeconds(info_.period);
    const double updated = std::floor(at / period + 1e-9) * period;
    if (info_.quality == Quality::kCounter) return JoulesUntil(updated);
    const double averaging = std::max(absl::ToDoubleSeconds(info_.averaging), 1e-6);
    const double from = std::max(0.0, updated - averaging);
    return updated <= from ? kIdleWatts
                           : (JoulesUntil(updated) - JoulesUntil(from)) / (updated - from);
  }

  void Spend(double seconds, bool idle) {
    const double start = absl::ToDoubleSeconds(clock_.Monotonic());
    const double joules = stretches_.empty() ? 0 : JoulesUntil(start);
    stretches_.push_back({start, joules, idle, idle ? 0 : extra_watts_per_trial_ * calls_});
    clock_.Advance(absl::Seconds(seconds));
  }

  SensorInfo info_;
  Wave wave_;
  bool lost_ = false;
  SimulatedClock clock_{absl::UnixEpoch()};
  std::vector<Stretch> stretches_;
  std::function<absl::Status(int64_t)> run_ = [this](int64_t launches) {
    Spend(launches * wave_.execution, /*idle=*/false);
    return absl::OkStatus();
  };
  std::function<absl::Status(absl::Duration)> wait_ = [this](absl::Duration duration) {
    Spend(absl::ToDoubleSeconds(duration), /*idle=*/true);
    return absl::OkStatus();
  };
  std::function<bool()> throttled_ = [this] {
    const size_t call = calls_++;
    return call < throttles_.size() && throttles_[call];
  };
};

SensorInfo Meter(Quality quality, int period_ms, int averaging_ms) {
  return {.name = "scripted",
          .quality = quality,
          .period = absl::Milliseconds(period_ms),
          .averaging = absl::Milliseconds(averaging_ms),
          .interval = absl::Milliseconds(std::min(20, std::max(2, period_ms / 4)))};
}

double Error(const Energy& energy, const Bench::Wave& wave) {
  const double known = wave.MeanWatts() * wave.execution;
  return std::abs(energy.joules - known) / known;
}

const SensorInfo kMeters[] = {
    Meter(Quality::kCounter, 1, 0),      Meter(Quality::kCounter, 100, 0),
    Meter(Quality::kInstant, 2, 0),      Meter(Quality::kInstant, 100, 0),
    Meter(Quality::kInstant, 100, 25),   Meter(Quality::kAveraged, 100, 100),
    Meter(Quality::kAveraged, 100, 1000)};

TEST(EnergyTest, TheErrorAgainstAKnownIntegralIsWithinOnePercent) {
  double worst = 0;
  for (const SensorInfo& meter : kMeters) {
    // No divisors of any period, so that nothing is in step.
    for (const double execution : {0.00037, 0.0131, 0.217}) {
      const Bench::Wave wave{.execution = execution, .high = 130, .low = 90, .duty = 0.3};
      Bench bench(meter, wave);
      const auto energy = bench.Measure();
      ASSERT_TRUE(energy.ok()) << energy.status();
      EXPECT_LE(Error(*energy, wave), 0.01)
          << QualityName(meter.quality) << " " << meter.period << " " << execution;
      EXPECT_NEAR(energy->idle_watts, kIdleWatts, 0.01 * kIdleWatts);
      EXPECT_NEAR(energy->net_joules, (wave.MeanWatts() - kIdleWatts) * execution,
                  0.013 * wave.MeanWatts() * execution);
      EXPECT_TRUE(energy->stable());
      worst = std::max(worst, Error(*energy, wave));
    }
  }
  RecordProperty("worst_error", std::to_string(worst));
  std::printf("worst error, not in step: %.3f %%\n", 100 * worst);
}

TEST(EnergyTest, AKernelInStepWithItsSensorIsWithinThreePercent) {
  double worst = 0;
  for (const SensorInfo& meter : kMeters) {
    const double period = absl::ToDoubleSeconds(meter.period);
    for (const double ratio : {0.125, 0.5, 1.0, 2.0}) {
      for (const double duty : {0.05, 0.25, 0.3, 0.5, 0.71}) {
        const Bench::Wave wave{.execution = ratio * period, .high = 120, .low = 60, .duty = duty};
        Bench bench(meter, wave);
        const auto energy = bench.Measure();
        ASSERT_TRUE(energy.ok()) << energy.status();
        EXPECT_LE(Error(*energy, wave), 0.03)
            << QualityName(meter.quality) << " " << meter.period << " " << ratio << " " << duty;
        worst = std::max(worst, Error(*energy, wave));
      }
    }
  }
  RecordProperty("worst_error", std::to_string(worst));
  std::printf("worst error, in step: %.3f %%\n", 100 * worst);
}

TEST(EnergyTest, FiguresThatDriftAreUnstable) {
  Bench bench(Meter(Quality::kCounter, 1, 0), {});
  bench.extra_watts_per_trial_ = 8;
  const auto energy = bench.Measure();
  ASSERT_TRUE(energy.ok());
  EXPECT_GT(energy->relative_sigma, 0.03);
  EXPECT_FALSE(energy->stable());
}

TEST(EnergyTest, AThrottledTrialIsMeasuredAgain) {
  Bench once(Meter(Quality::kCounter, 1, 0), {});
  once.throttles_ = {true, true, false};  // the first call only resets
  EXPECT_FALSE(once.Measure()->throttled);
  EXPECT_EQ(once.calls_, 1 + 1 + 3);
  Bench always(Meter(Quality::kCounter, 1, 0), {});
  always.throttles_ = std::vector<bool>(100, true);
  EXPECT_TRUE(always.Measure()->throttled);
  EXPECT_EQ(always.calls_, 1 + 10 + 3);
}

TEST(EnergyTest, AMeterThatShowsNothingIsAnError) {
  Bench bench(Meter(Quality::kInstant, 2, 0), {.high = 0, .low = 0});
  EXPECT_TRUE(absl::IsDataLoss(bench.Measure().status()));
}

TEST(EnergyTest, LessThanIdlingIsNoNetEnergy) {
  Bench bench(Meter(Quality::kInstant, 2, 0), {.high = 19, .low = 19});
  EXPECT_EQ(bench.Measure()->net_joules, 0);
}

TEST(EnergyTest, ALostSensorIsAnError) {
  Bench bench(Meter(Quality::kInstant, 2, 0), {});
  bench.Lose();
  EXPECT_TRUE(absl::IsUnavailable(bench.Measure().status()));
}

TEST(EnergyTest, TooFewReadingsAreAnErrorAndNotAZero) {
  const auto mean = [](const std::vector<Reading>& readings, bool counter) {
    return MeanWatts(readings, counter, absl::Seconds(0), absl::Seconds(5));
  };
  EXPECT_FALSE(mean({}, false).ok());
  EXPECT_FALSE(mean({{absl::Seconds(1), 5}}, false).ok());
  EXPECT_FALSE(mean({{absl::Seconds(1), 5}, {absl::Seconds(2), 5}}, true).ok());
  EXPECT_EQ(*mean({{absl::Seconds(1), 4}, {absl::Seconds(2), 6}, {absl::Seconds(4), 6}}, false),
            (4 + 5 + 12 + 6) / 5.0);
}

TEST(EnergyTest, TheLimitHoldsTheSlowestPlan) {
  const absl::Duration window = absl::Seconds(5);
  for (const SensorInfo& meter : kMeters) {
    const EnergyPlan plan = MakeEnergyPlan(meter, meter.period, window);
    const absl::Duration trial = plan.rise + plan.pieces * plan.settle + 2 * plan.window;
    EXPECT_LE(plan.idle + plan.trials * trial, EnergyTimeLimit(window));
  }
}

}  // namespace
}  // namespace burnish::sensors
