// The strategies that learn from several objectives find most of a front.
#include <cmath>

#include "common/stats/pareto.h"
#include "gtest/gtest.h"
#include "server/search/strategy.h"

namespace burnish::search {
namespace {

class SeveralObjectives : public testing::TestWithParam<std::string> {};

// Two costs whose front is where the last two of three parameters are right, along the first.
stats::Point Costs(const space::SearchSpace& space, space::ConfigurationIndex index) {
  const space::Row row = space.RowAt(index);
  const auto place = [&](size_t p) {
    return static_cast<double>(space.layout().Get(row.data(), p)) / 15;
  };
  const double behind = std::pow(place(1) - 0.4, 2) + std::pow(place(2) - 0.8, 2);
  return {1e-3 * (1 + place(0) + 4 * behind), 0.1 * (2 - std::sqrt(place(0)) + 4 * behind)};
}

TEST_P(SeveralObjectives, MostOfAFrontIsFoundAndBothItsEnds) {
  std::vector<space::Parameter> parameters;
  for (int p = 0; p < 3; ++p) {
    parameters.push_back({.name = "P" + std::to_string(p)});
    for (int64_t v = 0; v < 16; ++v) parameters.back().values.emplace_back(v);
  }
  const space::SearchSpace space = *space::SearchSpace::Create(std::move(parameters), {});
  std::vector<stats::Point> all;
  for (space::ConfigurationIndex i = 0; i < space.size(); ++i) all.push_back(Costs(space, i));
  const stats::Point reference = {2.2e-3, 0.22};

  auto strategy =
      *MakeStrategy(GetParam(), {.space = &space, .seed = 1, .budget_trials = 60, .objectives = 2});
  std::vector<stats::Point> found;
  for (int64_t number = 0; number < 60; ++number) {
    const auto index = *strategy->Propose(TrialNumber(number));
    found.push_back(Costs(space, index));
    const Observation seen = {.trial = TrialNumber(number),
                              .index = index,
                              .outcome = work::Outcome::kOk,
                              .costs = found.back()};
    strategy->Observe(std::span(&seen, 1));
  }
  EXPECT_GT(stats::Hypervolume(found, reference), 0.95 * stats::Hypervolume(all, reference));
  const stats::Point& fastest = all[stats::ParetoFront(all).front()];
  const stats::Point& thriftiest = all[stats::ParetoFront(all).back()];
  EXPECT_LT(found[stats::ParetoFront(found).front()][0], 1.02 * fastest[0]);
  EXPECT_LT(found[stats::ParetoFront(found).back()][1], 1.02 * thriftiest[1]);
}

INSTANTIATE_TEST_SUITE_P(Registry, SeveralObjectives, testing::Values("parego", "nsga2"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace burnish::search
