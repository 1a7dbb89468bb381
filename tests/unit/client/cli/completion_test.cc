#include "client/cli/completion.h"

#include "client/cli/commands.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    app_.add_option("--server", server_);
    app_.add_flag("--json");
    AddTune(app_, context_);
    AddControl(app_, context_);
    AddRecords(app_, context_);
    AddDiff(app_, context_);
    AddContext(app_, context_);
    AddExplain(app_, context_);
    AddReplay(app_, context_);
    AddImport(app_, context_);
  }

  std::vector<std::string> After(const std::vector<std::string>& words) {
    return Complete(app_, words, [](Wanted wanted) -> std::vector<std::string> {
      if (wanted == Wanted::kJob) return {"j1", "j2"};
      return wanted == Wanted::kContext ? std::vector<std::string>{"local", "lab"}
                                        : std::vector<std::string>{"job.budget"};
    });
  }

  CommandContext context_;
  std::string server_;
  CLI::App app_{"", "burnish"};
};

TEST_F(CompletionTest, AVerbIsCompletedFromItsBeginning) {
  EXPECT_THAT(After({"re"}), ElementsAre("resume", "records", "replay"));
  EXPECT_THAT(After({"--server", "lab:7400", "can"}), ElementsAre("cancel"));
  EXPECT_THAT(After({"context", "us"}), ElementsAre("use"));
}

TEST_F(CompletionTest, JobsStandWhereJobsMay) {
  EXPECT_THAT(After({"records", ""}), ElementsAre("j1", "j2"));
  EXPECT_THAT(After({"records", "j1", ""}), IsEmpty()) << "it takes one job";
  EXPECT_THAT(After({"cancel", "j1", ""}), ElementsAre("j1", "j2")) << "it takes several";
  EXPECT_THAT(After({"diff", "a.json", "j2"}), ElementsAre("j2"));
  EXPECT_THAT(After({"tune", "job.yaml", "--resume", ""}), ElementsAre("j1", "j2"));
  EXPECT_THAT(After({"context", "use", "la"}), ElementsAre("lab"));
  EXPECT_THAT(After({"explain", ""}), ElementsAre("job.budget"));
}

TEST_F(CompletionTest, StrategiesAreOffered) {
  EXPECT_THAT(After({"replay", "--strategy", "lo"}), ElementsAre("local"));
}

TEST_F(CompletionTest, FilesAreLeftToTheShell) {
  EXPECT_THAT(After({"tune", ""}), IsEmpty());
  EXPECT_THAT(After({"import", "a.json", "--job", ""}), IsEmpty());
}

TEST_F(CompletionTest, OptionsOfTheVerbAndOfTheProgramAreOffered) {
  EXPECT_THAT(After({"records", "--"}), IsSupersetOf({"--kind", "--filter", "--server", "--json"}));
  EXPECT_THAT(After({"records", "--"}), Not(Contains("--resume")));
  EXPECT_THAT(After({"records", "--kind", "c"}), ElementsAre("compare"));
  EXPECT_THAT(After({"records", "--json", ""}), ElementsAre("j1", "j2")) << "a flag takes no value";
}

}  // namespace
}  // namespace burnish::cli
