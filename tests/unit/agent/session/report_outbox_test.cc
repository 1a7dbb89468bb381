#include "agent/session/report_outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/agent/session/temporary_journal.h"

namespace burnish::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReportOutboxTest : public ::testing::Test {
 protected:
  // Ends this life of the agent in order and begins the next.
  void Restart(const OutboxOptions& options = {}) {
    outbox_.reset();
    outbox_ = file_.OpenOutbox(wakeup_, options);
  }
  std::vector<std::string> Held() const {
    std::vector<std::string> held;
    for (const HeldAttempt& one : outbox_->Holding()) held.push_back(one.attempt.value());
    return held;
  }
  // What an agent that is killed now would leave.
  std::vector<std::string> Journalled() const {
    std::vector<std::string> attempts;
    for (const SharedReport& report : ReportJournal(file_.path()).Read()) {
      attempts.push_back(report->attempt_id());
    }
    return attempts;
  }
  void AwaitRefusal(bool wanted) {
    while (outbox_->Refusal().empty() == wanted) wakeup_.WaitFor(absl::Seconds(30));
  }

  TemporaryJournal file_;
  Wakeup wakeup_;
  std::unique_ptr<ReportOutbox> outbox_ = file_.OpenOutbox(wakeup_);
};

TEST_F(ReportOutboxTest, EachReportIsTakenOnceUntilRewound) {
  outbox_->Add(ReportOf("a"));
  outbox_->Add(ReportOf("b"));
  EXPECT_EQ(outbox_->TakeUnsent().size(), 2u);
  EXPECT_THAT(outbox_->TakeUnsent(), IsEmpty());
  outbox_->Add(ReportOf("c"));
  EXPECT_EQ(outbox_->TakeUnsent().front()->attempt_id(), "c");
  outbox_->Rewind();
  EXPECT_EQ(outbox_->TakeUnsent().size(), 3u);
}

TEST_F(ReportOutboxTest, WhatIsErasedIsNeitherHeldNorSent) {
  outbox_->Add(ReportOf("a"));
  outbox_->Add(ReportOf("b"));
  outbox_->TakeUnsent();
  outbox_->Erase(AttemptId("a"));
  outbox_->Erase(AttemptId("unknown"));
  EXPECT_THAT(Held(), ElementsAre("b"));
  outbox_->Rewind();
  EXPECT_EQ(outbox_->TakeUnsent().size(), 1u);
}

TEST_F(ReportOutboxTest, TheNextLifeHasWhatWasNotAcknowledged) {
  for (const char* attempt : {"a", "b", "c"}) outbox_->Add(ReportOf(attempt));
  outbox_->Erase(AttemptId("a"));
  Restart();
  EXPECT_THAT(Held(), ElementsAre("b", "c"));
  outbox_->Erase(AttemptId("b"));
  outbox_->Add(ReportOf("d"));
  Restart();
  EXPECT_THAT(Held(), ElementsAre("c", "d"));
  EXPECT_EQ(outbox_->TakeUnsent().size(), 2u);
}

TEST_F(ReportOutboxTest, AReportIsJournalledThoughTheAgentNeverEndsInOrder) {
  Restart({.journal_delay = absl::ZeroDuration()});
  outbox_->Add(ReportOf("a"));
  while (Journalled().empty()) {
  }
  EXPECT_THAT(Journalled(), ElementsAre("a"));
}

TEST_F(ReportOutboxTest, WhatIsAcknowledgedSoonIsNeverWritten) {
  Restart({.journal_delay = absl::InfiniteDuration()});
  outbox_->Add(ReportOf("a"));
  outbox_->Erase(AttemptId("a"));
  outbox_.reset();
  EXPECT_EQ(std::filesystem::file_size(file_.path()), 0u);
}

TEST_F(ReportOutboxTest, AFullJournalRefusesNewWorkUntilHalfOfItIsFree) {
  for (const bool by_count : {true, false}) {
    Restart({.max_reports = by_count ? 4u : 100u, .max_bytes = by_count ? 1u << 30 : 4000u});
    for (const char* attempt : {"a", "b", "c", "d"}) {
      EXPECT_EQ(outbox_->Refusal(), "");
      outbox_->Add(ReportOf(attempt, 1000));
    }
    EXPECT_THAT(outbox_->Refusal(), HasSubstr("journal of results is full"));
    outbox_->Add(ReportOf("e", 1000));
    EXPECT_THAT(Held(), ElementsAre("a", "b", "c", "d", "e"));
    for (const char* attempt : {"a", "b", "c"}) {
      EXPECT_NE(outbox_->Refusal(), "");
      outbox_->Erase(AttemptId(attempt));
    }
    if (!by_count) outbox_->Erase(AttemptId("d"));
    EXPECT_EQ(outbox_->Refusal(), "");
    outbox_->Erase(AttemptId("d"));
    outbox_->Erase(AttemptId("e"));
  }
}

TEST_F(ReportOutboxTest, AJournalThatWasFullIsFullInTheNextLife) {
  for (const char* attempt : {"a", "b"}) outbox_->Add(ReportOf(attempt));
  Restart({.max_reports = 2});
  EXPECT_NE(outbox_->Refusal(), "");
}

TEST_F(ReportOutboxTest, WhileTheDiskIsFullReportsStayAndNewWorkIsRefused) {
  Restart({.journal_delay = absl::ZeroDuration(), .retry_interval = absl::Milliseconds(1)});
  {
    const FullDisk full(500);
    outbox_->Add(ReportOf("a", 1000));
    AwaitRefusal(true);
    EXPECT_THAT(outbox_->Refusal(), HasSubstr("cannot be written: " + file_.path()));
    outbox_->Add(ReportOf("b"));
    EXPECT_EQ(outbox_->TakeUnsent().size(), 2u);
    EXPECT_THAT(Journalled(), IsEmpty());
  }
  AwaitRefusal(false);
  EXPECT_THAT(Journalled(), ElementsAre("a", "b"));
}

TEST_F(ReportOutboxTest, AJournalThatCannotBeMadeStopsNoStart) {
  outbox_.reset();
  std::filesystem::remove_all(file_.folder());
  outbox_ = file_.OpenOutbox(wakeup_);
  EXPECT_THAT(outbox_->Refusal(), HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace burnish::agent
