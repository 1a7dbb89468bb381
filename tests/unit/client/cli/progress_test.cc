#include "client/cli/progress.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

pb::JobSnapshot Running() {
  pb::JobSnapshot snapshot;
  snapshot.set_job_id("j42");
  snapshot.set_state(pb::STATE_RUNNING);
  pb::TaskSnapshot* task = snapshot.add_tasks();
  task->set_trials(128);
  task->set_valid(102);
  task->set_budget_trials(300);
  task->mutable_best()->set_latency_seconds(201e-6);
  task->mutable_default_result()->set_latency_seconds(464.4e-6);
  pb::OutcomeCount* count = task->add_outcomes();
  count->set_outcome(pb::OUTCOME_CRASH);
  count->set_count(26);
  return snapshot;
}

constexpr Rate kRate{.trials_per_second = 4.1, .eta_seconds = 42};

TEST(ProgressLineTest, ShowsCountsBestFailuresRateAndEta) {
  const std::string line = ProgressLine(Running(), kRate, 200);
  EXPECT_THAT(line, StartsWith("j42 ━"));
  EXPECT_THAT(line, HasSubstr("128/300"));
  EXPECT_THAT(line, HasSubstr("best 201.0 µs 2.31x"));
  EXPECT_THAT(line, HasSubstr("failed 26"));
  EXPECT_THAT(line, HasSubstr("4.1/s"));
  EXPECT_THAT(line, HasSubstr("ETA 0:42"));
}

TEST(ProgressLineTest, DropsFieldsFromTheRightUntilItFits) {
  const std::string line = ProgressLine(Running(), kRate, 62);
  EXPECT_THAT(line, HasSubstr("128/300"));
  EXPECT_THAT(line, HasSubstr("best"));
  EXPECT_THAT(line, Not(HasSubstr("ETA")));
}

TEST(ProgressLineTest, GivesNoEtaThatIsNotKnown) {
  EXPECT_THAT(ProgressLine(Running(), {.trials_per_second = 4.1, .eta_seconds = std::nullopt}, 200),
              Not(HasSubstr("ETA")));
}

TEST(ProgressLineTest, ShowsNoMoreTrialsThanThereAreConfigurations) {
  pb::JobSnapshot snapshot = Running();
  snapshot.mutable_tasks(0)->set_space_size("200");
  EXPECT_THAT(ProgressLine(snapshot, kRate, 200), HasSubstr("128/200"));
}

TEST(ProgressLineTest, TellsWhyNothingRuns) {
  pb::JobSnapshot snapshot = Running();
  snapshot.set_waiting("waiting for a device of class x");
  EXPECT_THAT(ProgressLine(snapshot, {}, 200), HasSubstr("waiting for a device of class x"));
}

TEST(ProgressLineTest, PlainLineIsKeyValue) {
  EXPECT_EQ(PlainProgressLine(Running(), {}),
            "job=j42 state=running done=128 total=300 best_s=0.000201 crash=26");
  EXPECT_EQ(PlainProgressLine(Running(), kRate),
            "job=j42 state=running done=128 total=300 best_s=0.000201 rate=4.10 eta_s=42 crash=26");
}

}  // namespace
}  // namespace burnish::cli
