#include "client/cli/eta.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::DoubleEq;
using ::testing::Optional;

// 20 of 100 trials in 40 s on the clock and 30 s of the device. The comparison counts as 4 trials.
pb::TaskSnapshot Task() {
  pb::TaskSnapshot task;
  task.set_state(pb::STATE_RUNNING);
  task.set_trials(20);
  task.set_budget_trials(100);
  task.set_space_size("5000");
  task.set_seconds(40);
  task.set_device_seconds(30);
  return task;
}
constexpr Pace kTwoSecondsEach{.results = 20, .seconds = 40};

pb::JobSnapshot JobOf(const std::vector<pb::TaskSnapshot>& tasks) {
  pb::JobSnapshot job;
  job.set_job_id("j1");
  job.set_state(pb::STATE_RUNNING);
  for (const pb::TaskSnapshot& task : tasks) *job.add_tasks() = task;
  return job;
}

TEST(TaskEtaTest, CountsTheTrialsLeftAndTheComparison) {
  EXPECT_THAT(TaskEtaSeconds(Task(), kTwoSecondsEach), Optional(DoubleEq(2 * (80 + 4))));
}

TEST(TaskEtaTest, CountsTheTrialsInFlightAsHalfDone) {
  pb::TaskSnapshot task = Task();
  task.set_running(6);
  EXPECT_THAT(TaskEtaSeconds(task, kTwoSecondsEach), Optional(DoubleEq(2 * (80 - 3 + 4))));
}

TEST(TaskEtaTest, ASpaceBelowTheBudgetEndsBefore) {
  pb::TaskSnapshot task = Task();
  task.set_space_size("50");
  EXPECT_EQ(TrialsAtMost(task), 50);
  EXPECT_THAT(TaskEtaSeconds(task, kTwoSecondsEach), Optional(DoubleEq(2 * (30 + 4))));
  task.set_space_size("18446744073709551615");
  EXPECT_EQ(TrialsAtMost(task), 100);
}

TEST(TaskEtaTest, TheRuleThatComesFirstCounts) {
  pb::TaskSnapshot task = Task();
  task.set_budget_device_seconds(45);  // for 10 trials more
  EXPECT_THAT(TaskEtaSeconds(task, kTwoSecondsEach), Optional(DoubleEq(2 * (10 + 4))));
  task.set_budget_seconds(50);
  EXPECT_THAT(TaskEtaSeconds(task, kTwoSecondsEach), Optional(DoubleEq(10 + 2 * 4)));
  EXPECT_THAT(TaskEtaSeconds(task, kTwoSecondsEach, /*age_seconds=*/4),
              Optional(DoubleEq(6 + 2 * 4)));
}

TEST(TaskEtaTest, IsNeverNegative) {
  pb::TaskSnapshot task = Task();
  task.set_budget_trials(20);
  task.set_running(8);
  EXPECT_THAT(TaskEtaSeconds(task, kTwoSecondsEach), Optional(DoubleEq(8)));
  task = Task();
  task.set_budget_device_seconds(10);
  EXPECT_THAT(TaskEtaSeconds(task, kTwoSecondsEach), Optional(DoubleEq(8)));
  task.set_budget_device_seconds(0);
  task.set_budget_seconds(39);
  EXPECT_THAT(TaskEtaSeconds(task, kTwoSecondsEach, 100), Optional(DoubleEq(8)));
}

TEST(TaskEtaTest, IsNothingBeforeTenResultsAndOutsideTheSearch) {
  EXPECT_EQ(TaskEtaSeconds(Task(), {.results = 9, .seconds = 1}), std::nullopt);
  EXPECT_EQ(TaskEtaSeconds(Task(), {.results = 10, .seconds = 0}), std::nullopt);
  for (const pb::State state : {pb::STATE_QUEUED, pb::STATE_FINISHING, pb::STATE_DONE}) {
    pb::TaskSnapshot task = Task();
    task.set_state(state);
    EXPECT_EQ(TaskEtaSeconds(task, kTwoSecondsEach), std::nullopt);
  }
}

TEST(JobEtaTest, IsThatOfTheTaskThatEndsLast) {
  pb::TaskSnapshot slow = Task();
  slow.set_seconds(80);
  pb::TaskSnapshot done = Task();
  done.set_state(pb::STATE_DONE);
  EXPECT_THAT(JobEtaSeconds(JobOf({Task(), slow, done})), Optional(DoubleEq(4 * (80 + 4))));
  EXPECT_EQ(JobEtaSeconds(JobOf({done})), std::nullopt);
  slow.set_trials(3);
  EXPECT_EQ(JobEtaSeconds(JobOf({Task(), slow})), std::nullopt);
}

TEST(JobEtaTest, IsNothingWhileTheJobWaits) {
  pb::JobSnapshot job = JobOf({Task()});
  job.set_waiting("waiting for a device");
  EXPECT_EQ(JobEtaSeconds(job), std::nullopt);
  job.clear_waiting();
  job.set_state(pb::STATE_PAUSED);
  EXPECT_EQ(JobEtaSeconds(job), std::nullopt);
}

TEST(RateMeterTest, TellsThePaceSinceTheFirstLook) {
  RateMeter meter;
  pb::TaskSnapshot task = Task();
  meter.Show(JobOf({task}), absl::Seconds(100));
  EXPECT_EQ(meter.At(absl::Seconds(100)).trials_per_second, 0);
  task.set_trials(25);
  meter.Show(JobOf({task}), absl::Seconds(101));
  EXPECT_EQ(meter.At(absl::Seconds(102)).trials_per_second, 2.5);
  EXPECT_EQ(meter.At(absl::Seconds(102)).eta_seconds, std::nullopt) << "five are too few";
  task.set_trials(30);
  meter.Show(JobOf({task}), absl::Seconds(104));
  EXPECT_THAT(meter.At(absl::Seconds(105)).eta_seconds, Optional(DoubleEq((70 + 4) * 0.5)));
}

TEST(RateMeterTest, WhatItWaitsAtTheStartOrIsPausedDoesNotCount) {
  RateMeter meter;
  pb::JobSnapshot job = JobOf({Task()});
  job.set_state(pb::STATE_QUEUED);
  meter.Show(job, absl::Seconds(0));
  meter.Show(job, absl::Seconds(600));
  job.set_state(pb::STATE_RUNNING);
  job.mutable_tasks(0)->set_trials(30);
  meter.Show(job, absl::Seconds(605));
  EXPECT_EQ(meter.At(absl::Seconds(605)).trials_per_second, 2);
  job.set_waiting("waiting for a device");  // in between, when it is slow indeed
  meter.Show(job, absl::Seconds(606));
  EXPECT_EQ(meter.At(absl::Seconds(610)).trials_per_second, 1);
  job.clear_waiting();
  job.set_state(pb::STATE_PAUSED);
  meter.Show(job, absl::Seconds(900));
  job.set_state(pb::STATE_RUNNING);
  job.mutable_tasks(0)->set_trials(32);
  meter.Show(job, absl::Seconds(901));
  EXPECT_EQ(meter.At(absl::Seconds(901)).trials_per_second, 2);
}

TEST(EtaTextTest, IsMinutesOrHoursAndNeverAbsurd) {
  EXPECT_EQ(EtaText(std::nullopt), "");
  EXPECT_EQ(EtaText(0.4), "ETA 0:00");
  EXPECT_EQ(EtaText(65), "ETA 1:05");
  EXPECT_EQ(EtaText(2 * 3600 + 3 * 60 + 4), "ETA 2:03:04");
  EXPECT_EQ(EtaText(1e9), "");
  EXPECT_EQ(EtaText(std::numeric_limits<double>::infinity()), "");
}

TEST(SecondsLeftTest, NeedsTenStepsAndEndsAtTheEnd) {
  EXPECT_EQ(SecondsLeft(9, 100, 1), std::nullopt);
  EXPECT_EQ(SecondsLeft(100, 100, 1), std::nullopt);
  EXPECT_EQ(SecondsLeft(20, 100, 0), std::nullopt);
  EXPECT_THAT(SecondsLeft(20, 100, 4), Optional(DoubleEq(20)));
}

TEST(ForecastTextTest, SaysOnlyWhatIsKnown) {
  pb::Forecast forecast;
  forecast.set_trials(100);
  EXPECT_EQ(ForecastText(forecast),
            "at most 100 trials; forecast of the time after the first trials");
  forecast.set_seconds(130.2);
  forecast.set_device_seconds(4.21);
  EXPECT_EQ(ForecastText(forecast),
            "at most 100 trials, about 2m11s on the clock, 4.3s of devices");
}

}  // namespace
}  // namespace burnish::cli
