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
  EXPECT_EQ((*MakeStrategy("auto", {.space = &space, .budget_trials = 9}))->Name(), "local");
  EXPECT_EQ((*MakeStrategy("auto", {.space = &space, .budget_trials = 10, .may_end_early = true}))
                ->Name(),
            "local");
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
