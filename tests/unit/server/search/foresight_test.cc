#include "server/search/foresight.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/search/strategy.h"

namespace burnish::search {
namespace {

TEST(Foresight, ComparesWhatWasExpectedWithWhatSucceeded) {
  std::vector<Expectation> expectations;
  std::map<TrialNumber, double> costs;
  for (int64_t i = 0; i < 30; ++i) {
    expectations.push_back({TrialNumber(i), static_cast<double>(-i)});
    if (i % 3 > 0) costs[TrialNumber(i)] = static_cast<double>(1 + i);  // just the wrong way round
  }
  costs[TrialNumber(99)] = 1e-3;  // chosen by nobody's model
  const Foresight foresight = ForesightOf(expectations, costs);
  EXPECT_EQ(foresight.trials, 20);
  EXPECT_DOUBLE_EQ(foresight.rank_correlation.value_or(0), -1);
  // Of the best ten expected, the latest, the fastest is trial 16; of all it is trial 1.
  EXPECT_DOUBLE_EQ(foresight.regret.value_or(0), 17.0 / 2 - 1);
}

TEST(Foresight, SaysNothingOfFewTrials) {
  std::vector<Expectation> expectations;
  std::map<TrialNumber, double> costs;
  for (int64_t i = 0; i < kLeastForetold - 1; ++i) {
    expectations.push_back({TrialNumber(i), 0.0});
    costs[TrialNumber(i)] = 1;
  }
  EXPECT_FALSE(ForesightOf(expectations, costs).regret.has_value());
}

TEST(Foresight, AModelThatLearnsFromASmoothSpaceKnowsTheOrderOfWhatItChooses) {
  space::Parameter a{.name = "A"};
  space::Parameter b{.name = "B"};
  for (int64_t v = 0; v < 24; ++v) a.values.emplace_back(v), b.values.emplace_back(v);
  const auto space = space::SearchSpace::Create({a, b}, {});
  std::vector<HistorySource> history(1);
  const auto cost = [](uint64_t index) {
    return 1 + 0.05 * std::pow(static_cast<double>(index / 24) - 17, 2) +
           0.03 * std::pow(static_cast<double>(index % 24) - 5, 2);
  };
  for (uint64_t i = 0; i < space->size(); i += 3) history[0].records.push_back({i, cost(i)});
  for (const char* name : {"bayesian", "transfer"}) {
    const auto strategy =
        *MakeStrategy(name, {.space = &*space, .seed = 1, .budget_trials = 60, .history = history});
    std::map<TrialNumber, double> costs;
    for (int64_t i = 0; i < 60; ++i) {
      const uint64_t index = *strategy->Propose(TrialNumber(i));
      costs[TrialNumber(i)] = cost(index);
      const Observation seen = {.trial = TrialNumber(i),
                                .index = index,
                                .outcome = work::Outcome::kOk,
                                .costs = {cost(index)}};
      strategy->Observe(std::span(&seen, 1));
    }
    const Foresight foresight = ForesightOf(strategy->expectations(), costs);
    EXPECT_GE(foresight.trials, 50) << name;
    EXPECT_GT(foresight.rank_correlation.value_or(0), 0.8) << name;
    EXPECT_LT(foresight.regret.value_or(1), 0.05) << name;
  }
}

}  // namespace
}  // namespace burnish::search
