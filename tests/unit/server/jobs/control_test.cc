#include "server/jobs/control.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

using testing::HasSubstr;

class Control : public testing::Test {
 protected:
  Control() { farm_.Attach("a", Cpu(), Bowl); }

  store::State StateOf(JobId id) { return farm_.Get(id).job.state; }

  Farm farm_;
};

TEST_F(Control, PausesTheJobsOfOneHoldAndLeavesTheOthers) {
  const JobId mine = farm_.Submit(JobOf("budget: {trials: 30}"), "hold-1");
  const JobId other = farm_.Submit(JobOf("budget: {trials: 30}"), "hold-2");
  farm_.Advance();
  ASSERT_TRUE(PauseJobsOfHold(farm_.store(), "hold-1", "its client ended").ok());
  EXPECT_EQ(StateOf(mine), store::State::kPaused);
  EXPECT_EQ(farm_.Get(mine).job.reason, "its client ended");
  EXPECT_EQ(StateOf(other), store::State::kRunning);
}

TEST_F(Control, APausedJobStandsStillUntilItIsResumedAndThenLivesWithTheNewClient) {
  const JobId job = farm_.Submit(JobOf("budget: {trials: 30}"), "hold-1");
  farm_.Advance();
  farm_.Serve(2);
  ASSERT_TRUE(PauseJobsOfHold(farm_.store(), "hold-1", "its client ended").ok());
  const size_t trials = farm_.Trials(job).size();
  farm_.Advance();
  EXPECT_EQ(farm_.Serve(), 0);
  EXPECT_EQ(farm_.Trials(job).size(), trials);

  ASSERT_TRUE(Resume(farm_.store(), kTeam, job, "hold-2").ok());
  EXPECT_EQ(farm_.Get(job).job.hold_id, "hold-2");
  const store::JobWithTasks ended = farm_.RunToEnd(job);
  EXPECT_EQ(ended.job.state, store::State::kDone);
  EXPECT_EQ(farm_.Trials(job).size(), 30u);
}

TEST_F(Control, AResultReportedWhileTheJobIsPausedIsObservedLater) {
  const JobId job = farm_.Submit(JobOf("budget: {trials: 10}"), "hold-1");
  farm_.Advance();
  const auto held = farm_.Claim("a", 2);
  ASSERT_EQ(held.size(), 2u);
  ASSERT_TRUE(PauseAllActive(farm_.store(), "the server was restarted").ok());
  for (const auto& assignment : held) farm_.Report("a", assignment);
  farm_.RestartServer();
  farm_.Advance();
  ASSERT_TRUE(Resume(farm_.store(), kTeam, job, "hold-2").ok());
  EXPECT_EQ(farm_.RunToEnd(job).job.state, store::State::kDone);
  EXPECT_EQ(farm_.Trials(job).size(), 10u);
}

TEST_F(Control, PausesEverythingThatIsActiveAndNothingThatHasEnded) {
  const JobId ended = farm_.Submit(JobOf("budget: {trials: 2}"));
  farm_.RunToEnd(ended);
  const JobId queued = farm_.Submit(JobOf("budget: {trials: 30}"));
  ASSERT_TRUE(PauseAllActive(farm_.store(), "restart").ok());
  EXPECT_EQ(StateOf(ended), store::State::kDone);
  EXPECT_EQ(StateOf(queued), store::State::kPaused);
  EXPECT_TRUE(PauseAllActive(farm_.store(), "again").ok());
  EXPECT_EQ(farm_.Get(queued).job.reason, "restart");
}

TEST_F(Control, ACancelledJobStandsStillWithWhatItMeasured) {
  const JobId job = farm_.Submit(JobOf("budget: {trials: 30}"));
  farm_.Advance();
  farm_.Serve(2);
  ASSERT_TRUE(Cancel(farm_.store(), kTeam, job).ok());
  farm_.Advance();
  EXPECT_EQ(farm_.Serve(), 0);
  const store::JobWithTasks cancelled = farm_.Get(job);
  EXPECT_EQ(cancelled.job.state, store::State::kCancelled);
  EXPECT_EQ(cancelled.job.reason, "on request");
  EXPECT_EQ(cancelled.tasks[0].state, store::State::kCancelled);
  EXPECT_TRUE(cancelled.tasks[0].ended.has_value());
  EXPECT_EQ(farm_.Trials(job).size(), 2u);
  EXPECT_TRUE(Cancel(farm_.store(), kTeam, job).ok()) << "again";
}

TEST_F(Control, WhatIsRequestedTwiceSucceedsTwice) {
  const JobId job = farm_.Submit(JobOf("budget: {trials: 30}"));
  for (int times = 0; times < 2; ++times) {
    EXPECT_TRUE(Pause(farm_.store(), kTeam, job).ok());
    EXPECT_EQ(StateOf(job), store::State::kPaused);
    EXPECT_EQ(farm_.Get(job).job.reason, "on request");
  }
  for (int times = 0; times < 2; ++times) {
    EXPECT_TRUE(Resume(farm_.store(), kTeam, job, "").ok());
    EXPECT_EQ(StateOf(job), store::State::kRunning);
  }
  for (int times = 0; times < 2; ++times) EXPECT_TRUE(Finish(farm_.store(), kTeam, job).ok());
}

TEST_F(Control, ChangesNothingOfAJobThatHasEnded) {
  const JobId job = farm_.Submit(JobOf("budget: {trials: 2}"));
  farm_.RunToEnd(job);
  EXPECT_THAT(std::string(Cancel(farm_.store(), kTeam, job).message()),
              HasSubstr("cannot cancel j1: it is done"));
  EXPECT_THAT(std::string(Pause(farm_.store(), kTeam, job).message()),
              HasSubstr("cannot pause j1: it is done"));
  EXPECT_EQ(StateOf(job), store::State::kDone);
}

TEST_F(Control, RefusesToFinishAJobThatIsPausedOrHasEnded) {
  const JobId job = farm_.Submit(JobOf("budget: {trials: 2}"));
  ASSERT_TRUE(PauseAllActive(farm_.store(), "restart").ok());
  const absl::Status paused = Finish(farm_.store(), kTeam, job);
  EXPECT_EQ(paused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(paused.message()), HasSubstr("cannot finish j1: it is paused"));
  ASSERT_TRUE(Resume(farm_.store(), kTeam, job, "").ok());
  farm_.RunToEnd(job);
  EXPECT_THAT(std::string(Finish(farm_.store(), kTeam, job).message()),
              HasSubstr("cannot finish j1: it is done"));
}

TEST_F(Control, RefusesToResumeAJobThatIsNotPausedAndLeavesItsHold) {
  const JobId job = farm_.Submit(JobOf("budget: {trials: 2}"), "hold-1");
  const absl::Status status = Resume(farm_.store(), kTeam, job, "hold-2");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot resume j1: it is queued"));
  EXPECT_EQ(farm_.Get(job).job.hold_id, "hold-1");
}

TEST_F(Control, KnowsNoJobOfAnotherNamespace) {
  const JobId job = farm_.Submit(JobOf("budget: {trials: 2}"));
  EXPECT_TRUE(absl::IsNotFound(Finish(farm_.store(), Namespace("others"), job)));
  EXPECT_TRUE(absl::IsNotFound(Resume(farm_.store(), Namespace("others"), job, "")));
  EXPECT_TRUE(absl::IsNotFound(Pause(farm_.store(), Namespace("others"), job)));
  EXPECT_TRUE(absl::IsNotFound(Cancel(farm_.store(), Namespace("others"), job)));
}

}  // namespace
}  // namespace burnish::jobs
