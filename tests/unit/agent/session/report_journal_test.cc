#include "agent/session/report_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/file.h"
#include "tests/unit/agent/session/temporary_journal.h"

namespace burnish::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReportJournalTest : public ::testing::Test {
 protected:
  // A journal with these reports, each appended by itself.
  void Write(const std::vector<std::string>& attempts) {
    ReportJournal journal(file_.path());
    ASSERT_TRUE(journal.Rewrite({}).ok());
    for (const std::string& attempt : attempts) {
      ASSERT_TRUE(journal.Append({SharedReportOf(attempt)}, {}).ok());
    }
  }
  std::vector<std::string> Read() const {
    std::vector<std::string> attempts;
    for (const SharedReport& report : ReportJournal(file_.path()).Read()) {
      attempts.push_back(report->attempt_id());
    }
    return attempts;
  }
  std::string Content() const { return *ReadFile(file_.path(), 1 << 30); }
  void SetContent(const std::string& content) {
    ASSERT_TRUE(WriteFileAtomically(file_.path(), content, false).ok());
  }
  std::string Aside(int number) const {
    return file_.path() + ".damaged-" + std::to_string(number);
  }

  TemporaryJournal file_;
};

TEST_F(ReportJournalTest, WhatWasAppendedIsReadBack) {
  ReportJournal journal(file_.path());
  EXPECT_THAT(journal.Read(), IsEmpty());
  ASSERT_TRUE(journal.Rewrite({SharedReportOf("a")}).ok());
  ASSERT_TRUE(journal.Append({SharedReportOf("b", 100), SharedReportOf("c")}, {}).ok());
  const std::vector<SharedReport> reports = ReportJournal(file_.path()).Read();
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0]->attempt_id(), "a");
  EXPECT_EQ(reports[1]->SerializeAsString(), SharedReportOf("b", 100)->SerializeAsString());
  EXPECT_EQ(reports[2]->attempt_id(), "c");
}

TEST_F(ReportJournalTest, WhatIsAcknowledgedIsNotReadBack) {
  ReportJournal journal(file_.path());
  ASSERT_TRUE(journal.Rewrite({SharedReportOf("a"), SharedReportOf("b")}).ok());
  ASSERT_TRUE(journal.Append({SharedReportOf("c")}, {AttemptId("a")}).ok());
  ASSERT_TRUE(journal.Append({}, {AttemptId("c"), AttemptId("unknown")}).ok());
  EXPECT_THAT(Read(), ElementsAre("b"));
}

TEST_F(ReportJournalTest, ATornEndIsCutOffWhereverItIsTorn) {
  Write({"a", "b"});
  const size_t whole = Content().size();
  Write({"a", "b", "c"});
  const std::string content = Content();
  for (size_t size = whole; size < content.size(); ++size) {
    SetContent(content.substr(0, size));
    EXPECT_THAT(Read(), ElementsAre("a", "b")) << size;
  }
  EXPECT_FALSE(fs::exists(Aside(1)));
}

TEST_F(ReportJournalTest, ADamagedFileIsMovedAsideAndReadUpToTheDamage) {
  Write({"a"});
  const size_t first = Content().size();
  Write({"a", "b"});
  const size_t second = Content().size();
  Write({"a", "b", "c"});
  const std::string content = Content();
  for (size_t place = first; place < second; ++place) {
    std::string damaged = content;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    SetContent(damaged);
    EXPECT_THAT(Read(), ElementsAre("a")) << place;
    EXPECT_FALSE(fs::exists(file_.path())) << place;
    EXPECT_EQ(*ReadFile(Aside(static_cast<int>(place - first) + 1), 1 << 20), damaged);
  }
}

TEST_F(ReportJournalTest, ARecordThatIsNotUnderstoodIsPassedOverAndKeptAside) {
  ReportJournal journal(file_.path());
  const auto of_a_newer_version = std::make_shared<v1::ReportMessage>(*SharedReportOf("b"));
  of_a_newer_version->mutable_measurement()->set_outcome(static_cast<v1::Outcome>(1000));
  ASSERT_TRUE(journal.Rewrite({SharedReportOf("a"), of_a_newer_version, SharedReportOf("c")}).ok());
  EXPECT_THAT(Read(), ElementsAre("a", "c"));
  EXPECT_TRUE(fs::exists(Aside(1)));
}

TEST_F(ReportJournalTest, WhatIsNoReadableFileIsMovedAside) {
  ASSERT_TRUE(MakeFolders(file_.path()).ok());
  EXPECT_THAT(Read(), IsEmpty());
  EXPECT_TRUE(fs::is_directory(Aside(1)));
  EXPECT_TRUE(ReportJournal(file_.path()).Rewrite({SharedReportOf("a")}).ok());
}

TEST_F(ReportJournalTest, AFileThatIsMostlyDeadIsRewritten) {
  ReportJournal journal(file_.path());
  const SharedReport kept = SharedReportOf("kept");
  const SharedReport big = SharedReportOf("big", 2 << 20);
  EXPECT_TRUE(journal.NeedsRewrite(0));
  ASSERT_TRUE(journal.Rewrite({}).ok());
  EXPECT_FALSE(journal.NeedsRewrite(0));
  ASSERT_TRUE(journal.Append({kept, big}, {}).ok());
  EXPECT_FALSE(journal.NeedsRewrite(kept->ByteSizeLong() + big->ByteSizeLong()));
  EXPECT_TRUE(journal.NeedsRewrite(kept->ByteSizeLong()));
  ASSERT_TRUE(journal.Rewrite({kept}).ok());
  EXPECT_LT(fs::file_size(file_.path()), 1000u);
  EXPECT_FALSE(journal.NeedsRewrite(kept->ByteSizeLong()));
  ASSERT_TRUE(journal.Append({SharedReportOf("more")}, {}).ok());
  EXPECT_THAT(Read(), ElementsAre("kept", "more"));
}

TEST_F(ReportJournalTest, WithNothingLiveTheFileIsEmptied) {
  ReportJournal journal(file_.path());
  ASSERT_TRUE(journal.Rewrite({SharedReportOf("a")}).ok());
  EXPECT_TRUE(journal.NeedsRewrite(0));
  ASSERT_TRUE(journal.Rewrite({}).ok());
  EXPECT_EQ(fs::file_size(file_.path()), 0u);
  ASSERT_TRUE(journal.Append({SharedReportOf("b")}, {}).ok());
  EXPECT_THAT(Read(), ElementsAre("b"));
}

TEST_F(ReportJournalTest, AfterAFailedWriteTheFileIsReplaced) {
  ReportJournal journal(file_.path());
  const SharedReport first = SharedReportOf("a");
  const SharedReport second = SharedReportOf("b", 1000);
  ASSERT_TRUE(journal.Rewrite({first}).ok());
  {
    const FullDisk full(500);
    const absl::Status status = journal.Append({second}, {});
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(file_.path()));
    EXPECT_TRUE(journal.NeedsRewrite(first->ByteSizeLong() + second->ByteSizeLong()));
    EXPECT_FALSE(journal.Rewrite({first, second}).ok());
    EXPECT_THAT(Read(), ElementsAre("a"));  // what was synced stays
  }
  ASSERT_TRUE(journal.Rewrite({first, second}).ok());
  ASSERT_TRUE(journal.Append({SharedReportOf("c")}, {}).ok());
  EXPECT_THAT(Read(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(std::distance(fs::directory_iterator(file_.folder()), {}), 1);
}

}  // namespace
}  // namespace burnish::agent
