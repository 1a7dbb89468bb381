#include "server/search/tournament.h"

#include <atomic>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/search/measured_tables.h"

namespace burnish::search {
namespace {

using ::testing::SizeIs;

class TournamentTest : public ::testing::Test {
 protected:
  const measured::Table bowl_ = SquareTable(9, BowlSeconds, "bowl");
  const measured::Table flat_ = SquareTable(4, [](int a, int) { return a == 0 ? 1.0 : 2.0; });
  const std::vector<TournamentSpace> spaces_ = {{.table = &bowl_}, {.table = &flat_}};
  TournamentOptions options_{
      .strategies = {"random", "local"}, .seeds = 5, .run = {.seed = 7, .budget_trials = 30}};
};

TEST_F(TournamentTest, EachRunIsTheReplayOfItsSeed) {
  const auto standings = RunTournament(spaces_, options_);
  ASSERT_TRUE(standings.ok()) << standings.status().ToString();
  ASSERT_THAT(*standings, SizeIs(2));
  const Standing& local_in_bowl = (*standings)[1][0];
  ASSERT_THAT(local_in_bowl.fraction, SizeIs(5));
  for (uint64_t i = 0; i < 5; ++i) {
    const auto run = Replay(bowl_, "local", {.seed = 7 + i, .budget_trials = 30});
    EXPECT_EQ(local_in_bowl.fraction[i], run->fraction);
  }
  EXPECT_THAT(local_in_bowl.proposal_seconds, SizeIs(150));
}

TEST_F(TournamentTest, ThreadsDoNotChangeTheResult) {
  const auto alone = RunTournament(spaces_, options_);
  options_.threads = 4;
  std::atomic<int> runs = 0;
  options_.on_run = [&] { ++runs; };
  const auto together = RunTournament(spaces_, options_);
  ASSERT_TRUE(alone.ok() && together.ok());
  EXPECT_EQ(runs, 20);
  for (size_t strategy = 0; strategy < 2; ++strategy) {
    for (size_t space = 0; space < 2; ++space) {
      EXPECT_EQ((*alone)[strategy][space].fraction, (*together)[strategy][space].fraction);
    }
  }
}

TEST_F(TournamentTest, AnUnknownStrategyAndAStopEndIt) {
  options_.threads = 3;
  options_.strategies.push_back("wizardry");
  EXPECT_TRUE(absl::IsInvalidArgument(RunTournament(spaces_, options_).status()));
  std::stop_source stop;
  options_.run.stop = stop.get_token();
  options_.on_run = [&] { stop.request_stop(); };
  EXPECT_TRUE(absl::IsCancelled(RunTournament(spaces_, options_).status()));
}

TEST(StandingTest, TheLastValueOfAnExhaustedSpaceCountsOn) {
  const Standing standing{.fraction = {{0, 0.5, 1}, {0, 0.25, 0.5}, {0, 0.1, 0.2}}};
  EXPECT_EQ(standing.Median(1), 0);
  EXPECT_EQ(standing.Median(2), 0.25);
  EXPECT_EQ(standing.Median(400), 0.5);
  EXPECT_EQ(standing.Quantile(400, 1), 1);
  EXPECT_EQ(standing.Median(0), 0);
}

TEST(StandingTest, SummaryNamesTheWorstSpace) {
  const std::vector<Standing> spaces = {
      {.fraction = {{0.9}, {0.8}, {1}}}, {.fraction = {{0.3}, {0.6}, {0.4}}}, {.fraction = {{1}}}};
  const Summary summary = Summarise(spaces, 1);
  EXPECT_DOUBLE_EQ(summary.mean, (0.9 + 0.4 + 1) / 3);
  EXPECT_EQ(summary.worst, 0.4);
  EXPECT_EQ(summary.worst_space, 1u);
}

TEST(StandingTest, TheIntervalOfTheMeanGrowsWithTheScatterOfSpacesAndSeeds) {
  const std::vector<Standing> alike(6, {.fraction = {{0.5}, {0.5}, {0.5}}});
  EXPECT_EQ(MeanInterval(alike, 1).low, 0.5);
  EXPECT_EQ(MeanInterval(alike, 1).high, 0.5);
  const std::vector<Standing> seeds_differ(6, {.fraction = {{0.4}, {0.5}, {0.6}}});
  const stats::Interval seeds = MeanInterval(seeds_differ, 1);
  EXPECT_LT(seeds.low, 0.5);
  EXPECT_GT(seeds.high, 0.5);
  std::vector<Standing> spaces_differ = seeds_differ;
  for (size_t i = 0; i < 3; ++i) spaces_differ[i].fraction = {{0.9}, {1.0}, {1.0}};
  const stats::Interval spaces = MeanInterval(spaces_differ, 1);
  EXPECT_GT(spaces.high - spaces.low, seeds.high - seeds.low);
  EXPECT_LT(spaces.low, 0.75);
  EXPECT_GT(spaces.high, 0.75);
}

}  // namespace
}  // namespace burnish::search
