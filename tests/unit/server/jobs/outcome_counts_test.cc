#include "server/jobs/outcome_counts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::jobs {
namespace {

store::Trial Ended(int64_t number, work::Outcome outcome, const std::string& message = "") {
  store::Trial trial;
  trial.what.number = TrialNumber(number);
  trial.finished_position = number;
  trial.outcome = outcome;
  trial.message = message;
  return trial;
}

TEST(OutcomeCounts, CountsEachOutcomeWithItsFirstMessage) {
  store::Trial unfinished = Ended(4, work::Outcome::kCrash);
  unfinished.finished_position.reset();
  const std::vector<store::Trial> trials = {Ended(0, work::Outcome::kTimeout, "ran past 10 s"),
                                            Ended(1, work::Outcome::kOk, "ignored"),
                                            Ended(2, work::Outcome::kCompileError),
                                            Ended(3, work::Outcome::kCompileError, "no ';'"),
                                            unfinished,
                                            Ended(5, work::Outcome::kCompileError, "no '}'")};
  const std::vector<OutcomeCount> counts = CountOutcomes(trials);
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0].outcome, work::Outcome::kOk);
  EXPECT_EQ(counts[0].example, "");
  EXPECT_EQ(counts[1].outcome, work::Outcome::kCompileError);
  EXPECT_EQ(counts[1].count, 3);
  EXPECT_EQ(counts[1].example, "no ';'");
  EXPECT_EQ(counts[1].example_trial, TrialNumber(3));
  EXPECT_EQ(DescribeOutcomes(counts),
            "ok 1, compile_error 3, timeout 1\ncompile_error (#3): no ';'\n"
            "timeout (#0): ran past 10 s");
}

}  // namespace
}  // namespace burnish::jobs
