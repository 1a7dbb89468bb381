#include "server/jobs/ranking.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::jobs {
namespace {

using spec::Metric;
using testing::ElementsAre;
using testing::IsEmpty;

store::Trial Trial(int64_t number, double seconds, std::optional<double> energy_joules) {
  store::Trial trial;
  trial.what.number = TrialNumber(number);
  trial.finished_position = number;
  trial.outcome = work::Outcome::kOk;
  trial.latency = work::Latency{.seconds = seconds, .interval = {seconds, seconds}};
  trial.figures.energy_joules = energy_joules;
  trial.correctness.verified = true;
  return trial;
}

Criteria Of(std::vector<spec::Objective> objectives, const std::string& limit = "") {
  Criteria criteria;
  criteria.goals.objectives = std::move(objectives);
  if (!limit.empty()) criteria.goals.limits = {*expr::Expression::Parse(limit)};
  return criteria;
}

const Criteria kBoth = Of({{.metric = Metric::kLatency}, {.metric = Metric::kEnergy}});

std::vector<int64_t> NumbersOf(const Ranking& ranking) {
  std::vector<int64_t> numbers;
  for (const store::Trial& trial : ranking.trials) numbers.push_back(trial.what.number.value());
  return numbers;
}

TEST(Rank, ByAnotherObjectiveTiesAreBrokenByLatencyThenByNumber) {
  const std::vector<store::Trial> trials = {Trial(0, 1, 9), Trial(1, 3, 2), Trial(2, 2, 2),
                                            Trial(3, 2, 2), Trial(4, 1, std::nullopt)};
  const Ranking ranking = Rank(trials, Of({{.metric = Metric::kEnergy}}));
  EXPECT_THAT(NumbersOf(ranking), ElementsAre(2, 3, 1, 0)) << "the last one has no energy";
  EXPECT_EQ(ranking.front, 0u);
  EXPECT_THAT(NumbersOf(Rank(trials, Of({{.metric = Metric::kEnergy, .maximise = true}}))),
              ElementsAre(0, 2, 3, 1));
}

TEST(Rank, OfSeveralObjectivesTheFrontComesFirstAndItsKneeForemost) {
  const std::vector<store::Trial> trials = {Trial(0, 9, 9), Trial(1, 1, 8), Trial(2, 2, 2),
                                            Trial(3, 8, 1), Trial(4, 3, 3)};
  const Ranking ranking = Rank(trials, kBoth);
  EXPECT_THAT(NumbersOf(ranking), ElementsAre(2, 1, 3, 4, 0));
  EXPECT_EQ(ranking.front, 3u);
}

TEST(Rank, WhatIsOutsideTheLimitsIsNotInTheFront) {
  const std::vector<store::Trial> trials = {Trial(0, 9, 9), Trial(1, 1, 8), Trial(2, 2, 2)};
  EXPECT_THAT(NumbersOf(Rank(trials, Of({{.metric = Metric::kLatency}, {.metric = Metric::kEnergy}},
                                        "energy > 5"))),
              ElementsAre(1, 0));
  EXPECT_THAT(NumbersOf(Rank(trials, Of({{}}, "power <= 15"))), IsEmpty()) << "nobody knows it";
}

TEST(Rank, NoiseOfTheLatencyKeepsATrialInTheFront) {
  store::Trial noisy = Trial(1, 2.1, 2);
  noisy.latency->interval = {1.9, 2.3};
  const std::vector<store::Trial> trials = {Trial(0, 2, 2), noisy, Trial(2, 2.2, 2)};
  EXPECT_EQ(Rank(trials, kBoth).front, 2u);
}

TEST(HypervolumeShare, IsThatOfTheDefaultsBox) {
  const store::Trial before = Trial(0, 10, 20);
  const std::vector<store::Trial> front = {Trial(1, 5, 15), Trial(2, 8, 5)};
  // 0.5 * 0.25 + 0.2 * 0.5
  EXPECT_NEAR(*HypervolumeShare(front, &before, kBoth.goals), 0.225, 1e-12);
  EXPECT_EQ(HypervolumeShare({}, &before, kBoth.goals), 0);
}

TEST(HypervolumeShare, IsUnknownWithoutFiguresOfTheDefault) {
  const std::vector<store::Trial> front = {Trial(1, 5, 15)};
  EXPECT_EQ(HypervolumeShare(front, nullptr, kBoth.goals), std::nullopt);
  for (const auto energy : {std::optional<double>(), std::optional(0.0)}) {
    const store::Trial before = Trial(0, 10, energy);
    EXPECT_EQ(HypervolumeShare(front, &before, kBoth.goals), std::nullopt);
  }
}

}  // namespace
}  // namespace burnish::jobs
