#include "server/search/gradient.h"

#include <cmath>

#include "gtest/gtest.h"

namespace burnish::search {
namespace {

TEST(GradientStrategy, ClimbsToTheBestOfASmoothTimeInALargeSpace) {
  std::vector<space::Parameter> parameters;
  for (int p = 0; p < 8; ++p) {
    parameters.push_back({"P" + std::to_string(p), {1, 2, 4, 8, 16, 32, 64, 128}});
  }
  const space::SearchSpace space = *space::SearchSpace::Create(std::move(parameters), {});
  GradientStrategy strategy({.space = &space, .seed = 1});
  double best = INFINITY;
  for (int64_t number = 0; number < 60; ++number) {
    const auto index = *strategy.Propose(TrialNumber(number));
    const space::Row row = space.RowAt(index);
    double away = 0;  // 0 in one of 16,777,216
    for (size_t p = 0; p < 8; ++p) {
      away +=
          std::pow((static_cast<double>(space.layout().Get(row.data(), p)) - (p % 2 + 3)) / 7, 2);
    }
    best = std::min(best, away);
    const Observation seen = {.trial = TrialNumber(number),
                              .index = index,
                              .outcome = work::Outcome::kOk,
                              .costs = {1e-3 * std::exp(away)}};
    strategy.Observe(std::span(&seen, 1));
  }
  EXPECT_EQ(best, 0);
}

}  // namespace
}  // namespace burnish::search
