#include "server/costmodel/features.h"

#include <cmath>

#include "common/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::costmodel {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

space::SearchSpace Make(std::vector<space::Parameter> parameters) {
  auto space = space::SearchSpace::Create(std::move(parameters), {});
  EXPECT_TRUE(space.ok()) << space.status();
  return *std::move(space);
}

std::vector<float> FeaturesOf(const space::SearchSpace& space, space::ConfigurationIndex index) {
  const Features features(space);
  std::vector<float> computed(features.count());
  features.Compute(space.RowAt(index), computed.data());
  return computed;
}

TEST(Features, AreTheEncodingThenProductsAndRatiosOfNumericParameters) {
  const space::SearchSpace space =
      Make({{"X", {4, 8, 16}}, {"FIXED", {7}}, {"Y", {1, 2}}, {"ORDER", {"ij", "ji"}}});
  // X = 16, Y = 2, ORDER = ji: the last one.
  EXPECT_THAT(FeaturesOf(space, space.size() - 1), ElementsAre(1, 1, 1, 5, 3));
  // X = 4, Y = 1, ORDER = ij.
  EXPECT_THAT(FeaturesOf(space, 0), ElementsAre(0, 0, 0, 2, 2));
}

TEST(Features, HaveNoPairsOfParametersThatAreNotAboveZero) {
  const space::SearchSpace space = Make({{"A", {0, 1, 2}}, {"B", {1, 2}}, {"C", {false, true}}});
  EXPECT_EQ(Features(space).count(), 3u);
}

TEST(Features, AreBoundedInNumberAndPairTheLargestDomainsFirst) {
  std::vector<space::Parameter> parameters(40);
  for (size_t p = 0; p < parameters.size(); ++p) {
    parameters[p].name = "P" + std::to_string(p);
    parameters[p].values = {1, 3};
  }
  parameters[5].values = {1, 2, 4};
  parameters[30].values = {1, 2, 8, 32};
  std::vector<std::vector<uint32_t>> listed(4, std::vector<uint32_t>(40, 0));
  listed[1].assign(40, 1);
  listed[2][5] = 2;
  listed[3][30] = 3;
  const auto space = space::SearchSpace::Listed(parameters, listed);
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(Features(*space).count(), 40 + 2 * limits::kFeaturePairs);
  // The first pair is of P30 and P5: 1 + 1 where all have their second value.
  const std::vector<float> last = FeaturesOf(*space, 3);
  EXPECT_THAT(last[40], FloatNear(2, 1e-6));
  EXPECT_THAT(last[41], FloatNear(0, 1e-6));
}

}  // namespace
}  // namespace burnish::costmodel
