#include "server/jobs/forecast.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

using testing::DoubleEq;
using testing::Optional;

// Every trial takes 2 s of the device and, with its share of the waiting, `wall` on the clock.
void RunJob(Farm& farm, int trials, absl::Duration wall) {
  const JobId id = farm.Submit(JobOf(absl::StrCat("budget: {trials: ", trials, "}")));
  farm.Advance();
  farm.clock().Advance(trials * wall);
  farm.Attach("a", Cpu(), [](const space::Configuration& configuration) {
    Answer answer = Bowl(configuration);
    answer.device_seconds = 2;
    return answer;
  });
  EXPECT_EQ(farm.RunToEnd(id).job.state, store::State::kDone);
}

Forecast Of(Farm& farm, const spec::JobText& job) {
  const auto forecast = ForecastJob(farm.store(), kTeam, farm.Submit(job));
  EXPECT_TRUE(forecast.ok()) << forecast.status();
  return *forecast;
}

TEST(Forecast, InventsNoTimesForAProblemThatWasNeverTuned) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const Forecast forecast = Of(farm, JobOf("budget: {trials: 30, seconds: 60}"));
  EXPECT_EQ(forecast.trials, 30);
  EXPECT_EQ(forecast.seconds, std::nullopt);
  EXPECT_EQ(forecast.device_seconds, std::nullopt);
}

TEST(Forecast, TakesTheTimesOfEarlierJobs) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  RunJob(farm, 4, absl::Seconds(3));
  RunJob(farm, 10, absl::Hours(1));  // was paused over night
  RunJob(farm, 8, absl::Seconds(3));
  const Forecast forecast = Of(farm, JobOf("budget: {trials: 100}"));
  EXPECT_EQ(forecast.trials, 64) << "there are no more";
  EXPECT_THAT(forecast.seconds, Optional(DoubleEq(64 * 3)));
  EXPECT_THAT(forecast.device_seconds, Optional(DoubleEq(64 * 2)));
}

TEST(Forecast, EndsWithTheRuleThatComesFirst) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  RunJob(farm, 4, absl::Seconds(3));
  const Forecast timed = Of(farm, JobOf("budget: {trials: 60, seconds: 30, device_seconds: 100}"));
  EXPECT_EQ(timed.trials, 60);
  EXPECT_THAT(timed.seconds, Optional(DoubleEq(30)));
  EXPECT_THAT(timed.device_seconds, Optional(DoubleEq(20)));
  const Forecast spent = Of(farm, JobOf("budget: {trials: 60, seconds: 90, device_seconds: 10}"));
  EXPECT_THAT(spent.seconds, Optional(DoubleEq(15)));
  EXPECT_THAT(spent.device_seconds, Optional(DoubleEq(10)));
}

TEST(Forecast, KnowsNothingIfOneOfTheTasksIsNew) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  RunJob(farm, 4, absl::Seconds(3));
  farm.Attach("b", Cpu("m1"), Bowl);
  const Forecast forecast = Of(farm, JobOf("budget: {trials: 10}"));
  EXPECT_EQ(forecast.trials, 20);
  EXPECT_EQ(forecast.seconds, std::nullopt);
}

}  // namespace
}  // namespace burnish::jobs
