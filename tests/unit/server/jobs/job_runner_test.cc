#include "server/jobs/job_runner.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/jobs/control.h"
#include "server/jobs/ranking.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

using store::State;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<uint64_t> Indices(const std::vector<store::Trial>& trials) {
  std::vector<uint64_t> indices;
  for (const store::Trial& trial : trials) indices.push_back(trial.what.index);
  return indices;
}

TEST(JobRunner, TunesAJobToItsEnd) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 30}\nstrategy: {name: random, seed: 5}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_EQ(job.job.reason, "budget spent");
  EXPECT_EQ(job.tasks[0].state, State::kDone);

  const std::vector<store::Trial> trials = farm.Trials(id);
  EXPECT_EQ(trials.size(), 30u);
  const std::set<uint64_t> distinct = [&] {
    const auto indices = Indices(trials);
    return std::set<uint64_t>(indices.begin(), indices.end());
  }();
  EXPECT_EQ(distinct.size(), 30u);
  EXPECT_EQ(space::ToJson(trials[0].what.configuration), R"({"A": 1, "B": 1})");

  // The winner is the one that the records imply.
  const store::TaskResult& result = job.tasks[0].result;
  ASSERT_TRUE(result.best.has_value());
  EXPECT_TRUE(space::SameConfiguration(*result.best,
                                       Rank(trials, Criteria()).trials[0].what.configuration));
  EXPECT_NEAR(result.speedup,
              Bowl(trials[0].what.configuration).seconds / Bowl(*result.best).seconds, 1e-3);
  EXPECT_TRUE(result.verified);
  EXPECT_TRUE(result.tie.empty());
}

TEST(JobRunner, ExhaustsASpaceBelowTheBudget) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 100}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_EQ(job.job.reason, "space exhausted");
  EXPECT_EQ(farm.Trials(id).size(), 64u);
  EXPECT_EQ(space::ToJson(*job.tasks[0].result.best), R"({"A": 6, "B": 3})");
}

TEST(JobRunner, ProposesAfterARestartWhatItWouldHaveProposedWithoutOne) {
  const spec::JobText text = JobOf("budget: {trials: 40}\nstrategy: {name: random, seed: 9}");
  Farm uninterrupted;
  uninterrupted.Attach("a", Cpu(), Bowl);
  const JobId whole = uninterrupted.Submit(text);
  const store::JobWithTasks expected = uninterrupted.RunToEnd(whole);

  Farm restarted;
  restarted.Attach("a", Cpu(), Bowl);
  const JobId pieces = restarted.Submit(text);
  for (int round = 0; round < 20; ++round) {
    restarted.RestartServer();
    restarted.Advance();
    restarted.Serve();
  }
  const store::JobWithTasks actual = restarted.RunToEnd(pieces);
  EXPECT_EQ(Indices(restarted.Trials(pieces)), Indices(uninterrupted.Trials(whole)));
  EXPECT_TRUE(
      space::SameConfiguration(*actual.tasks[0].result.best, *expected.tasks[0].result.best));
}

TEST(JobRunner, ARestartAtEveryStepStillEndsTheJobOnce) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 8}"));
  for (int round = 0; round < 30; ++round) {
    farm.RestartServer();
    farm.Advance();
    farm.Serve();
  }
  EXPECT_EQ(farm.Get(id).job.state, State::kDone);
  EXPECT_EQ(farm.Trials(id).size(), 8u);
  EXPECT_EQ(farm.store().Results(kTeam, id, "compare", 0, 10)->size(), 1u);
}

TEST(JobRunner, KeepsNoMoreThanEightTrialsPending) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 30}"));
  farm.Advance();
  farm.Advance();
  EXPECT_EQ(farm.Trials(id).size(), 8u);
  farm.Serve(2);
  farm.Advance();
  EXPECT_EQ(farm.Trials(id).size(), 10u);
}

TEST(JobRunner, GivesUpAHopelessTaskWithAHistogramAndOneMessageOfEach) {
  Farm farm;
  farm.Attach("a", Cpu(), AlwaysWrong);
  const JobId id = farm.Submit(JobOf("budget: {trials: 60}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kFailed);
  EXPECT_EQ(job.job.reason,
            "all of the first 20 trials failed: wrong_result 20\n"
            "wrong_result (#0): c[3]: 0.5, expected 1");
  EXPECT_EQ(job.tasks[0].state, State::kFailed);
  EXPECT_LT(farm.Trials(id).size(), 26u);
  for (const store::Trial& trial : farm.Trials(id)) EXPECT_TRUE(trial.finished_position);
}

TEST(JobRunner, AWrongResultNeverWins) {
  Farm farm;
  farm.Attach("a", Cpu(), [](const space::Configuration& configuration) {
    Answer answer = Bowl(configuration);
    if (ValueOf(configuration, "A") == 6) {  // the fast ones
      answer = {.outcome = work::Outcome::kWrongResult, .seconds = 1e-9, .message = "c[0]"};
    }
    return answer;
  });
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_NE(ValueOf(*job.tasks[0].result.best, "A"), 6);
}

TEST(JobRunner, FinishesOnRequestWithWhatWasFoundSoFar) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 60}"));
  for (int round = 0; round < 10; ++round) {
    farm.Advance();
    farm.Serve();
  }
  farm.Advance();
  const auto held = farm.Claim("a", 2);
  ASSERT_EQ(held.size(), 2u);
  ASSERT_TRUE(Finish(farm.store(), kTeam, id).ok());
  farm.Advance();
  EXPECT_EQ(farm.Trials(id).size(), 12u) << "the queued ones are taken back";
  farm.Advance();
  EXPECT_EQ(farm.Get(id).tasks[0].state, State::kRunning) << "two trials still run";
  for (const auto& assignment : held) farm.Report("a", assignment);
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_EQ(job.job.reason, "finished on request");
  EXPECT_EQ(farm.Trials(id).size(), 12u);
  EXPECT_TRUE(job.tasks[0].result.best.has_value());
}

TEST(JobRunner, FinishedBeforeATrialEndedThereIsNothingToShow) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 60}"));
  farm.Advance();
  ASSERT_TRUE(Finish(farm.store(), kTeam, id).ok());
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kFailed);
  EXPECT_EQ(job.job.reason, "finished on request before a trial ended");
  EXPECT_TRUE(farm.Trials(id).empty());
}

TEST(JobRunner, StopsWhenTheSecondsAreSpent) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 60, seconds: 100}"));
  for (int round = 0; round < 10; ++round) {
    farm.Advance();
    farm.Serve();
  }
  farm.clock().Advance(absl::Seconds(101));
  farm.Attach("a", Cpu(), Bowl);
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_EQ(job.job.reason, "time spent");
  EXPECT_EQ(farm.Trials(id).size(), 10u);
}

TEST(JobRunner, NoSuccessWithinTheSecondsFailsTheJob) {
  Farm farm;
  farm.Attach("a", Cpu(), AlwaysWrong);
  const JobId id = farm.Submit(JobOf("budget: {trials: 60, seconds: 100}"));
  farm.Advance();
  farm.Serve(3);
  farm.clock().Advance(absl::Seconds(101));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kFailed);
  EXPECT_EQ(job.job.reason,
            "time spent, and no trial succeeded: wrong_result 3\n"
            "wrong_result (#0): c[3]: 0.5, expected 1");
}

TEST(JobRunner, ReportsATieWhenNoWinnerStandsOut) {
  Farm farm;
  farm.Attach("a", Cpu(), [](const space::Configuration& configuration) {
    return Answer{.outcome = work::Outcome::kOk,
                  .seconds = ValueOf(configuration, "A") == 1 ? 2e-3 : 1e-3,
                  .message = ""};
  });
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.tasks[0].result.tie.size(), 8u) << "of nine, one stands for all";
  EXPECT_NEAR(job.tasks[0].result.speedup, 2, 1e-6);
}

TEST(JobRunner, DecidesByTheScreeningWhenTheComparisonFails) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  farm.compare = [](const work::CompareWork&) {
    work::Comparison comparison;
    comparison.outcome = work::Outcome::kCrash;
    comparison.message = "signal 11";
    return comparison;
  };
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_EQ(job.job.reason, "budget spent; finalists could not be compared: signal 11");
  EXPECT_EQ(space::ToJson(*job.tasks[0].result.best), R"({"A": 6, "B": 3})");
  EXPECT_EQ(job.tasks[0].result.speedup, 0);
}

TEST(JobRunner, EndsThoughEveryComparisonIsLost) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  farm.compare = [](const work::CompareWork&) {
    work::Comparison comparison;
    comparison.outcome = work::Outcome::kInfrastructure;
    comparison.message = "worker lost";
    return comparison;
  };
  const JobId id = farm.Submit(JobOf("budget: {trials: 4}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_THAT(job.job.reason, HasSubstr("finalists could not be compared: worker lost"));
}

TEST(JobRunner, WithoutAReferenceTheBestIsMarkedUnverified) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  farm.compare = [](const work::CompareWork& work) {
    work::Comparison comparison;
    comparison.outcome = work::Outcome::kOk;
    for (const auto& configuration : work.finalists) {
      comparison.finalists.push_back({.configuration = configuration,
                                      .outcome = work::Outcome::kOk,
                                      .message = "",
                                      .rounds = {{.total_ns = 1000, .launches = 1}},
                                      .correctness = {}});
    }
    return comparison;
  };
  const JobId id = farm.Submit(JobOf("budget: {trials: 4}", "\n  reference: none"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_TRUE(job.tasks[0].result.best.has_value());
  EXPECT_FALSE(job.tasks[0].result.verified);
}

TEST(JobRunner, InfrastructureOutcomesCountAsTrials) {
  Farm farm;
  farm.Attach("a", Cpu(), [](const space::Configuration& configuration) {
    Answer answer = Bowl(configuration);
    if (ValueOf(configuration, "B") == 2) answer.outcome = work::Outcome::kInfrastructure;
    return answer;
  });
  const JobId id = farm.Submit(JobOf("budget: {trials: 64}"));
  EXPECT_EQ(farm.RunToEnd(id).job.state, State::kDone);
  EXPECT_EQ(farm.Trials(id).size(), 64u);
}

TEST(JobRunner, AJobIsDoneIfOneOfItsTasksIsAndSaysWhatBecameOfTheOther) {
  Farm farm;
  farm.Attach("a", Cpu("zen4"), Bowl);
  farm.Attach("b", Cpu("m1"), AlwaysWrong);
  const JobId id = farm.Submit(JobOf("budget: {trials: 10}"));
  const store::JobWithTasks job = farm.RunToEnd(id);
  EXPECT_EQ(job.job.state, State::kDone);
  EXPECT_EQ(job.tasks[0].state, State::kDone);
  EXPECT_EQ(job.tasks[1].state, State::kFailed);
  EXPECT_THAT(job.job.reason, StartsWith("j1.1: budget spent\nj1.2: all of the 10 trials failed"));
}

TEST(JobRunner, AJobWhoseTextNoLongerReadsFailsAlone) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId good = farm.Submit(JobOf("budget: {trials: 4}"));
  store::NewJob broken{.client_request_id = "broken",
                       .name = "old",
                       .file_name = "old.yaml",
                       .text = "removed_key: 1\n",
                       .files = {},
                       .hold_id = "",
                       .tasks = {farm.Get(good).tasks[0].what}};
  const JobId bad = farm.store().CreateJob(kTeam, broken)->first;
  EXPECT_EQ(farm.RunToEnd(good).job.state, State::kDone);
  EXPECT_EQ(farm.Get(bad).job.state, State::kFailed);
  EXPECT_EQ(farm.Get(bad).tasks[0].state, State::kFailed);
  EXPECT_THAT(farm.Get(bad).job.reason, HasSubstr("removed_key"));
}

TEST(JobRunner, SaysThatItIsFinishingWhileTheFinalistsAreCompared) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  const JobId id = farm.Submit(JobOf("budget: {trials: 2}"));
  farm.Advance();
  farm.Serve(2);
  farm.Advance();
  EXPECT_EQ(farm.Get(id).job.state, State::kFinishing);
  EXPECT_EQ(farm.Get(id).tasks[0].state, State::kFinishing);
}

}  // namespace
}  // namespace burnish::jobs
