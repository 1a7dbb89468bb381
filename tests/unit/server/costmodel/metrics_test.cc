#include "server/costmodel/metrics.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::costmodel {
namespace {

using testing::DoubleNear;
using testing::Optional;

TEST(SpearmanCorrelation, SeesTheOrderAlone) {
  const std::vector<double> predicted = {1, 2, 3, 4};
  EXPECT_THAT(SpearmanCorrelation(predicted, std::vector<double>{1, 10, 100, 1000}),
              Optional(DoubleNear(1, 1e-12)));
  EXPECT_THAT(SpearmanCorrelation(predicted, std::vector<double>{4, 3, 2, 1}),
              Optional(DoubleNear(-1, 1e-12)));
}

TEST(SpearmanCorrelation, GivesEqualValuesTheirMeanRank) {
  // Ranks 0, 1.5, 1.5, 3 and 0, 2, 1, 3: 4.5 / sqrt(4.5 * 5).
  EXPECT_THAT(SpearmanCorrelation(std::vector<double>{1, 2, 2, 3}, std::vector<double>{5, 8, 7, 9}),
              Optional(DoubleNear(0.948683, 1e-6)));
}

TEST(SpearmanCorrelation, IsNothingWithoutAnOrder) {
  EXPECT_EQ(SpearmanCorrelation({}, {}), std::nullopt);
  EXPECT_EQ(SpearmanCorrelation(std::vector<double>{1}, std::vector<double>{1}), std::nullopt);
  EXPECT_EQ(SpearmanCorrelation(std::vector<double>{1, 1}, std::vector<double>{1, 2}),
            std::nullopt);
}

TEST(RegretAt, IsTheRelativeLossOfTheBestOfThoseChosen) {
  const std::vector<double> predicted = {3, 1, 2};
  const std::vector<double> observed = {1, 4, 2};
  EXPECT_THAT(RegretAt(predicted, observed, 1), Optional(DoubleNear(3, 1e-12)));
  EXPECT_THAT(RegretAt(predicted, observed, 2), Optional(DoubleNear(1, 1e-12)));
  EXPECT_THAT(RegretAt(predicted, observed, 3), Optional(DoubleNear(0, 1e-12)));
  EXPECT_THAT(RegretAt(predicted, observed, 10), Optional(DoubleNear(0, 1e-12)));
}

TEST(RegretAt, TakesTheFirstOfEqualPredictions) {
  EXPECT_THAT(RegretAt(std::vector<double>{1, 1}, std::vector<double>{2, 1}, 1),
              Optional(DoubleNear(1, 1e-12)));
}

TEST(RegretAt, IsNothingWithoutAChoice) {
  EXPECT_EQ(RegretAt({}, {}, 1), std::nullopt);
  EXPECT_EQ(RegretAt(std::vector<double>{1}, std::vector<double>{1}, 0), std::nullopt);
}

}  // namespace
}  // namespace burnish::costmodel
