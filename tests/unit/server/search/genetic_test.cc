#include "server/search/genetic.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::search {
namespace {

constexpr size_t kParameters = 8;

TEST(GeneticStrategy, ChildrenTakeMostValuesFromTheFastest) {
  std::vector<space::Parameter> parameters;
  for (size_t p = 0; p < kParameters; ++p) {
    parameters.push_back({"P" + std::to_string(p), {0, 1, 2, 3, 4, 5}});
  }
  const space::SearchSpace space = *space::SearchSpace::Create(std::move(parameters), {});
  GeneticStrategy strategy({.space = &space, .seed = 1});
  // Twenty that have the values 0 and 1 only, and as many faster ones with 4 and 5, but failed.
  RandomStream random(1, "test");
  std::vector<Observation> seen;
  for (int64_t number = 0; number < 40; ++number) {
    const bool failed = number % 2 == 0;
    std::vector<uint64_t> row(space.layout().words(), 0);
    for (size_t p = 0; p < kParameters; ++p) {
      space.layout().Set(row.data(), p, random.UniformBelow(2) + (failed ? 4 : 0));
    }
    const auto index = *space.IndexOfRow(row.data());
    strategy.Adopt(TrialNumber(number), index);
    seen.push_back({.trial = TrialNumber(number),
                    .index = index,
                    .outcome = failed ? work::Outcome::kCrash : work::Outcome::kOk,
                    .costs = {failed ? 0 : 1e-3}});
  }
  strategy.Observe(seen);
  int inherited = 0;
  constexpr int kChildren = 50;
  for (int64_t number = 40; number < 40 + kChildren; ++number) {  // all of them pending
    const space::Row child = space.RowAt(*strategy.Propose(TrialNumber(number)));
    for (size_t p = 0; p < kParameters; ++p) inherited += space.layout().Get(child.data(), p) < 2;
  }
  // About one parameter in a child is mutated.
  EXPECT_GT(inherited, kChildren * 6);
  EXPECT_LT(inherited, kChildren * static_cast<int>(kParameters));
}

}  // namespace
}  // namespace burnish::search
