#include "server/search/random.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

space::SearchSpace Line(int64_t size) {
  std::vector<expr::Value> values;
  for (int64_t v = 0; v < size; ++v) values.emplace_back(v);
  return *space::SearchSpace::Create({{.name = "P", .values = values}}, {});
}

TEST(RandomStrategy, DependsOnTheKnownSetAndNotOnTheOrderInWhichItBecameKnown) {
  const space::SearchSpace space = Line(1000);
  const StrategyContext context{.space = &space, .seed = 3};
  RandomStrategy one(context);
  RandomStrategy other(context);
  const auto first = one.Propose(TrialNumber(1));
  const auto second = one.Propose(TrialNumber(2));
  other.Adopt(TrialNumber(2), *second);
  other.Adopt(TrialNumber(1), *first);
  EXPECT_EQ(one.Propose(TrialNumber(9)), other.Propose(TrialNumber(9)));
}

TEST(RandomStrategy, IsUniform) {
  const space::SearchSpace space = Line(4);
  std::map<space::ConfigurationIndex, int> counts;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    RandomStrategy strategy({.space = &space, .seed = seed});
    ++counts[*strategy.Propose(TrialNumber(1))];
  }
  // Five standard deviations of a binomial count with p = 1/4.
  for (const auto& [index, count] : counts) EXPECT_NEAR(count, 1000, 137) << index;
}

TEST(RandomStrategy, FindsTheLastUnknownConfigurationOfALargeSpace) {
  const space::SearchSpace space = Line(4096);
  RandomStrategy strategy({.space = &space, .seed = 1});
  for (uint64_t index = 0; index < 4096; ++index) {
    if (index != 2749) strategy.Adopt(TrialNumber(0), index);
  }
  EXPECT_EQ(strategy.Propose(TrialNumber(1)), 2749u);
  EXPECT_EQ(strategy.Propose(TrialNumber(2)), std::nullopt);
}

TEST(RandomStrategy, ChoosesAmongTheLastUnknownConfigurationsAtRandom) {
  const space::SearchSpace space = Line(4096);
  std::map<space::ConfigurationIndex, int> counts;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomStrategy strategy({.space = &space, .seed = seed});
    for (uint64_t index = 0; index < 4096; ++index) {
      if (index != 10 && index != 4000) strategy.Adopt(TrialNumber(0), index);
    }
    ++counts[*strategy.Propose(TrialNumber(1))];
  }
  EXPECT_GT(counts[10], 5);
  EXPECT_GT(counts[4000], 5);
}

}  // namespace
}  // namespace burnish::search
