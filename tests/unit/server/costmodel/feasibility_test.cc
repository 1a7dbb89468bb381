#include "server/costmodel/feasibility.h"

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::costmodel {
namespace {

std::vector<double> Probabilities(const std::vector<float>& rows,
                                  const std::vector<bool>& succeeded,
                                  const std::vector<float>& asked) {
  const auto feasibility = Feasibility::Learn(rows, 1, succeeded, 1);
  EXPECT_TRUE(feasibility.ok()) << feasibility.status();
  const auto probabilities = feasibility->Probability(asked);
  EXPECT_TRUE(probabilities.ok()) << probabilities.status();
  return *probabilities;
}

TEST(Feasibility, IsOneHalfWithoutOutcomes) {
  EXPECT_THAT(Probabilities({}, {}, {0, 1}), testing::ElementsAre(0.5, 0.5));
}

TEST(Feasibility, NearsOneWithoutFailuresAndZeroWithoutSuccesses) {
  const std::vector<float> rows(8, 0.5f);
  EXPECT_THAT(Probabilities(rows, std::vector<bool>(8, true), {0, 1}),
              testing::ElementsAre(0.9, 0.9));
  EXPECT_THAT(Probabilities(rows, std::vector<bool>(8, false), {0, 1}),
              testing::Each(testing::DoubleNear(0.1, 1e-12)));
}

TEST(Feasibility, LearnsWhereConfigurationsFail) {
  RandomStream random(1, "rows");
  std::vector<float> rows;
  std::vector<bool> succeeded;
  for (int i = 0; i < 60; ++i) {
    rows.push_back(static_cast<float>(random.UniformReal()));
    succeeded.push_back(rows.back() < 0.7f);
  }
  const std::vector<double> probabilities = Probabilities(rows, succeeded, {0.2f, 0.95f});
  EXPECT_GT(probabilities[0], 0.9);
  EXPECT_LT(probabilities[0], 1);
  EXPECT_LT(probabilities[1], 0.1);
  EXPECT_GT(probabilities[1], 0);
}

TEST(Feasibility, StaysNearTheShareOfSuccessesWithFewOutcomes) {
  EXPECT_THAT(Probabilities({0, 1}, {true, false}, {0, 1}),
              testing::Each(testing::AllOf(testing::Gt(0.1), testing::Lt(0.9))));
}

}  // namespace
}  // namespace burnish::costmodel
