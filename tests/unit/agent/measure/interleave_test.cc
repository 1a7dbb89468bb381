#include "agent/measure/interleave.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace burnish::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(InterleaveTest, EveryContestantTakesOneSamplePerRoundInChangingOrder) {
  std::vector<size_t> calls;
  const Contest contest = Interleave({true, true, true}, 20, 5, [&](size_t contestant) {
    calls.push_back(contestant);
    return work::Sample{.total_ns = static_cast<int64_t>(calls.size()), .launches = 1};
  });
  ASSERT_THAT(calls, SizeIs(60));
  std::set<std::vector<size_t>> orders;
  for (size_t round = 0; round < 20; ++round) {
    const std::vector<size_t> order(calls.begin() + 3 * round, calls.begin() + 3 * round + 3);
    EXPECT_THAT(order, ::testing::UnorderedElementsAre(0, 1, 2));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 3u);
  EXPECT_THAT(contest.rounds, ElementsAre(SizeIs(20), SizeIs(20), SizeIs(20)));
  EXPECT_GT(contest.rounds[0][1].total_ns, 3);  // aligned: the second one is of the second round
}

TEST(InterleaveTest, EndsBetweenTwoRoundsAndTakesOneAtLeast) {
  for (const int wanted : {1, 3}) {
    int rounds = 1;
    const Contest contest = Interleave(
        {true, true}, 20, 5, [](size_t) { return work::Sample{.total_ns = 1, .launches = 1}; },
        [&] { return ++rounds <= wanted; });
    EXPECT_THAT(contest.rounds, ElementsAre(SizeIs(wanted), SizeIs(wanted)));
  }
}

TEST(InterleaveTest, TheOrderDependsOnTheSeedAlone) {
  const auto order_of = [](uint64_t seed) {
    std::vector<size_t> calls;
    Interleave({true, true, true, true}, 5, seed, [&](size_t contestant) {
      calls.push_back(contestant);
      return work::Sample{.total_ns = 1, .launches = 1};
    });
    return calls;
  };
  EXPECT_EQ(order_of(3), order_of(3));
  EXPECT_NE(order_of(3), order_of(4));
}

TEST(InterleaveTest, AFailingContestantLeavesAndTheOthersGoOn) {
  int calls_of_0 = 0;
  const Contest contest = Interleave({true, true, false}, 10, 1,
                                     [&](size_t contestant) -> absl::StatusOr<work::Sample> {
                                       EXPECT_NE(contestant, 2u);
                                       if (contestant == 0 && ++calls_of_0 == 4)
                                         return absl::AbortedError("crashed");
                                       return work::Sample{.total_ns = 1, .launches = 1};
                                     });
  EXPECT_EQ(calls_of_0, 4);
  EXPECT_EQ(contest.ends[0], absl::AbortedError("crashed"));
  EXPECT_TRUE(contest.ends[1].ok());
  EXPECT_THAT(contest.rounds, ElementsAre(SizeIs(3), SizeIs(10), IsEmpty()));
}

}  // namespace
}  // namespace burnish::measure
