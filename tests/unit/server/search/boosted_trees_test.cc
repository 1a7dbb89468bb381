#include "server/search/boosted_trees.h"

#include <algorithm>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

constexpr uint64_t kSide = 40;

space::SearchSpace Grid() {
  std::vector<space::Parameter> parameters = {{"A", {}}, {"B", {}}};
  for (auto& parameter : parameters) {
    for (int64_t v = 0; v < int64_t{kSide}; ++v) parameter.values.emplace_back(v);
  }
  return *space::SearchSpace::Create(std::move(parameters), {});
}

// A valley whose floor is at A = 25, B = 10; everything with A below 10 fails.
Observation Measured(int64_t number, uint64_t index) {
  const double a = static_cast<double>(index / kSide) - 25;
  const double b = static_cast<double>(index % kSide) - 10;
  const bool fails = index / kSide < 10;
  return {.trial = TrialNumber(number),
          .index = index,
          .outcome = fails ? work::Outcome::kLaunchRefused : work::Outcome::kOk,
          .costs = {fails ? 0 : 1e-3 * (1 + 0.01 * (a * a + b * b))}};
}

// Proposes and observes one by one up to trial `count`.
std::vector<Observation> Search(Strategy& strategy, int64_t count) {
  std::vector<Observation> observed;
  for (int64_t number = 0; number < count; ++number) {
    observed.push_back(Measured(number, *strategy.Propose(TrialNumber(number))));
    strategy.Observe(std::span(&observed.back(), 1));
  }
  return observed;
}

TEST(BoostedTreesStrategy, ProposesWhatItHasLearnedToBeFast) {
  const space::SearchSpace space = Grid();
  const auto strategy = MakeBoostedTrees({.space = &space, .seed = 1});
  const std::vector<Observation> observed = Search(*strategy, 80);
  // A circle of one in nine configurations takes less than 1.6 ms, more than a quarter fail.
  const auto late = std::span(observed).subspan(40);
  EXPECT_GE(
      std::ranges::count_if(late, [](const auto& o) { return Succeeded(o) && o.cost() < 1.6e-3; }),
      30);
  EXPECT_LE(std::ranges::count_if(late, [](const auto& o) { return !Succeeded(o); }), 4);
}

TEST(BoostedTreesStrategy, KeepsWhatIsPendingApart) {
  const space::SearchSpace space = Grid();
  const auto strategy = MakeBoostedTrees({.space = &space, .seed = 1});
  Search(*strategy, 40);
  std::set<uint64_t> rows;
  std::set<uint64_t> columns;
  for (int64_t number = 40; number < 48; ++number) {
    const uint64_t index = *strategy->Propose(TrialNumber(number));
    rows.insert(index / kSide);
    columns.insert(index % kSide);
  }
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_EQ(columns.size(), 8u);
}

}  // namespace
}  // namespace burnish::search
