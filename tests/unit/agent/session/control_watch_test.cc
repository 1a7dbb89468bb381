#include "agent/session/control_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/agent/executor/scripted_worker.h"

namespace burnish::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

work::Measurement Took(double seconds) {
  work::Measurement measurement = MeasuredOk();
  measurement.latency->seconds = seconds;
  return measurement;
}

work::Measurement Ended(work::Outcome outcome) {
  work::Measurement measurement;
  measurement.outcome = outcome;
  return measurement;
}

class ControlWatchTest : public ::testing::Test {
 protected:
  // What was started by now, since the last time asked.
  std::vector<std::string> Started() {
    started_.clear();
    watch_.RunDue([this](const DeviceId& device, ControlWatch::Done done) {
      started_.push_back(device.value());
      done_ = std::move(done);
    });
    return started_;
  }
  // The control kernel at the agent's start.
  void Enrol() {
    Started();
    done_(Took(1e-4));
  }
  work::Report Note(work::Measurement measurement) {
    work::Report report = {.result = std::move(measurement)};
    watch_.Note(kDevice, report);
    return report;
  }
  double ControlSecondsNow() {
    return std::get<work::Measurement>(Note(Took(1)).result).control_seconds;
  }
  void Note(int attempts) {
    for (int i = 0; i < attempts; ++i) Note(MeasuredOk());
  }
  std::vector<std::string> Unsent() {
    std::vector<std::string> unsent;
    for (const Canary& canary : watch_.TakeUnsent()) {
      unsent.push_back(canary.device.value() + " " + work::OutcomeName(canary.measurement.outcome));
    }
    return unsent;
  }

  const DeviceId kDevice{"agent/cpu:0"};
  telemetry::Metrics metrics_;
  Wakeup wakeup_;
  ControlWatch watch_{AgentId("agent"),
                      {TestDevice("cpu")},
                      wakeup_,
                      {.interval = 3, .canaries = metrics_.Counters(telemetry::kAgentCanaries)}};
  ControlWatch::Done done_;
  std::vector<std::string> started_;
};

TEST_F(ControlWatchTest, TheAgentsStartIsOneOccasion) {
  EXPECT_THAT(Started(), ElementsAre("agent/cpu:0"));
  EXPECT_THAT(Started(), IsEmpty());
  done_(MeasuredOk());
  EXPECT_THAT(Started(), IsEmpty());
}

TEST_F(ControlWatchTest, OnlyDevicesThatCanBeMeasuredAreWatched) {
  work::DeviceInfo unavailable = TestDevice("cpu");
  unavailable.unavailable_reason = "no compiler";
  work::DeviceInfo other = TestDevice("gpu");
  other.backend = "without a control kernel";
  work::DeviceInfo null = TestDevice("null");
  null.backend = "null";
  ControlWatch watch(AgentId("a"), {unavailable, other, null}, wakeup_);
  watch.Request(DeviceId("a/cpu:0"));
  watch.RunDue([this](const DeviceId& device, const ControlWatch::Done&) {
    started_.push_back(device.value());
  });
  EXPECT_THAT(started_, ElementsAre("a/null:0"));
}

TEST_F(ControlWatchTest, ItIsDueAgainAfterSoManyAttempts) {
  Enrol();
  Note(2);
  EXPECT_THAT(Started(), IsEmpty());
  Note(1);
  EXPECT_THAT(Started(), ElementsAre("agent/cpu:0"));
  done_(MeasuredOk());
  Note(2);
  EXPECT_THAT(Started(), IsEmpty());
  Note(1);
  EXPECT_THAT(Started(), ElementsAre("agent/cpu:0"));
}

TEST_F(ControlWatchTest, AnIntervalOfZeroLeavesTheOtherOccasions) {
  ControlWatch watch(AgentId("agent"), {TestDevice("cpu")}, wakeup_, {.interval = 0});
  int started = 0;
  const ControlWatch::Measure measure = [&](const DeviceId&, const ControlWatch::Done& done) {
    ++started;
    done(MeasuredOk());
  };
  watch.RunDue(measure);
  work::Report report = {.result = MeasuredOk()};
  for (int i = 0; i < 100; ++i) watch.Note(kDevice, report);
  watch.RunDue(measure);
  EXPECT_EQ(started, 1);
  report.result = Ended(work::Outcome::kCrash);
  watch.Note(kDevice, report);
  watch.RunDue(measure);
  EXPECT_EQ(started, 2);
}

TEST_F(ControlWatchTest, ItIsDueAtOnceAfterACrashOrALostWorkerAndNoOtherFailure) {
  Enrol();
  Note(Ended(work::Outcome::kCrash));
  EXPECT_THAT(Started(), ElementsAre("agent/cpu:0"));
  done_(MeasuredOk());
  Note(Ended(work::Outcome::kWrongResult));
  EXPECT_THAT(Started(), IsEmpty());
  work::Report lost = {.result = work::Comparison{.outcome = work::Outcome::kInfrastructure}};
  watch_.Note(kDevice, lost);
  EXPECT_THAT(Started(), ElementsAre("agent/cpu:0"));
}

TEST_F(ControlWatchTest, WhatFallsDueWhileItRunsIsAnsweredByThatRun) {
  Enrol();
  watch_.Request(kDevice);
  EXPECT_THAT(Started(), ElementsAre("agent/cpu:0"));
  watch_.Request(kDevice);
  Note(Ended(work::Outcome::kCrash));
  EXPECT_THAT(Started(), IsEmpty());
  done_(MeasuredOk());
  EXPECT_THAT(Started(), IsEmpty());
}

TEST_F(ControlWatchTest, MeasurementsCarryTheNewestTimeThatWasOk) {
  EXPECT_EQ(ControlSecondsNow(), 0);
  Enrol();
  EXPECT_EQ(ControlSecondsNow(), 1e-4);
  watch_.Request(kDevice);
  Started();
  done_(Took(2e-4));
  EXPECT_EQ(ControlSecondsNow(), 2e-4);
  watch_.Request(kDevice);
  Started();
  done_(Ended(work::Outcome::kTimeout));
  EXPECT_EQ(ControlSecondsNow(), 2e-4);
  work::Report elsewhere = {.result = MeasuredOk()};
  watch_.Note(DeviceId("agent/opencl:0"), elsewhere);
  EXPECT_EQ(std::get<work::Measurement>(elsewhere.result).control_seconds, 0);
}

TEST_F(ControlWatchTest, TheNewestResultIsSentOncePerStream) {
  watch_.Rewind();
  EXPECT_THAT(Unsent(), IsEmpty());
  Enrol();
  EXPECT_THAT(Unsent(), ElementsAre("agent/cpu:0 ok"));
  EXPECT_THAT(Unsent(), IsEmpty());
  watch_.Request(kDevice);
  Started();
  done_(Ended(work::Outcome::kWrongResult));
  EXPECT_THAT(Unsent(), ElementsAre("agent/cpu:0 wrong_result"));
  watch_.Rewind();
  EXPECT_THAT(Unsent(), ElementsAre("agent/cpu:0 wrong_result"));
}

TEST_F(ControlWatchTest, CanariesAreCountedByOutcome) {
  Enrol();
  watch_.Request(kDevice);
  Started();
  done_(Ended(work::Outcome::kTimeout));
  EXPECT_THAT(metrics_.Text(), HasSubstr("burnish_agent_canaries_total{outcome=\"ok\"} 1\n"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("burnish_agent_canaries_total{outcome=\"timeout\"} 1\n"));
}

}  // namespace
}  // namespace burnish::agent
