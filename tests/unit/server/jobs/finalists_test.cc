#include "server/jobs/finalists.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::jobs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using work::Outcome;

space::Configuration Config(int64_t value) { return {{.name = "A", .value = value}}; }

store::Trial Trial(int64_t number, double seconds, Outcome outcome = Outcome::kOk) {
  store::Trial trial;
  trial.what = {.number = TrialNumber(number),
                .index = static_cast<uint64_t>(number),
                .configuration = Config(number),
                .observed = 0};
  trial.finished_position = number;
  trial.outcome = outcome;
  if (outcome == Outcome::kOk) {
    trial.latency = work::Latency{.statistic = "median",
                                  .seconds = seconds,
                                  .interval = {seconds * 0.9, seconds * 1.1},
                                  .relative_mad = 0,
                                  .min_seconds = seconds};
    trial.correctness.verified = true;
  }
  return trial;
}

// 20 rounds; the machine's slowness differs from round to round and is the same for all finalists.
work::FinalistSamples Samples(int64_t value, double seconds, double jitter = 0) {
  work::FinalistSamples samples{.configuration = Config(value),
                                .outcome = Outcome::kOk,
                                .message = "",
                                .rounds = {},
                                .correctness = {}};
  samples.correctness.verified = true;
  for (int round = 0; round < 20; ++round) {
    const double slowness = 1 + 0.2 * (round % 5);
    const double own = 1 + jitter * (round % 2 == 0 ? 1 : -1);
    samples.rounds.push_back(
        {.total_ns = static_cast<int64_t>(std::llround(seconds * slowness * own * 1e9)),
         .launches = 1});
  }
  return samples;
}

work::FinalistSamples FailedSamples(int64_t value, Outcome outcome, const std::string& message) {
  return {.configuration = Config(value),
          .outcome = outcome,
          .message = message,
          .rounds = {},
          .correctness = {}};
}

work::Comparison ComparisonOf(std::vector<work::FinalistSamples> finalists) {
  work::Comparison comparison;
  comparison.outcome = Outcome::kOk;
  comparison.finalists = std::move(finalists);
  return comparison;
}

std::vector<std::string> Jsons(const std::vector<space::Configuration>& configurations) {
  std::vector<std::string> jsons;
  for (const auto& configuration : configurations) jsons.push_back(space::ToJson(configuration));
  return jsons;
}

std::string Json(int64_t value) { return space::ToJson(Config(value)); }

TEST(ChooseFinalists, TakesTheDefaultAndTheThreeBestOthers) {
  const std::vector<store::Trial> trials = {Trial(0, 9), Trial(1, 5), Trial(2, 3),
                                            Trial(3, 4), Trial(4, 2), Trial(5, 8)};
  EXPECT_THAT(Jsons(ChooseFinalists(trials, Criteria()).finalists),
              ElementsAre(Json(0), Json(4), Json(2), Json(3)));
}

TEST(ChooseFinalists, NamesTheDefaultOnceThoughItIsTheBest) {
  const std::vector<store::Trial> trials = {Trial(0, 1), Trial(1, 2)};
  EXPECT_THAT(Jsons(ChooseFinalists(trials, Criteria()).finalists), ElementsAre(Json(0), Json(1)));
}

TEST(ChooseFinalists, DoesWithoutADefaultThatFailed) {
  const std::vector<store::Trial> trials = {Trial(0, 0, Outcome::kTimeout), Trial(1, 2)};
  EXPECT_THAT(Jsons(ChooseFinalists(trials, Criteria()).finalists), ElementsAre(Json(1)));
}

TEST(ChooseFinalists, BreaksTiesByTrialNumber) {
  const std::vector<store::Trial> trials = {Trial(0, 9), Trial(4, 2), Trial(3, 2), Trial(2, 2),
                                            Trial(1, 2)};
  EXPECT_THAT(Jsons(ChooseFinalists(trials, Criteria()).finalists),
              ElementsAre(Json(0), Json(1), Json(2), Json(3), Json(4)));
}

TEST(ChooseFinalists, TakesUpToNineThatMayBeAsFastAsTheBest) {
  std::vector<store::Trial> trials = {Trial(0, 9)};
  for (int64_t number = 1; number <= 12; ++number) {
    store::Trial trial = Trial(number, 2 + 0.01 * static_cast<double>(number));
    trial.latency->interval = {trial.latency->seconds - 0.026, trial.latency->seconds + 0.026};
    trials.push_back(trial);
  }
  EXPECT_EQ(ChooseFinalists(trials, Criteria()).finalists.size(), 1u + 6u);
  for (store::Trial& trial : trials) trial.latency->interval.low = 0;
  EXPECT_EQ(ChooseFinalists(trials, Criteria()).finalists.size(), 1u + 9u);
}

TEST(ChooseFinalists, LeavesOutWhatIsWrongUnverifiedUnfinishedOrHasNoFigure) {
  store::Trial unverified = Trial(1, 1);
  unverified.correctness.verified = false;
  store::Trial unfinished = Trial(2, 1);
  unfinished.finished_position.reset();
  store::Trial nan = Trial(3, std::numeric_limits<double>::quiet_NaN());
  const std::vector<store::Trial> trials = {unverified, unfinished, nan,
                                            Trial(4, 1, Outcome::kWrongResult)};
  EXPECT_THAT(ChooseFinalists(trials, Criteria()).finalists, IsEmpty());
  EXPECT_THAT(Jsons(ChooseFinalists(trials, {.verified_only = false}).finalists),
              ElementsAre(Json(1)));
}

TEST(Decide, TheWinnerStandsOutThoughTheMachinesNoiseIsLargerThanTheDifference) {
  const std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 2), Trial(2, 2)};
  const Verdict verdict =
      Decide(trials, Criteria(),
             ComparisonOf({Samples(0, 4), Samples(1, 2.1, 0.001), Samples(2, 2, 0.001)}));
  EXPECT_EQ(verdict.remark, "");
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(2));
  EXPECT_THAT(verdict.result.tie, IsEmpty());
  EXPECT_NEAR(verdict.result.best_seconds, 2 * 1.4, 0.01);
  EXPECT_NEAR(verdict.result.default_seconds, 4 * 1.4, 0.01);
  EXPECT_NEAR(verdict.result.speedup, 2, 0.01);
  EXPECT_LE(verdict.result.speedup_interval.low, 2);
  EXPECT_GE(verdict.result.speedup_interval.high, 2);
  EXPECT_TRUE(verdict.result.verified);
}

TEST(Decide, WhatTheBestDoesNotStandOutFromTiesWithIt) {
  const std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 2), Trial(2, 2)};
  const Verdict verdict =
      Decide(trials, Criteria(),
             ComparisonOf({Samples(0, 4), Samples(1, 2.001, 0.05), Samples(2, 2, -0.05)}));
  ASSERT_EQ(verdict.result.tie.size(), 1u);
  EXPECT_THAT((std::vector{space::ToJson(*verdict.result.best),
                           space::ToJson(verdict.result.tie[0].configuration)}),
              testing::UnorderedElementsAre(Json(1), Json(2)));
  // The figures are the comparison's: the best is the fastest of what is shown.
  EXPECT_GE(verdict.result.tie[0].seconds, verdict.result.best_seconds);
  EXPECT_TRUE(verdict.result.tie[0].verified);
}

TEST(Decide, ADefaultThatCannotBeBeatenWinsWithSpeedUpOne) {
  const std::vector<store::Trial> trials = {Trial(0, 2), Trial(1, 1.9)};
  const Verdict verdict = Decide(trials, Criteria(), ComparisonOf({Samples(0, 2), Samples(1, 3)}));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(0));
  EXPECT_EQ(verdict.result.speedup, 1);
  EXPECT_THAT(verdict.result.tie, IsEmpty());
}

TEST(Decide, RanksByTheStatisticOfTheTrials) {
  std::vector<store::Trial> trials = {Trial(0, 2)};
  trials[0].latency->statistic = "p20";
  work::FinalistSamples samples = Samples(0, 1);
  for (int i = 0; i < 20; ++i) samples.rounds[i].total_ns = 1'000'000'000LL * (i + 1);
  const Verdict verdict = Decide(trials, Criteria(), ComparisonOf({samples}));
  EXPECT_NEAR(verdict.result.best_seconds, 4.8, 1e-9);  // 0.2 * 19 = 3.8 steps above 1
}

TEST(Decide, AFinalistThatFailsInTheComparisonCannotWin) {
  const std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 1)};
  const Verdict verdict = Decide(
      trials, Criteria(),
      ComparisonOf({Samples(0, 4), FailedSamples(1, Outcome::kNondeterministic, "c[1] differs")}));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(0));
  EXPECT_EQ(verdict.remark, "");
}

TEST(Decide, AFinalistFoundWrongCannotWinThoughItHasFigures) {
  const std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 1)};
  work::FinalistSamples wrong = Samples(1, 1);
  wrong.outcome = Outcome::kWrongResult;
  const Verdict verdict = Decide(trials, Criteria(), ComparisonOf({Samples(0, 4), wrong}));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(0));
  EXPECT_THAT(verdict.result.tie, IsEmpty());
}

TEST(Decide, ADefaultWithoutFiguresLeavesTheSpeedUpUnknown) {
  const std::vector<store::Trial> trials = {Trial(0, 0, Outcome::kTimeout), Trial(1, 1)};
  const Verdict verdict = Decide(trials, Criteria(), ComparisonOf({Samples(1, 1)}));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(1));
  EXPECT_EQ(verdict.result.speedup, 0);
  EXPECT_EQ(verdict.result.default_seconds, 0);
}

TEST(Decide, FallsBackToTheScreeningWhenTheComparisonFailed) {
  const std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 2), Trial(2, 3)};
  work::Comparison comparison;
  comparison.outcome = Outcome::kInfrastructure;
  comparison.message = "the agent was lost three times";
  const Verdict verdict = Decide(trials, Criteria(), comparison);
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(1));
  EXPECT_EQ(verdict.result.best_seconds, 2);
  EXPECT_EQ(verdict.result.default_seconds, 4);
  EXPECT_EQ(verdict.result.speedup, 0);
  EXPECT_TRUE(verdict.result.verified);
  EXPECT_EQ(verdict.remark, "finalists could not be compared: the agent was lost three times");
}

TEST(Decide, TheFallbackPassesOverWhatTheComparisonFoundWrong) {
  const std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 2), Trial(2, 3)};
  const Verdict verdict =
      Decide(trials, Criteria(),
             ComparisonOf({FailedSamples(0, Outcome::kInfrastructure, "worker lost"),
                           FailedSamples(1, Outcome::kWrongResult, "c[0] is off"),
                           FailedSamples(2, Outcome::kInfrastructure, "worker lost")}));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(2));
}

TEST(Decide, NothingWinsWhenEveryFinalistFailed) {
  const std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 2)};
  const Verdict verdict =
      Decide(trials, Criteria(),
             ComparisonOf({FailedSamples(0, Outcome::kCrash, "signal 11"),
                           FailedSamples(1, Outcome::kWrongResult, "c[0] is off")}));
  EXPECT_EQ(verdict.result.best, std::nullopt);
  EXPECT_EQ(verdict.remark, "finalists could not be compared: crash: signal 11");
}

TEST(Decide, IgnoresRoundsThatAreNoMeasurement) {
  const std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 2)};
  work::FinalistSamples broken = Samples(1, 1);
  broken.rounds[3].launches = 0;
  work::FinalistSamples shorter = Samples(2, 1);
  shorter.rounds.resize(5);
  const Verdict verdict =
      Decide(trials, Criteria(), ComparisonOf({Samples(0, 4), broken, shorter}));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(0));
}

TEST(Decide, WithoutAReferenceTheBestIsUnverified) {
  std::vector<store::Trial> trials = {Trial(0, 4), Trial(1, 2)};
  std::vector<work::FinalistSamples> samples = {Samples(0, 4), Samples(1, 2)};
  for (auto& trial : trials) trial.correctness.verified = false;
  for (auto& finalist : samples) finalist.correctness.verified = false;
  const Verdict verdict = Decide(trials, {.verified_only = false}, ComparisonOf(samples));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(1));
  EXPECT_FALSE(verdict.result.verified);
}

Criteria WithMemory(std::vector<spec::Metric> metrics) {
  Criteria criteria;
  criteria.goals.objectives.clear();
  for (const spec::Metric metric : metrics) criteria.goals.objectives.push_back({.metric = metric});
  return criteria;
}
const Criteria kMemory = WithMemory({spec::Metric::kMemory});
const Criteria kLatencyAndMemory = WithMemory({spec::Metric::kLatency, spec::Metric::kMemory});

store::Trial Sized(int64_t number, double seconds, double memory_bytes) {
  store::Trial trial = Trial(number, seconds);
  trial.latency->interval = {seconds, seconds};
  trial.figures.memory_bytes = memory_bytes;
  return trial;
}

const std::vector<store::Trial> kSized = {Sized(0, 9, 9), Sized(1, 1, 8), Sized(2, 2, 2),
                                          Sized(3, 8, 1), Sized(4, 3, 3), Sized(5, 1.5, 5)};

TEST(ChooseFinalists, OfSeveralObjectivesTakesTheKneeAndTheEndsOfTheFront) {
  EXPECT_THAT(Jsons(ChooseFinalists(kSized, kLatencyAndMemory).finalists),
              ElementsAre(Json(0), Json(2), Json(1), Json(3)));
  EXPECT_THAT(Jsons(ChooseFinalists(kSized, kMemory).finalists),
              ElementsAre(Json(0), Json(3), Json(2), Json(4)));
}

TEST(ChooseFinalists, LeavesOutWhatIsOutsideTheLimits) {
  Criteria criteria;
  criteria.goals.limits = {*expr::Expression::Parse("memory <= 5")};
  EXPECT_THAT(Jsons(ChooseFinalists(kSized, criteria).finalists),
              ElementsAre(Json(5), Json(2), Json(4)));
}

TEST(Decide, ByAnotherObjectiveTheTrialsDecideAndTheComparisonGivesTheSpeedup) {
  const Verdict verdict =
      Decide(kSized, kMemory, ComparisonOf({Samples(0, 9), Samples(2, 2), Samples(3, 4.5)}));
  EXPECT_EQ(verdict.remark, "");
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(3));
  EXPECT_NEAR(verdict.result.speedup, 2, 0.01);
  EXPECT_NEAR(verdict.result.best_seconds, 4.5 * 1.4, 0.01);
  EXPECT_THAT(verdict.result.tie, IsEmpty());
}

TEST(Decide, OfSeveralObjectivesTheBestIsTheKnee) {
  const Verdict verdict = Decide(kSized, kLatencyAndMemory,
                                 ComparisonOf({Samples(0, 9), Samples(1, 1), Samples(2, 3)}));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(2));
  EXPECT_NEAR(verdict.result.speedup, 3, 0.01);
}

TEST(Decide, AKneeThatFailsInTheComparisonGivesWayToAnother) {
  const Verdict verdict =
      Decide(kSized, kLatencyAndMemory,
             ComparisonOf({Samples(0, 9), FailedSamples(2, Outcome::kWrongResult, "c[0]: 1")}));
  EXPECT_EQ(space::ToJson(*verdict.result.best), Json(5)) << "which was not compared";
  EXPECT_EQ(verdict.result.speedup, 0);
  EXPECT_EQ(verdict.remark, "finalists could not be compared: wrong_result: c[0]: 1");
}

}  // namespace
}  // namespace burnish::jobs
