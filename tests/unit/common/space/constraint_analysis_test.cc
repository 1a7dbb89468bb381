#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/space/search_space.h"

namespace burnish::space {
namespace {

std::vector<ConstraintShare> Analyse(const std::vector<Parameter>& parameters,
                                     const std::vector<std::string>& texts, uint64_t max_exact) {
  std::vector<expr::Expression> constraints;
  for (const std::string& text : texts) constraints.push_back(*expr::Expression::Parse(text));
  const auto shares = AnalyseConstraints(parameters, constraints, max_exact);
  EXPECT_TRUE(shares.ok()) << shares.status();
  return shares.value_or(std::vector<ConstraintShare>());
}

const std::vector<Parameter> kParameters = {
    {"A", {1, 2, 3, 4}}, {"B", {0, 1, 2, 3, 4}}, {"C", {"x", "y"}}};

TEST(ConstraintAnalysisTest, SharesAreExactForEachConstraintAlone) {
  const auto shares =
      Analyse(kParameters, {"A > 1", "A + B <= 3", "C == 'x'", "1 > 2", "true"}, 100);
  ASSERT_EQ(shares.size(), 5u);
  const double expected[] = {0.75, 6.0 / 20, 0.5, 0, 1};
  for (size_t i = 0; i < shares.size(); ++i) {
    EXPECT_DOUBLE_EQ(shares[i].kept, expected[i]) << shares[i].text;
    EXPECT_TRUE(shares[i].exact);
  }
  EXPECT_EQ(shares[1].text, "A + B <= 3");
}

TEST(ConstraintAnalysisTest, WhatCannotBeEvaluatedIsNotKept) {
  EXPECT_DOUBLE_EQ(Analyse(kParameters, {"A // B >= 0"}, 100)[0].kept, 16.0 / 20);
}

TEST(ConstraintAnalysisTest, LargeProductsAreSampledReproducibly) {
  const auto shares = Analyse(kParameters, {"A > 1", "A + B <= 3"}, 10);
  EXPECT_TRUE(shares[0].exact);
  EXPECT_FALSE(shares[1].exact);
  EXPECT_NEAR(shares[1].kept, 6.0 / 20, 0.005);
  EXPECT_EQ(Analyse(kParameters, {"A > 1", "A + B <= 3"}, 10)[1].kept, shares[1].kept);
}

}  // namespace
}  // namespace burnish::space
