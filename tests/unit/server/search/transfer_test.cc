#include "server/search/transfer.h"

#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

space::SearchSpace Grid() {
  std::vector<space::Parameter> parameters;
  for (const char* name : {"A", "B", "C"}) {
    space::Parameter parameter{.name = name, .values = {}};
    for (int64_t v = 0; v < 10; ++v) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  return *space::SearchSpace::Create(std::move(parameters), {});
}

// A valley around (7, 2, 5).
double Seconds(const space::SearchSpace& space, space::ConfigurationIndex index) {
  const space::Row row = space.RowAt(index);
  double squares = 0;
  const double centre[] = {7, 2, 5};
  for (size_t p = 0; p < 3; ++p) {
    const double distance = static_cast<double>(space.layout().Get(row.data(), p)) - centre[p];
    squares += distance * distance;
  }
  return 1e-3 * std::exp(0.05 * squares);
}

HistorySource History(const space::SearchSpace& space, double exponent) {
  HistorySource source{.name = "elsewhere", .records = {}};
  for (uint64_t i = 0; i < space.size(); ++i) {
    source.records.push_back({i, std::pow(Seconds(space, i), exponent)});
  }
  return source;
}

double BestOf(const space::SearchSpace& space, std::vector<HistorySource> history, int trials) {
  StrategyContext context{.space = &space, .seed = 5, .budget_trials = 200};
  context.history = std::move(history);
  const auto strategy = MakeTransfer(context);
  double best = 1;
  for (int64_t number = 0; number < trials; ++number) {
    const space::ConfigurationIndex index = *strategy->Propose(TrialNumber(number));
    const Observation seen{.trial = TrialNumber(number),
                           .index = index,
                           .outcome = work::Outcome::kOk,
                           .costs = {Seconds(space, index)}};
    strategy->Observe(std::span(&seen, 1));
    best = std::min(best, seen.cost());
  }
  return best;
}

TEST(Transfer, StartsWithTheBestOfTheHistory) {
  const space::SearchSpace space = Grid();
  EXPECT_DOUBLE_EQ(BestOf(space, {History(space, 1)}, 1), 1e-3);
}

TEST(Transfer, FindsTheOptimumThoughTheHistoryIsInverted) {
  const space::SearchSpace space = Grid();
  EXPECT_GT(BestOf(space, {History(space, -1)}, 1), 5e-3);
  EXPECT_DOUBLE_EQ(BestOf(space, {History(space, -1)}, 60), 1e-3);
}

TEST(Transfer, WeighsSourcesByHowWellTheyExplain) {
  const std::vector<std::vector<double>> predictions = {{1, 3}, {2, 1}, {3, 2}, {4, 1}, {5, 3}};
  const std::vector<double> weights = SourceWeights(predictions, {1, 2, 3, 4, 5}, 0.1);
  EXPECT_NEAR(weights[0], 1, 0.1);
  EXPECT_NEAR(weights[1], 0, 0.1);
  const std::vector<double> none = SourceWeights(predictions, {5, 4, 3, 2, 1}, 0.1);
  EXPECT_GE(none[0], 0);
  EXPECT_LT(none[0], 0.1);
}

TEST(HistoryPrior, RanksByTheMeanOfItsSourcesAndTakesWhatIsMissingForSlow) {
  const HistoryPrior prior({{.name = "a", .records = {{1, 1e-3}, {2, 2e-3}, {3, 0}, {4, 8e-3}}},
                            {.name = "b", .records = {{1, 3e-3}, {2, 1e-3}, {4, 5e-3}}},
                            {.name = "failed", .records = {{1, 0}}}});
  EXPECT_EQ(prior.sources(), 2u);
  EXPECT_THAT(prior.ranking(), testing::ElementsAre(2, 1, 4));
  EXPECT_GE(prior.Prediction(3), prior.Prediction(4));
  EXPECT_EQ(prior.Prediction(3), prior.Predictions(3)[0] / 2 + prior.Predictions(99)[1] / 2);
}

}  // namespace
}  // namespace burnish::search
