#include "common/work/roofs.h"

#include "gtest/gtest.h"

namespace burnish::work {
namespace {

// Peaks of 100 and 200 G, an L1 of 1000 and 2000 GB/s, a memory that one thread fills: 10 GB/s.
Roofs TwoThreads() {
  return {.peaks = {{"f32", 1, 100e9}, {"f32", 2, 200e9}, {"i8", 1, 400e9}, {"i8", 2, 800e9}},
          .bandwidths = {{"L1", 1000, 1, 1000e9},
                         {"memory", 1 << 20, 1, 10e9},
                         {"L1", 2000, 2, 2000e9},
                         {"memory", 1 << 20, 2, 9e9}}};
}

TEST(Roofs, AnIntenseKernelIsBoundByThePeakOfTheWholeDevice) {
  const KernelWork work{.flops = 1e6, .bytes = 100, .working_set_bytes = 100, .dtype = "f32"};
  EXPECT_EQ(AttainableOperations(TwoThreads(), work), 200e9);
  EXPECT_DOUBLE_EQ(RoofShare(TwoThreads(), work, 1e6 / 50e9).value_or(0), 0.25);
}

TEST(Roofs, AKernelOfManyBytesIsBoundByTheLevelThatItsBuffersFitIn) {
  KernelWork work{.flops = 10, .bytes = 1000, .working_set_bytes = 1500, .dtype = "f32"};
  EXPECT_DOUBLE_EQ(*AttainableOperations(TwoThreads(), work), 0.01 * 2000e9);
  work.working_set_bytes = 2001;
  EXPECT_DOUBLE_EQ(*AttainableOperations(TwoThreads(), work), 0.01 * 10e9)
      << "one thread reads more than two";
  work.working_set_bytes = int64_t{1} << 40;
  EXPECT_DOUBLE_EQ(*AttainableOperations(TwoThreads(), work), 0.01 * 10e9) << "bigger than memory";
}

TEST(Roofs, UnsignedBytesHaveThePeakOfBytes) {
  EXPECT_EQ(PeakOf(TwoThreads(), "u8", 2), 800e9);
  EXPECT_EQ(PeakOf(TwoThreads(), "f64", 1), std::nullopt);
  EXPECT_EQ(MostThreads(TwoThreads()), 2);
}

TEST(Roofs, WithoutAnyOneFigureNothingIsSaid) {
  const KernelWork whole{.flops = 10, .bytes = 10, .working_set_bytes = 10, .dtype = "f32"};
  EXPECT_TRUE(RoofShare(TwoThreads(), whole, 1).has_value());
  EXPECT_FALSE(RoofShare(Roofs(), whole, 1).has_value());
  EXPECT_FALSE(RoofShare(TwoThreads(), whole, 0).has_value());
  for (const auto& spoil :
       {+[](KernelWork& work) { work.flops = 0; }, +[](KernelWork& work) { work.bytes = 0; },
        +[](KernelWork& work) { work.working_set_bytes = 0; },
        +[](KernelWork& work) { work.dtype = "i32"; }}) {
    KernelWork part = whole;
    spoil(part);
    EXPECT_FALSE(AttainableOperations(TwoThreads(), part).has_value());
  }
}

}  // namespace
}  // namespace burnish::work
