#include "agent/worker/contest.h"

#include "gtest/gtest.h"

namespace burnish::worker {
namespace {

using spec::Metric;

work::Goals GoalsOf(const std::vector<Metric>& metrics, const char* limit = nullptr) {
  work::Goals goals;
  goals.objectives.clear();
  for (const Metric metric : metrics) goals.objectives.push_back({.metric = metric});
  if (limit != nullptr) goals.limits.push_back(expr::Expression::Parse(limit).value());
  return goals;
}

work::MetricValues Values(double latency, double energy) {
  return {{Metric::kLatency, latency},
          {Metric::kThroughput, 1 / latency},
          {Metric::kEnergy, energy},
          {Metric::kPower, energy / latency}};
}

work::MetricValues Known(double latency) {
  return {{Metric::kLatency, latency}, {Metric::kThroughput, 1 / latency}};
}

TEST(ContestTest, ASlowerOneMayStillNeedLessEnergy) {
  Contest contest(GoalsOf({Metric::kLatency, Metric::kEnergy}));
  EXPECT_TRUE(contest.CanWin(Known(100), 20, 100)) << "the first one";
  contest.Add(Values(1, 100));
  EXPECT_TRUE(contest.CanWin(Known(5.4), 20, 5.4)) << "at idle power it would need 108";
  EXPECT_FALSE(contest.CanWin(Known(5.6), 20, 5.6)) << "even idling for so long takes 112";
  EXPECT_TRUE(contest.CanWin(Known(5.6), 0, 5.6)) << "what idling takes is not known";
  EXPECT_TRUE(contest.CanWin(Known(0.9), 200, 0.9)) << "faster";
}

TEST(ContestTest, WithinALimitOfPowerTheFastestWins) {
  Contest contest(GoalsOf({Metric::kLatency}, "power <= 50"));
  contest.Add(Values(1, 100));
  EXPECT_TRUE(contest.CanWin(Known(10), 20, 10)) << "the rival is outside of the limit";
  contest.Add(Values(2, 80));
  EXPECT_TRUE(contest.CanWin(Known(2.1), 20, 2.1)) << "within noise";
  EXPECT_FALSE(contest.CanWin(Known(2.3), 20, 2.3));
}

TEST(ContestTest, OtherObjectivesKeepACandidateIn) {
  Contest contest(GoalsOf({Metric::kEnergy, Metric::kMemory}));
  work::MetricValues rival = Values(1, 100);
  rival[Metric::kMemory] = 8;
  contest.Add(rival);
  work::MetricValues known = Known(100);
  known[Metric::kMemory] = 4;
  EXPECT_TRUE(contest.CanWin(known, 20, known.at(Metric::kLatency)));
  known[Metric::kMemory] = 8;
  EXPECT_FALSE(contest.CanWin(known, 20, known.at(Metric::kLatency)));
}

}  // namespace
}  // namespace burnish::worker
