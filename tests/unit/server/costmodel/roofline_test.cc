#include "server/costmodel/roofline.h"

#include "gtest/gtest.h"

namespace burnish::costmodel {
namespace {

// 100 operations and 10 bytes in a second.
work::Roofs SomeRoofs() {
  return {.peaks = {{.dtype = "f32", .threads = 1, .operations_per_second = 100}},
          .bandwidths =
              {{.level = "memory", .capacity_bytes = 0, .threads = 1, .bytes_per_second = 10}},
          .absence = ""};
}

work::KernelWork Work(double flops, double bytes) {
  return {.flops = flops, .bytes = bytes, .working_set_bytes = 1000, .dtype = "f32"};
}

TEST(LeastSeconds, IsThatOfComputingOrOfMovingWithRoomForRoofsMeasuredTooLow) {
  EXPECT_DOUBLE_EQ(*LeastSeconds(SomeRoofs(), Work(200, 1)), 2 / kBeyondRoof);
  EXPECT_DOUBLE_EQ(*LeastSeconds(SomeRoofs(), Work(200, 50)), 5 / kBeyondRoof);
  EXPECT_EQ(LeastSeconds({}, Work(200, 1)), std::nullopt);
  EXPECT_EQ(LeastSeconds(SomeRoofs(), Work(200, 0)), std::nullopt);
}

TEST(Roofline, FollowsWorkThatDependsOnTheParameters) {
  const space::SearchSpace space =
      *space::SearchSpace::Create({{"NAME", {"a", "b"}}, {"TILE", {0, 1, 4}}}, {});
  const Roofline roofline(space, SomeRoofs(), Work(0, 0), 200.0,
                          *expr::Expression::Parse("100 // TILE if NAME == 'a' else 0.5"));
  const auto least = [&](const char* name, int64_t tile) {
    return roofline.LeastSeconds(*space.IndexOf({{"NAME", name}, {"TILE", tile}}));
  };
  EXPECT_DOUBLE_EQ(least("a", 1), 10 / kBeyondRoof);
  EXPECT_DOUBLE_EQ(least("a", 4), 2.5 / kBeyondRoof);
  EXPECT_DOUBLE_EQ(least("b", 4), 2 / kBeyondRoof);
  EXPECT_EQ(least("a", 0), 0);  // divides by zero
}

}  // namespace
}  // namespace burnish::costmodel
