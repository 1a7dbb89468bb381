#include "agent/session/report_outbox.h"

#include <gtest/gtest.h>

#include <string>

namespace burnish::agent {
namespace {

work::Report ReportOf(const std::string& attempt) {
  return {AttemptId(attempt), WorkItemId(1), Fence(1), work::Measurement()};
}

TEST(ReportOutboxTest, EachReportIsTakenOnceUntilRewound) {
  ReportOutbox outbox;
  outbox.Add(ReportOf("a"));
  outbox.Add(ReportOf("b"));
  EXPECT_EQ(outbox.TakeUnsent().size(), 2u);
  EXPECT_TRUE(outbox.TakeUnsent().empty());
  outbox.Add(ReportOf("c"));
  EXPECT_EQ(outbox.TakeUnsent().front().attempt.value(), "c");
  outbox.Rewind();
  EXPECT_EQ(outbox.TakeUnsent().size(), 3u);
}

TEST(ReportOutboxTest, WhatIsErasedIsNeitherHeldNorSent) {
  ReportOutbox outbox;
  outbox.Add(ReportOf("a"));
  outbox.Add(ReportOf("b"));
  outbox.TakeUnsent();
  outbox.Erase(AttemptId("a"));
  outbox.Erase(AttemptId("unknown"));
  ASSERT_EQ(outbox.Holding().size(), 1u);
  EXPECT_EQ(outbox.Holding().front().attempt.value(), "b");
  outbox.Rewind();
  EXPECT_EQ(outbox.TakeUnsent().size(), 1u);
}

}  // namespace
}  // namespace burnish::agent
