#include "common/stats/clear_front.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::stats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Measured Exactly(double value) { return {value, {value, value}}; }
Measured About(double value, double half_width) {
  return {value, {value - half_width, value + half_width}};
}

TEST(ClearFront, IsTheParetoFrontOfWhatIsExact) {
  EXPECT_THAT(ClearFront({}), IsEmpty());
  const std::vector<std::vector<Measured>> points = {
      {Exactly(3), Exactly(1)}, {Exactly(2), Exactly(2)}, {Exactly(3), Exactly(2)},
      {Exactly(1), Exactly(5)}, {Exactly(2), Exactly(2)}, {Exactly(2), Exactly(3)}};
  EXPECT_THAT(ClearFront(points), ElementsAre(3, 1, 0)) << "of equal points the first";
}

TEST(ClearFront, HoldsWhatNoiseCannotTellFromIt) {
  const std::vector<std::vector<Measured>> points = {
      {About(1, 0.1), Exactly(4)}, {About(1.05, 0.1), Exactly(4)}, {About(1.5, 0.1), Exactly(4)}};
  EXPECT_THAT(ClearFront(points), ElementsAre(0, 1));
}

TEST(ClearFront, LeavesOutWhatIsBeatenByAPointThatIsNotInIt) {
  // The first beats the second, and that the third; between the first and the third is noise.
  const std::vector<std::vector<Measured>> points = {
      {Exactly(1), {1, {0.5, 4}}}, {Exactly(1.5), Exactly(1.2)}, {{2, {0.9, 3}}, Exactly(2)}};
  ASSERT_FALSE(ClearlyDominates(points[0], points[2]));
  EXPECT_THAT(ClearFront(points), ElementsAre(0));
}

}  // namespace
}  // namespace burnish::stats
