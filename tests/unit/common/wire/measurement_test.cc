#include "common/wire/measurement.h"

#include <limits>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::wire {
namespace {

using ::testing::HasSubstr;

work::Correctness FullCorrectness() {
  return {.verified = true,
          .max_relative_error = 1e-6,
          .relative_frobenius = 2e-7,
          .worst = "c[17]: 0.5, expected 0.25"};
}

work::Measurement FullMeasurement() {
  work::Measurement measurement;
  measurement.outcome = work::Outcome::kOk;
  measurement.message = "fine";
  measurement.samples = {{.total_ns = 1000, .launches = 10}, {.total_ns = 2000, .launches = 20}};
  measurement.latency = work::Latency{.statistic = "p20",
                                      .seconds = 1e-4,
                                      .interval = {.low = 0.9e-4, .high = 1.1e-4},
                                      .relative_mad = 0.01,
                                      .min_seconds = 0.8e-4};
  measurement.figures = {.energy_joules = 2.5,
                         .power_watts = 15,
                         .memory_bytes = 0,
                         .code_bytes = 512,
                         .net_energy_joules = 1.5};
  measurement.correctness = FullCorrectness();
  measurement.flags = {"unconverged", "raced"};
  measurement.compile_seconds = 0.25;
  measurement.run_seconds = 1.5;
  measurement.environment = {{"compiler", "g++ 12.2"}};
  return measurement;
}

void ExpectSame(const work::Correctness& a, const work::Correctness& b) {
  EXPECT_EQ(a.verified, b.verified);
  EXPECT_EQ(a.max_relative_error, b.max_relative_error);
  EXPECT_EQ(a.relative_frobenius, b.relative_frobenius);
  EXPECT_EQ(a.worst, b.worst);
}

void ExpectSame(const std::vector<work::Sample>& a, const std::vector<work::Sample>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].total_ns, b[i].total_ns);
    EXPECT_EQ(a[i].launches, b[i].launches);
  }
}

TEST(OutcomeWire, KeepsEveryOutcome) {
  std::set<int> seen;
  for (const work::Outcome outcome : work::AllOutcomes()) {
    const pb::Outcome proto = ToProto(outcome);
    EXPECT_TRUE(seen.insert(proto).second);
    const auto back = FromProto(proto);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, outcome);
  }
  // Every wire value but the unset one has a domain value.
  EXPECT_EQ(static_cast<int>(seen.size()), pb::Outcome_descriptor()->value_count() - 1);
}

TEST(OutcomeWire, RefusesUnsetAndUnknownOutcomes) {
  EXPECT_FALSE(FromProto(pb::OUTCOME_UNSPECIFIED).ok());
  const auto unknown = FromProto(static_cast<pb::Outcome>(999));
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(unknown.status().message(), "outcome: unknown value 999");
}

TEST(MeasurementWire, KeepsEveryField) {
  const work::Measurement measurement = FullMeasurement();
  const auto back = FromProto(ToProto(measurement));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->outcome, measurement.outcome);
  EXPECT_EQ(back->message, measurement.message);
  ExpectSame(back->samples, measurement.samples);
  ASSERT_TRUE(back->latency.has_value());
  EXPECT_EQ(back->latency->statistic, measurement.latency->statistic);
  EXPECT_EQ(back->latency->seconds, measurement.latency->seconds);
  EXPECT_EQ(back->latency->interval.low, measurement.latency->interval.low);
  EXPECT_EQ(back->latency->interval.high, measurement.latency->interval.high);
  EXPECT_EQ(back->latency->relative_mad, measurement.latency->relative_mad);
  EXPECT_EQ(back->latency->min_seconds, measurement.latency->min_seconds);
  ExpectSame(back->correctness, measurement.correctness);
  EXPECT_EQ(back->figures, measurement.figures);
  EXPECT_EQ(back->flags, measurement.flags);
  EXPECT_EQ(back->compile_seconds, measurement.compile_seconds);
  EXPECT_EQ(back->run_seconds, measurement.run_seconds);
  EXPECT_EQ(back->environment, measurement.environment);
}

TEST(MeasurementWire, RefusesFiguresThatNothingMeasures) {
  pb::Measurement proto = ToProto(FullMeasurement());
  proto.mutable_figures()->set_power_watts(-1);
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("figures.power_watts"));
  proto = ToProto(FullMeasurement());
  proto.mutable_figures()->set_energy_joules(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("figures.energy_joules"));
}

TEST(MeasurementWire, CarriesCompilerMessagesThatAreNotUtf8) {
  work::Measurement measurement;
  measurement.outcome = work::Outcome::kCompileError;
  measurement.message = "error: stray '\xC3' in program";
  pb::Measurement parsed;
  ASSERT_TRUE(parsed.ParseFromString(ToProto(measurement).SerializeAsString()));
  EXPECT_EQ(parsed.message(), "error: stray '\xEF\xBF\xBD' in program");
}

TEST(MeasurementWire, HasALatencyWithTheOutcomeOkOnly) {
  pb::Measurement proto = ToProto(FullMeasurement());
  proto.clear_latency();
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("measurement.latency"));
  proto = ToProto(FullMeasurement());
  proto.set_outcome(pb::OUTCOME_CRASH);
  EXPECT_FALSE(FromProto(proto).ok());
  proto.clear_latency();
  EXPECT_TRUE(FromProto(proto).ok());
}

TEST(MeasurementWire, RefusesFiguresNoClockGives) {
  pb::Measurement proto = ToProto(FullMeasurement());
  proto.mutable_samples(1)->set_launches(0);
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("sample.launches"));
  proto = ToProto(FullMeasurement());
  proto.mutable_samples(0)->set_total_ns(-1);
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("sample.total_ns"));
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
    proto = ToProto(FullMeasurement());
    proto.mutable_latency()->set_seconds(seconds);
    EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("latency.seconds")) << seconds;
    proto = ToProto(FullMeasurement());
    proto.mutable_latency()->set_low_seconds(seconds);
    EXPECT_FALSE(FromProto(proto).ok()) << seconds;
  }
}

TEST(MeasurementWire, RefusesTimesThatCannotBeAddedUp) {
  for (const double seconds :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    pb::Measurement proto = ToProto(FullMeasurement());
    proto.set_run_seconds(seconds);
    EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("measurement.run_seconds"));
    proto = ToProto(FullMeasurement());
    proto.set_compile_seconds(seconds);
    EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("measurement.compile_seconds"));
    proto = ToProto(FullMeasurement());
    proto.set_control_seconds(seconds);
    EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("measurement.control_seconds"));
    pb::Comparison comparison;
    comparison.set_outcome(pb::OUTCOME_CRASH);
    comparison.set_run_seconds(seconds);
    EXPECT_THAT(FromProto(comparison).status().message(), HasSubstr("comparison.run_seconds"));
  }
}

TEST(ComparisonWire, KeepsEveryField) {
  work::Comparison comparison;
  comparison.outcome = work::Outcome::kOk;
  comparison.message = "all stand";
  comparison.finalists = {{.configuration = {{"BLOCK", int64_t{32}}},
                           .outcome = work::Outcome::kOk,
                           .message = "",
                           .rounds = {{.total_ns = 5, .launches = 1}},
                           .correctness = FullCorrectness()},
                          {.configuration = {{"BLOCK", int64_t{64}}},
                           .outcome = work::Outcome::kTimeout,
                           .message = "10 s passed",
                           .rounds = {},
                           .correctness = {}}};
  comparison.run_seconds = 2.5;
  comparison.environment = {{"os", "Debian 12"}};

  const auto back = FromProto(ToProto(comparison));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->outcome, comparison.outcome);
  EXPECT_EQ(back->message, comparison.message);
  EXPECT_EQ(back->run_seconds, comparison.run_seconds);
  EXPECT_EQ(back->environment, comparison.environment);
  ASSERT_EQ(back->finalists.size(), comparison.finalists.size());
  for (size_t i = 0; i < comparison.finalists.size(); ++i) {
    const work::FinalistSamples& expected = comparison.finalists[i];
    const work::FinalistSamples& actual = back->finalists[i];
    EXPECT_TRUE(space::SameConfiguration(actual.configuration, expected.configuration));
    EXPECT_EQ(actual.outcome, expected.outcome);
    EXPECT_EQ(actual.message, expected.message);
    ExpectSame(actual.rounds, expected.rounds);
    ExpectSame(actual.correctness, expected.correctness);
  }
}

TEST(ComparisonWire, RefusesUnsetOutcomes) {
  pb::Comparison proto;
  EXPECT_FALSE(FromProto(proto).ok());
  proto.set_outcome(pb::OUTCOME_OK);
  proto.add_finalists();
  EXPECT_THAT(FromProto(proto).status().message(), HasSubstr("outcome"));
}

}  // namespace
}  // namespace burnish::wire
