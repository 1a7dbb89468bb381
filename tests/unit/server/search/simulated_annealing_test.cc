#include "server/search/simulated_annealing.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

constexpr uint64_t kSide = 40;
constexpr int64_t kBudget = 1000;

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

// A chain at configuration 0, which takes 1 s; ten are known.
std::unique_ptr<Strategy> ChainAtOrigin(const space::SearchSpace& space, uint64_t seed) {
  auto strategy = MakeSimulatedAnnealing({.space = &space, .seed = seed, .budget_trials = kBudget});
  for (uint64_t i = 0; i < 10; ++i) strategy->Adopt(TrialNumber(0), i * (kSide + 1));
  Observe(*strategy, 0, 1);
  return strategy;
}

// How many of many chains move to a neighbour that is slower by `slowdown` when `number` is
// proposed.
int Moves(int64_t number, double slowdown) {
  const space::SearchSpace space = Grid();
  int moves = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto strategy = ChainAtOrigin(space, seed);
    const uint64_t neighbour = *strategy->Propose(TrialNumber(number));
    Observe(*strategy, neighbour, 1 + slowdown);
    // From there about every other step leads to where the origin has no neighbours.
    int away = 0;
    for (int64_t i = 1; i <= 16; ++i) {
      away += !AreNeighbours(*strategy->Propose(TrialNumber(number + i)), 0);
    }
    moves += away > 0;
  }
  return moves;
}

TEST(SimulatedAnnealingStrategy, AcceptsTheSlowerTheMoreRarelyTheSlowerAndTheLaterItIs) {
  EXPECT_GE(Moves(20, 0.001), 45);
  EXPECT_THAT(Moves(20, 0.04), testing::AllOf(testing::Ge(10), testing::Le(40)));
  EXPECT_LE(Moves(20, 0.5), 2);
  EXPECT_LE(Moves(kBudget - 20, 0.04), 2);
}

TEST(SimulatedAnnealingStrategy, AlwaysAcceptsTheFaster) {
  EXPECT_EQ(Moves(20, -0.01), 50);
  EXPECT_EQ(Moves(kBudget - 20, -0.01), 50);
}

TEST(SimulatedAnnealingStrategy, StartsAnewWhenNothingFasterIsFoundForAWhile) {
  const space::SearchSpace space = Grid();
  const auto strategy = ChainAtOrigin(space, 1);
  int64_t number = 10;
  uint64_t last = 0;
  while (number < 100 && (last = *strategy->Propose(TrialNumber(number)), AreNeighbours(last, 0))) {
    Observe(*strategy, last, 9);
    ++number;
  }
  EXPECT_THAT(number, testing::AllOf(testing::Ge(40), testing::Le(60)));
  // The new chain starts though it is slower than the best.
  Observe(*strategy, last, 5);
  EXPECT_TRUE(AreNeighbours(*strategy->Propose(TrialNumber(number + 1)), last));
}

}  // namespace
}  // namespace burnish::search
