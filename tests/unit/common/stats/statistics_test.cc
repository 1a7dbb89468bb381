#include "common/stats/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "common/base/random.h"

namespace burnish::stats {
namespace {

// 1, 2, … n: a value is its own rank.
std::vector<double> Ranks(int n) {
  std::vector<double> ranks;
  for (int i = n; i >= 1; --i) ranks.push_back(i);  // unsorted on purpose
  return ranks;
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(Median(std::array{3.0, 1.0, 2.0}), 2);
  EXPECT_EQ(Median(std::array{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_EQ(Median(std::array{7.0}), 7);
}

TEST(Quantile, InterpolatesLinearly) {  // values of R's quantile(), type 7
  const std::array values = {10.0, 20.0, 30.0, 40.0, 50.0};
  EXPECT_DOUBLE_EQ(Quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.2), 18);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.25), 20);
  EXPECT_DOUBLE_EQ(Quantile(values, 0.9), 46);
  EXPECT_DOUBLE_EQ(Quantile(values, 1), 50);
}

TEST(RelativeMad, IsRelativeToTheMedian) {
  EXPECT_DOUBLE_EQ(RelativeMad(std::array{1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0}), 0.5);
  EXPECT_EQ(RelativeMad(std::array{5.0, 5.0, 5.0}), 0);
  EXPECT_EQ(RelativeMad(std::array{-1.0, 0.0, 1.0}), 0);
}

// Ranks of the 95 % interval of the median from a table of binomial tails (the sign test).
TEST(QuantileInterval, HasTheRanksOfTheSignTest) {
  struct Case {
    int n, low, high;
  };
  for (const auto& [n, low, high] : {Case{6, 1, 6},
                                     {9, 2, 8},
                                     {10, 2, 9},
                                     {20, 6, 15},
                                     {25, 8, 18},
                                     {50, 18, 33},
                                     {100, 40, 61}}) {
    const Interval interval = QuantileInterval(Ranks(n), 0.5);
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.high, high) << n;
  }
}

TEST(QuantileInterval, IsTheFullRangeWithTooFewValues) {
  for (int n = 1; n <= 5; ++n) {
    const Interval interval = QuantileInterval(Ranks(n), 0.5);
    EXPECT_EQ(interval.low, 1);
    EXPECT_EQ(interval.high, n);
  }
  const Interval interval = QuantileInterval(Ranks(10), 0.2);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 10);
}

// With n = 15 the lower tail of the 20 % quantile is 0.8^15 = 3.5 %: 1.5 % are left for the upper.
TEST(QuantileInterval, LetsOneTailMakeUpForTheOther) {
  const Interval interval = QuantileInterval(Ranks(15), 0.2);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 8);
  const Interval mirrored = QuantileInterval(Ranks(15), 0.8);
  EXPECT_EQ(mirrored.low, 16 - 8);
  EXPECT_EQ(mirrored.high, 15);
}

// Share of simulated intervals that hold the true quantile of a skewed distribution.
TEST(QuantileInterval, CoversTheQuantileAsOftenAsItSays) {
  constexpr int kRounds = 2000;
  for (const double q : {0.2, 0.5}) {
    for (const int n : {15, 30, 100}) {
      RandomStream random(1, "coverage " + std::to_string(n));
      int covered = 0;
      for (int round = 0; round < kRounds; ++round) {
        std::vector<double> values;
        for (int i = 0; i < n; ++i) values.push_back(-std::log(1 - random.UniformReal()));
        const Interval interval = QuantileInterval(values, q);
        const double truth = -std::log(1 - q);
        covered += interval.low <= truth && truth <= interval.high;
      }
      const double share = static_cast<double>(covered) / kRounds;
      EXPECT_GE(share, 0.94) << n << " " << q;   // 2 standard errors below 0.95
      EXPECT_LE(share, 0.985) << n << " " << q;  // not much wider than it must be
    }
  }
}

TEST(MedianPairedRatio, ComparesRoundByRound) {
  // A drift common to both sides leaves the ratio alone.
  std::vector<double> a, b;
  for (int i = 0; i < 20; ++i) {
    b.push_back(1 + i);
    a.push_back(b.back() * (i % 2 == 0 ? 0.79 : 0.81));
  }
  const PairedRatio ratio = MedianPairedRatio(a, b);
  EXPECT_NEAR(ratio.median, 0.8, 1e-12);
  EXPECT_NEAR(ratio.interval.low, 0.79, 1e-12);
  EXPECT_NEAR(ratio.interval.high, 0.81, 1e-12);
}

}  // namespace
}  // namespace burnish::stats
