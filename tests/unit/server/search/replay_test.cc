#include "server/search/replay.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/search/measured_tables.h"

namespace burnish::search {
namespace {

using ::testing::SizeIs;

TEST(ReplayTest, EveryDistinctConfigurationCountsFailedOnesToo) {
  const measured::Table table = SquareTable(8, BowlSeconds);
  const auto run = Replay(table, "random", {.seed = 3, .budget_trials = 40});
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_THAT(run->fraction, SizeIs(40));
  EXPECT_THAT(run->proposal_seconds, SizeIs(40));
  EXPECT_TRUE(std::ranges::is_sorted(run->fraction));
}

TEST(ReplayTest, AnExhaustedSpaceEndsARunAtTheOptimum) {
  const measured::Table table = SquareTable(5, BowlSeconds);
  const auto run = Replay(table, "random", {.budget_trials = 400, .pending = 4});
  ASSERT_TRUE(run.ok());
  EXPECT_THAT(run->fraction, SizeIs(25));
  EXPECT_EQ(run->fraction.back(), 1);
}

TEST(ReplayTest, TheFractionIsZeroBeforeTheFirstSuccess) {
  const measured::Table table =
      SquareTable(4, [](int a, int b) { return a == 3 && b == 3 ? 2.0 : 0.0; });
  const auto run = Replay(table, "exhaustive", {.budget_trials = 16});
  ASSERT_TRUE(run.ok());
  const auto found = std::ranges::count(run->fraction, 0.0);
  for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(run->fraction[i], i < found ? 0 : 1) << i;
}

TEST(ReplayTest, ARunDependsOnItsSeedAlone) {
  const measured::Table table = SquareTable(10, BowlSeconds);
  const auto fractions = [&](uint64_t seed, int64_t pending) {
    return Replay(table, "local", {.seed = seed, .budget_trials = 50, .pending = pending})
        ->fraction;
  };
  EXPECT_EQ(fractions(1, 1), fractions(1, 1));
  EXPECT_NE(fractions(1, 1), fractions(2, 1));
  EXPECT_NE(fractions(1, 1), fractions(1, 8));
}

TEST(ReplayTest, WithNoiseTheLuckiestSampleIsScoredByItsTrueLatency) {
  // The slow configuration has a sample that is faster than anything.
  measured::MeasuredSpace measured = SquareTable(2, [](int, int) { return 1.0; }).measured();
  for (measured::Record& record : measured.records) record.samples_seconds = {1.0};
  measured.records[2].latency_seconds = 4;
  measured.records[2].samples_seconds = {0.5};
  const measured::Table table = *measured::Table::Create(std::move(measured));
  ReplayOptions options{.budget_trials = 4};
  EXPECT_EQ(Replay(table, "exhaustive", options)->fraction.back(), 1);
  options.noise = true;
  EXPECT_EQ(Replay(table, "exhaustive", options)->fraction.back(), 0.25);
}

TEST(ReplayTest, NoiseIsDrawnByTheSeed) {
  measured::MeasuredSpace measured = SquareTable(8, BowlSeconds).measured();
  for (measured::Record& record : measured.records) {
    if (record.latency_seconds == 0) continue;
    for (int i = 1; i <= 9; ++i) record.samples_seconds.push_back(record.latency_seconds * i / 5);
  }
  const measured::Table table = *measured::Table::Create(std::move(measured));
  const auto fractions = [&](uint64_t seed) {
    return Replay(table, "exhaustive", {.seed = seed, .budget_trials = 64, .noise = true})
        ->fraction;
  };
  EXPECT_EQ(fractions(1), fractions(1));
  EXPECT_NE(fractions(1), fractions(2));
}

TEST(ReplayTest, StopsWhenAsked) {
  const measured::Table table = SquareTable(8, BowlSeconds);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(absl::IsCancelled(Replay(table, "random", {.stop = stop.get_token()}).status()));
}

TEST(ReplayTest, HistoryIsMatchedByNamesAndValues) {
  const measured::Table small = SquareTable(3, BowlSeconds);
  const measured::Table large = SquareTable(5, [](int a, int b) { return BowlSeconds(a, b) * 2; });
  const HistorySource source = HistoryFrom(large, small.space());
  ASSERT_THAT(source.records, SizeIs(9));
  EXPECT_EQ(source.name, "device");
  for (const HistoryRecord& record : source.records) {
    EXPECT_DOUBLE_EQ(record.latency_seconds, 2 * small.At(record.index).latency_seconds);
  }
  EXPECT_THAT(HistoryFrom(small, large.space()).records, SizeIs(9));
}

}  // namespace
}  // namespace burnish::search
