#include "common/work/objectives.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::work {
namespace {

using spec::Metric;
using testing::Pair;
using testing::UnorderedElementsAre;

MetricValues Values() {
  return ValuesOf({.seconds = 0.5}, {.verified = true, .max_relative_error = 1e-4},
                  {.energy_joules = 6, .memory_bytes = 0});
}

expr::Expression Limit(const std::string& text) { return *expr::Expression::Parse(text); }

TEST(MetricValues, AreWhatWasMeasured) {
  EXPECT_THAT(Values(),
              UnorderedElementsAre(Pair(Metric::kLatency, 0.5), Pair(Metric::kThroughput, 2.0),
                                   Pair(Metric::kEnergy, 6.0), Pair(Metric::kMemory, 0.0),
                                   Pair(Metric::kError, 1e-4)));
  EXPECT_FALSE(ValuesOf({.seconds = 1}, {}, {}).contains(Metric::kError)) << "nothing was verified";
}

TEST(Holds, NeedsEveryMetricThatTheLimitNames) {
  EXPECT_TRUE(Holds(Limit("energy <= 6 and error < 1e-3"), Values()));
  EXPECT_FALSE(Holds(Limit("energy < 6"), Values()));
  EXPECT_FALSE(Holds(Limit("power <= 15"), Values())) << "unknown";
  EXPECT_FALSE(Holds(Limit("1 / memory > 3"), Values())) << "cannot be computed";
}

TEST(CostOf, IsMinimised) {
  EXPECT_EQ(CostOf({.metric = Metric::kEnergy}, Values()), 6);
  EXPECT_EQ(CostOf({.metric = Metric::kThroughput, .maximise = true}, Values()), 0.5);
  EXPECT_TRUE(std::isinf(CostOf({.metric = Metric::kMemory, .maximise = true}, Values())));
  EXPECT_TRUE(std::isinf(CostOf({.metric = Metric::kPower}, Values())));
}

TEST(MeasuredCostOf, HasTheIntervalOfTheLatency) {
  const stats::Interval interval{.low = 0.4, .high = 0.8};
  const stats::Measured latency = MeasuredCostOf({}, Values(), interval);
  EXPECT_EQ(latency.value, 0.5);
  EXPECT_EQ(latency.interval.high, 0.8);
  const stats::Measured throughput =
      MeasuredCostOf({.metric = Metric::kThroughput, .maximise = true}, Values(), interval);
  EXPECT_EQ(throughput.interval.low, 0.4);
  EXPECT_EQ(throughput.interval.high, 0.8);
  const stats::Measured energy = MeasuredCostOf({.metric = Metric::kEnergy}, Values(), interval);
  EXPECT_EQ(energy.interval.low, 6);
  EXPECT_EQ(energy.interval.high, 6);
}

TEST(Goals, ReadBackFromTheirTextWithTheConstantsFilledIn) {
  spec::JobSpec job;
  job.objectives = {{.metric = Metric::kEnergy}, {.metric = Metric::kLatency, .maximise = true}};
  job.limits = {Limit("energy <= n * scale"), Limit("memory < 1")};
  job.constants = {{"n", int64_t{4}}, {"scale", 1.5}, {"memory", int64_t{7}}};
  const auto goals = ReadGoals(GoalsText(job));
  ASSERT_TRUE(goals.ok()) << goals.status();
  EXPECT_EQ(goals->objectives, job.objectives);
  EXPECT_TRUE(goals->Within(Values())) << "a constant named like a metric is not meant";
  MetricValues more = Values();
  more[Metric::kEnergy] = 6.1;
  EXPECT_FALSE(goals->Within(more));
  EXPECT_FALSE(goals->by_speed());
}

TEST(Goals, AreLatencyWhereNoneAreKept) {
  const auto goals = ReadGoals("");
  ASSERT_TRUE(goals.ok());
  EXPECT_TRUE(goals->by_speed());
  EXPECT_FALSE(goals->several());
  for (const char* text :
       {"{", "{}", R"({"objectives": [], "limits": []})",
        R"({"objectives": [{"metric": "x", "maximise": false}], "limits": []})"}) {
    EXPECT_EQ(ReadGoals(text).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

TEST(Goals, AreOfSpeedIfTheFastestIsTheBest) {
  const auto of = [](Metric metric, bool maximise) {
    Goals goals;
    goals.objectives = {{.metric = metric, .maximise = maximise}};
    return goals.by_speed();
  };
  EXPECT_TRUE(of(Metric::kThroughput, true));
  EXPECT_FALSE(of(Metric::kThroughput, false));
  EXPECT_FALSE(of(Metric::kLatency, true));
  EXPECT_FALSE(of(Metric::kMemory, false));
}

}  // namespace
}  // namespace burnish::work
