#include "server/search/pruning.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

// Configuration i takes 1 + i ms, and the bound says one half of that.
class Pruning : public testing::TestWithParam<std::string> {
 protected:
  Pruning() {
    space::Parameter parameter{.name = "P"};
    for (int64_t v = 0; v < 100; ++v) parameter.values.emplace_back(v);
    space_.emplace(*space::SearchSpace::Create({std::move(parameter)}, {}));
  }
  static double Seconds(space::ConfigurationIndex index) {
    return 1e-3 * static_cast<double>(1 + index);
  }
  std::unique_ptr<Strategy> Make() {
    return *MakeStrategy(
        GetParam(), {.space = &*space_, .seed = 1, .budget_trials = 50, .bound = [](auto index) {
                       return 0.5 * Seconds(index);
                     }});
  }

  std::optional<space::SearchSpace> space_;
};

TEST_P(Pruning, PassesOverWhatCannotBeatTheBestAndSaysSo) {
  const auto strategy = Make();
  EXPECT_EQ(strategy->Name(), GetParam());
  EXPECT_FALSE(strategy->pruned().has_value());
  strategy->Adopt(TrialNumber(0), 19);  // 20 ms: from 40 ms on nothing can be as fast
  double best_seconds = Seconds(19);
  Observation seen = {.index = 19, .outcome = work::Outcome::kOk, .costs = {best_seconds}};
  strategy->Observe(std::span(&seen, 1));
  int64_t proposed = 1;
  while (const auto index = strategy->Propose(TrialNumber(proposed))) {
    EXPECT_LE(0.5 * Seconds(*index), best_seconds);
    best_seconds = std::min(best_seconds, Seconds(*index));
    seen = {.index = *index, .outcome = work::Outcome::kOk, .costs = {Seconds(*index)}};
    strategy->Observe(std::span(&seen, 1));
    ++proposed;
  }
  ASSERT_TRUE(strategy->pruned().has_value());
  EXPECT_GE(strategy->pruned()->count, 16);
  EXPECT_LE(strategy->pruned()->count + proposed, 100);
  EXPECT_DOUBLE_EQ(strategy->pruned()->least_seconds, 0.5 * Seconds(strategy->pruned()->latest));
  EXPECT_GT(strategy->pruned()->least_seconds, strategy->pruned()->best_seconds);
  EXPECT_EQ(best_seconds, Seconds(0));
}

INSTANTIATE_TEST_SUITE_P(Strategies, Pruning,
                         testing::Values("random", "exhaustive", "genetic", "bayesian"),
                         [](const auto& info) { return info.param; });

TEST(PrunedText, NamesOneAndWhy) {
  const space::SearchSpace space = *space::SearchSpace::Create({{"TILE", {4, 8}}}, {});
  EXPECT_EQ(PrunedText({.count = 312, .latest = 1, .least_seconds = 4.1e-3, .best_seconds = 3.9e-3},
                       space),
            "by the roofline 312 configurations, e.g. {\"TILE\": 8}: at least 4.100 ms, the "
            "best 3.900 ms");
}

}  // namespace
}  // namespace burnish::search
