#include "server/costmodel/encoding.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::costmodel {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

space::SearchSpace Space(std::vector<space::Parameter> parameters,
                         const std::vector<std::string>& constraints = {}) {
  std::vector<expr::Expression> parsed;
  for (const std::string& text : constraints) parsed.push_back(*expr::Expression::Parse(text));
  auto space = space::SearchSpace::Create(std::move(parameters), std::move(parsed));
  EXPECT_TRUE(space.ok()) << space.status();
  return *std::move(space);
}

std::vector<expr::Value> Integers(std::vector<int64_t> integers) {
  return {integers.begin(), integers.end()};
}

TEST(Encoding, TakesLogarithmsOfPositiveNumbersAndScalesThem) {
  const Encoding encoding(Space({{"B", Integers({16, 32, 64, 256})}}));
  ASSERT_EQ(encoding.dimensions(), 1u);
  EXPECT_THAT(encoding.coordinates()[0].of_value, ElementsAre(0, 0.25, 0.5, 1));
}

TEST(Encoding, TakesZeroOneAndStringsByTheirPlace) {
  const Encoding encoding(Space({{"S", Integers({0, 1})}, {"ORDER", {"ij", "ji", "k"}}}));
  ASSERT_EQ(encoding.dimensions(), 2u);
  EXPECT_THAT(encoding.coordinates()[0].of_value, ElementsAre(0, 1));
  EXPECT_THAT(encoding.coordinates()[1].of_value, ElementsAre(0, 0.5, 1));
  EXPECT_FALSE(encoding.coordinates()[1].ordered);
}

TEST(Encoding, LeavesOutParametersThatConstraintsPin) {
  const Encoding encoding(
      Space({{"A", Integers({1, 2})}, {"B", Integers({1, 2, 4})}, {"C", Integers({7})}},
            {"A == 2", "B < 4"}));
  ASSERT_EQ(encoding.dimensions(), 1u);
  EXPECT_EQ(encoding.coordinates()[0].parameter, 1u);
  EXPECT_THAT(encoding.coordinates()[0].of_value, ElementsAre(0, 1, 1));
}

TEST(Encoding, GivesTheAlignmentOfNumbersThatAreNotAllPowersOfTwo) {
  const space::SearchSpace space = Space({{"X", Integers({16, 24, 32, 48, 64})}});
  const Encoding encoding(space);
  ASSERT_EQ(encoding.dimensions(), 2u);
  EXPECT_THAT(encoding.coordinates()[1].of_value,
              ElementsAre(FloatNear(1.0F / 3, 1e-6F), 0, FloatNear(2.0F / 3, 1e-6F),
                          FloatNear(1.0F / 3, 1e-6F), 1));
  std::vector<float> point(2);
  encoding.Encode(space.RowAt(4), point.data());
  EXPECT_THAT(point, ElementsAre(1, 1));
}

TEST(Encoding, GivesNoAlignmentWhereItSaysNothingMore) {
  EXPECT_EQ(Encoding(Space({{"X", Integers({1, 2, 4, 8, 16})}})).dimensions(), 1u);
  EXPECT_EQ(Encoding(Space({{"X", Integers({1, 3, 5, 7})}})).dimensions(), 1u);
  EXPECT_EQ(Encoding(Space({{"X", Integers({1, 2, 3})}})).dimensions(), 1u);
  EXPECT_EQ(Encoding(Space({{"X", Integers({0, 2, 3, 4})}})).dimensions(), 1u);
}

}  // namespace
}  // namespace burnish::costmodel
