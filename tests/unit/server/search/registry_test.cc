#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/search/strategy.h"

namespace burnish::search {
namespace {

space::SearchSpace TenConfigurations() {
  std::vector<expr::Value> values;
  for (int64_t v = 0; v < 10; ++v) values.emplace_back(v);
  return *space::SearchSpace::Create({{.name = "P", .values = values}}, {});
}

TEST(Registry, ListsAutoFirst) { EXPECT_EQ(StrategyNames().front(), "auto"); }

TEST(Registry, AutoIsExhaustiveIfTheSpaceFitsTheBudget) {
  const space::SearchSpace space = TenConfigurations();
  EXPECT_EQ((*MakeStrategy("auto", {.space = &space, .budget_trials = 10}))->Name(), "exhaustive");
  EXPECT_EQ((*MakeStrategy("auto", {.space = &space, .budget_trials = 9}))->Name(), "bayesian");
  EXPECT_EQ((*MakeStrategy("auto", {.space = &space, .budget_trials = 10, .may_end_early = true}))
                ->Name(),
            "bayesian");
}

TEST(Registry, AutoIsTransferIfThereIsHistory) {
  const space::SearchSpace space = TenConfigurations();
  StrategyContext context{.space = &space, .budget_trials = 9};
  context.history = {{.name = "elsewhere", .records = {}}};
  EXPECT_EQ((*MakeStrategy("auto", context))->Name(), "bayesian");
  context.history.front().records = {{.index = 3, .latency_seconds = 1e-3}};
  EXPECT_EQ((*MakeStrategy("auto", context))->Name(), "transfer");
}

TEST(Registry, AutoServesSeveralObjectives) {
  const space::SearchSpace space = TenConfigurations();
  StrategyContext context{.space = &space, .budget_trials = 9, .objectives = 2};
  EXPECT_EQ((*MakeStrategy("auto", context))->Name(), "parego");
  context.budget_trials = 10;
  EXPECT_EQ((*MakeStrategy("auto", context))->Name(), "exhaustive");
}

TEST(Registry, RefusesSeveralObjectivesForAStrategyOfOne) {
  const space::SearchSpace space = TenConfigurations();
  const StrategyContext context{.space = &space, .budget_trials = 9, .objectives = 2};
  const auto strategy = MakeStrategy("local", context);
  ASSERT_EQ(strategy.status().code(), absl::StatusCode::kInvalidArgument);
  const auto diagnostic = DiagnosticOf(strategy.status());
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->message, "strategy 'local' serves one objective, not 2");
  EXPECT_EQ(diagnostic->hint, "of several: auto, random, exhaustive, parego, nsga2");
}

TEST(Registry, RefusesAnUnknownNameWithTheNearestOne) {
  const space::SearchSpace space = TenConfigurations();
  const auto strategy = MakeStrategy("randon", {.space = &space, .budget_trials = 10});
  ASSERT_EQ(strategy.status().code(), absl::StatusCode::kInvalidArgument);
  const auto diagnostic = DiagnosticOf(strategy.status());
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->message, "unknown strategy 'randon'");
  EXPECT_EQ(diagnostic->hint, "did you mean 'random'?");
}

}  // namespace
}  // namespace burnish::search
