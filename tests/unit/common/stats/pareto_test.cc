#include "common/stats/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/base/random.h"

namespace burnish::stats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Coordinates are whole numbers below `range`, so that some are equal.
std::vector<Point> Draw(size_t count, size_t dimensions, uint64_t range, uint64_t seed) {
  RandomStream random(seed, "pareto test");
  std::vector<Point> points(count, Point(dimensions));
  for (Point& point : points) {
    for (double& value : point) value = static_cast<double>(random.UniformBelow(range));
  }
  return points;
}

TEST(Dominates, WantsSomethingBetterAndNothingWorse) {
  EXPECT_TRUE(Dominates(Point{1, 2}, Point{1, 3}));
  EXPECT_TRUE(Dominates(Point{0, 0, 0}, Point{1, 1, 1}));
  EXPECT_FALSE(Dominates(Point{1, 2}, Point{1, 2}));
  EXPECT_FALSE(Dominates(Point{1, 4}, Point{2, 3}));
  EXPECT_FALSE(Dominates(Point{1, 3}, Point{1, 2}));
}

TEST(ClearlyDominates, WantsSomethingBetterByMoreThanNoise) {
  const Measured fast = {.value = 1, .interval = {0.9, 1.1}};
  const Measured as_fast = {.value = 1.05, .interval = {0.95, 1.2}};
  const Measured slow = {.value = 2, .interval = {1.8, 2.2}};
  using Both = std::vector<Measured>;
  EXPECT_TRUE(ClearlyDominates(Both{fast, fast}, Both{slow, as_fast}));
  EXPECT_FALSE(ClearlyDominates(Both{fast, fast}, Both{as_fast, as_fast}));
  EXPECT_FALSE(ClearlyDominates(Both{fast, as_fast}, Both{slow, fast}));  // worse, if by noise
  EXPECT_FALSE(ClearlyDominates(Both{fast, slow}, Both{slow, fast}));
  EXPECT_FALSE(ClearlyDominates(Both{fast, fast}, Both{fast, fast}));
}

TEST(ParetoFront, IsWhatNothingDominatesByTheFirstCoordinate) {
  EXPECT_THAT(ParetoFront({}), IsEmpty());
  const std::vector<Point> points = {{3, 1}, {1, 3}, {2, 2}, {3, 3}, {2, 2}, {1, 4}};
  EXPECT_THAT(ParetoFront(points), ElementsAre(1, 2, 0));
  EXPECT_THAT(ParetoFront(std::vector<Point>{{2}, {1}, {1}}), ElementsAre(1));
}

TEST(ParetoFront, IsWhatComparingAllWithAllFinds) {
  for (const size_t dimensions : {2, 3, 4}) {
    const std::vector<Point> points = Draw(300, dimensions, 12, dimensions);
    std::vector<bool> in_front(points.size(), false);
    for (const size_t i : ParetoFront(points)) in_front[i] = true;
    for (size_t i = 0; i < points.size(); ++i) {
      bool expected = true;
      for (size_t j = 0; j < points.size(); ++j) {
        expected =
            expected && !Dominates(points[j], points[i]) && !(j < i && points[j] == points[i]);
      }
      EXPECT_EQ(in_front[i], expected) << i;
    }
  }
}

TEST(NondominatedRanks, CountsTheFrontsThatHaveToGoFirst) {
  const std::vector<Point> points = {{1, 3}, {2, 4}, {3, 1}, {3, 5}, {4, 2}, {2, 4}};
  EXPECT_THAT(NondominatedRanks(points), ElementsAre(0, 1, 0, 2, 1, 1));
  EXPECT_THAT(NondominatedRanks({}), IsEmpty());
}

TEST(CrowdingDistances, AddUpTheGapsBesideAPoint) {
  const std::vector<Point> points = {{0, 10}, {8, 2}, {2, 4}, {10, 0}};
  EXPECT_THAT(CrowdingDistances(points), ElementsAre(kInfinite, 0.8 + 0.4, 0.8 + 0.8, kInfinite));
  EXPECT_THAT(CrowdingDistances({}), IsEmpty());
  EXPECT_THAT(CrowdingDistances(std::vector<Point>{{1, 1}, {1, 1}}), ElementsAre(0, 0));
}

TEST(Hypervolume, IsTheAreaUnderTheStairs) {
  const Point reference = {10, 10};
  EXPECT_EQ(Hypervolume({}, reference), 0);
  EXPECT_EQ(Hypervolume(std::vector<Point>{{4, 7}}, reference), 18);
  EXPECT_EQ(Hypervolume(std::vector<Point>{{4, 7}, {6, 5}, {8, 8}, {4, 7}}, reference), 18 + 8);
  EXPECT_EQ(Hypervolume(std::vector<Point>{{1, 10}, {12, 0}}, reference), 0);  // outside
  EXPECT_EQ(Hypervolume(std::vector<Point>{{3}, {2}}, {10}), 8);
}

TEST(Hypervolume, IsTheNumberOfDominatedCellsInAnyDimension) {
  for (const size_t dimensions : {2, 3, 4}) {
    constexpr uint64_t kSide = 7;
    const std::vector<Point> points = Draw(12, dimensions, kSide + 1, 10 + dimensions);
    uint64_t cells = 1;
    for (size_t c = 0; c < dimensions; ++c) cells *= kSide;
    double dominated = 0;
    for (uint64_t cell = 0; cell < cells; ++cell) {
      Point corner(dimensions);
      uint64_t rest = cell;
      for (double& value : corner) {
        value = static_cast<double>(rest % kSide);
        rest /= kSide;
      }
      bool inside = false;
      for (const Point& point : points) {
        inside = inside || point == corner || Dominates(point, corner);
      }
      dominated += inside;
    }
    EXPECT_EQ(Hypervolume(points, Point(dimensions, kSide)), dominated);
  }
}

TEST(Knee, IsTheFarthestBelowTheLineThroughTheEnds) {
  EXPECT_EQ(Knee({}), std::nullopt);
  EXPECT_EQ(Knee(std::vector<Point>{{1, 1}}), 0u);
  EXPECT_EQ(Knee(std::vector<Point>{{1, 100}, {2, 3}, {50, 2}, {100, 1}}), 1u);
  // By logarithms 10 is half way between 1 and 100, and so is not below the line; 4 is.
  EXPECT_EQ(Knee(std::vector<Point>{{1, 100}, {4, 16}, {10, 10}, {100, 1}}), 1u);
}

TEST(Knee, TakesACoordinateThatReachesZeroAsItIs) {
  EXPECT_EQ(Knee(std::vector<Point>{{0, 8}, {1, 4}, {8, 1}}), 1u);
  EXPECT_EQ(Knee(std::vector<Point>{{0, 3}, {0, 3}}), 0u);
}

}  // namespace
}  // namespace burnish::stats
