#include "server/search/local.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

constexpr uint64_t kSide = 20;

space::SearchSpace Grid() {
  std::vector<space::Parameter> parameters = {{"A", {}}, {"B", {}}};
  for (auto& parameter : parameters) {
    for (int64_t v = 0; v < int64_t{kSide}; ++v) parameter.values.emplace_back(v);
  }
  return *space::SearchSpace::Create(std::move(parameters), {});
}

bool AreNeighbours(uint64_t a, uint64_t b) {
  return (a / kSide == b / kSide) != (a % kSide == b % kSide);
}

void Observe(Strategy& strategy, uint64_t index, double latency_seconds) {
  const Observation observation{.trial = TrialNumber(0),
                                .index = index,
                                .outcome = work::Outcome::kOk,
                                .costs = {latency_seconds}};
  strategy.Observe(std::span(&observation, 1));
}

void Fail(Strategy& strategy, uint64_t index) {
  const Observation observation{
      .trial = TrialNumber(0), .index = index, .outcome = work::Outcome::kWrongResult};
  strategy.Observe(std::span(&observation, 1));
}

TEST(LocalStrategy, WalksFromTheFastestAndNeverFromAFailure) {
  const space::SearchSpace space = Grid();
  LocalStrategy strategy({.space = &space, .seed = 1});
  for (uint64_t index = 0; index < 12; ++index) strategy.Adopt(TrialNumber(index), 21 * index);
  for (uint64_t index = 0; index < 12; ++index) {
    if (index % 2 == 0) {
      Fail(strategy, 21 * index);
    } else {
      Observe(strategy, 21 * index, 1e-3 * (20 - index));
    }
  }
  for (int64_t number = 12; number < 20; ++number) {  // all of them pending
    EXPECT_TRUE(AreNeighbours(*strategy.Propose(TrialNumber(number)), 21 * 11));
  }
}

TEST(LocalStrategy, MovesToTheFirstFasterNeighbour) {
  const space::SearchSpace space = Grid();
  LocalStrategy strategy({.space = &space, .seed = 1});
  for (uint64_t index = 0; index < 10; ++index) strategy.Adopt(TrialNumber(index), index);
  Observe(strategy, 0, 1);
  const uint64_t first = *strategy.Propose(TrialNumber(10));
  const uint64_t second = *strategy.Propose(TrialNumber(11));
  Observe(strategy, second, 0.9);
  EXPECT_TRUE(AreNeighbours(*strategy.Propose(TrialNumber(12)), second));
  Observe(strategy, first, 0.95);  // slower than where the walk is
  EXPECT_TRUE(AreNeighbours(*strategy.Propose(TrialNumber(13)), second));
}

TEST(LocalStrategy, StartsANewWalkWhenTheNeighbourhoodIsUsedUp) {
  const space::SearchSpace space = Grid();
  LocalStrategy strategy({.space = &space, .seed = 1});
  strategy.Adopt(TrialNumber(0), 0);
  Observe(strategy, 0, 1e-3);
  int64_t number = 1;
  uint64_t left_pending = 0;
  for (uint64_t other = 1; other < kSide; ++other) {
    strategy.Adopt(TrialNumber(number++), other);
    strategy.Adopt(TrialNumber(number++), other * kSide);
    if (other == 7) {
      left_pending = other;
    } else {
      Observe(strategy, other, 2e-3);
    }
    Fail(strategy, other * kSide);
  }
  const uint64_t start = *strategy.Propose(TrialNumber(number++));
  EXPECT_FALSE(AreNeighbours(start, 0));
  Observe(strategy, start, 5e-3);
  EXPECT_TRUE(AreNeighbours(*strategy.Propose(TrialNumber(number++)), start));
  // What the walk before left pending is faster than the start, but not the best of all.
  Observe(strategy, left_pending, 3e-3);
  EXPECT_TRUE(AreNeighbours(*strategy.Propose(TrialNumber(number++)), start));
}

}  // namespace
}  // namespace burnish::search
