#include "agent/session/roofs_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/agent/executor/scripted_worker.h"
#include "tests/unit/agent/session/temporary_journal.h"

namespace burnish::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

work::Roofs SomeRoofs(double peak = 1e9) {
  work::Roofs roofs;
  roofs.peaks = {{.dtype = "f32", .threads = 1, .operations_per_second = peak}};
  roofs.bandwidths = {
      {.level = "memory", .capacity_bytes = 1 << 20, .threads = 1, .bytes_per_second = 1e8}};
  return roofs;
}

class RoofsWatchTest : public ::testing::Test {
 protected:
  // A new life of the agent, in the same state folder.
  RoofsWatch NewWatch(const RoofsOptions& options = {}) {
    return RoofsWatch(AgentId("agent"), {device_}, RoofsCache(folder_.folder()), wakeup_, options);
  }
  std::vector<std::string> Started(RoofsWatch& watch) {
    std::vector<std::string> started;
    watch.RunDue([&](const DeviceId& device, RoofsWatch::Done done) {
      started.push_back(device.value());
      done_ = std::move(done);
    });
    return started;
  }
  static int Unsent(RoofsWatch& watch) { return static_cast<int>(watch.TakeUnsent().size()); }

  const DeviceId kDevice{"agent/cpu:0"};
  const TemporaryJournal folder_;
  work::DeviceInfo device_ = TestDevice("cpu");
  Wakeup wakeup_;
  RoofsWatch::Done done_;
};

TEST_F(RoofsWatchTest, TheyAreMeasuredOnceAndSentOnce) {
  RoofsWatch watch = NewWatch();
  EXPECT_EQ(watch.Of(kDevice).absence, "they are being measured");
  EXPECT_THAT(Started(watch), ElementsAre("agent/cpu:0"));
  EXPECT_THAT(Started(watch), IsEmpty());
  EXPECT_EQ(Unsent(watch), 0);
  done_(SomeRoofs());
  EXPECT_EQ(watch.Of(kDevice), SomeRoofs());
  EXPECT_EQ(Unsent(watch), 1);
  EXPECT_EQ(Unsent(watch), 0);
}

TEST_F(RoofsWatchTest, ANewHelloHasWhatWasNotSent) {
  RoofsWatch watch = NewWatch();
  Started(watch);
  done_(SomeRoofs());
  watch.Rewind();
  EXPECT_EQ(Unsent(watch), 0);
}

TEST_F(RoofsWatchTest, ARestartKnowsThemFromBefore) {
  RoofsWatch first = NewWatch();
  Started(first);
  done_(SomeRoofs());
  RoofsWatch second = NewWatch();
  EXPECT_EQ(second.Of(kDevice), SomeRoofs());
  EXPECT_THAT(Started(second), IsEmpty());

  RoofsWatch always = NewWatch({.remembers = false});
  EXPECT_THAT(Started(always), ElementsAre("agent/cpu:0"));
  RoofsWatch never = NewWatch({.measures = false});
  EXPECT_THAT(Started(never), IsEmpty());
  EXPECT_THAT(never.Of(kDevice).absence, HasSubstr("--measure-roofs never"));
}

TEST_F(RoofsWatchTest, AnotherEnvironmentIsMeasuredAnew) {
  RoofsWatch first = NewWatch();
  Started(first);
  done_(SomeRoofs());
  device_.environment["compiler"] = "a newer one";
  RoofsWatch second = NewWatch();
  EXPECT_THAT(Started(second), ElementsAre("agent/cpu:0"));
}

TEST_F(RoofsWatchTest, WhatFailedIsSaidAndTriedAgainByTheNextLife) {
  RoofsWatch first = NewWatch();
  Started(first);
  done_(absl::UnavailableError("the worker died"));
  EXPECT_EQ(first.Of(kDevice).absence, "measuring them failed: the worker died");
  EXPECT_EQ(Unsent(first), 1);
  RoofsWatch second = NewWatch();
  EXPECT_THAT(Started(second), ElementsAre("agent/cpu:0"));
}

TEST_F(RoofsWatchTest, ADeviceThatCanDoNothingIsNotMeasured) {
  device_.unavailable_reason = "no compiler";
  RoofsWatch watch = NewWatch();
  EXPECT_THAT(Started(watch), IsEmpty());
  EXPECT_EQ(watch.Of(kDevice).absence, "no compiler");
}

}  // namespace
}  // namespace burnish::agent
