#include "server/jobs/task_progress.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::jobs {
namespace {

store::Trial Finished(int64_t number, double seconds, bool verified = false) {
  store::Trial trial;
  trial.what.number = TrialNumber(number);
  trial.finished_position = number;
  trial.outcome = work::Outcome::kOk;
  trial.latency = work::Latency{.statistic = "p20", .seconds = seconds};
  trial.correctness.verified = verified;
  return trial;
}

store::Trial Failed(int64_t number, const std::string& message) {
  store::Trial trial;
  trial.what.number = TrialNumber(number);
  trial.finished_position = number;
  trial.outcome = work::Outcome::kCrash;
  trial.message = message;
  return trial;
}

std::vector<int64_t> NumbersOf(const std::vector<store::Trial>& trials) {
  std::vector<int64_t> numbers;
  for (const store::Trial& trial : trials) numbers.push_back(trial.what.number.value());
  return numbers;
}

TEST(TaskProgress, AddsUpWhatComesInPieces) {
  TaskProgress progress;
  progress.Observe(std::vector{Finished(0, 5), Failed(3, "later")});
  progress.Observe({});
  progress.Observe(std::vector{Finished(2, 1), Failed(1, "first")});
  EXPECT_EQ(progress.observed(), 4);
  EXPECT_EQ(progress.valid(), 2);
  EXPECT_THAT(NumbersOf(progress.best().trials), testing::ElementsAre(2, 0));
  const std::vector<OutcomeCount> outcomes = progress.outcomes();
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].count, 2);
  EXPECT_EQ(outcomes[1].example, "first") << "of the lowest number, in whatever order they end";
}

TEST(TaskProgress, KeepsTheDefaultAndTheBestOfEachKind) {
  TaskProgress progress;
  for (int64_t number = 0; number < 100; ++number) {
    progress.Observe(std::vector{Finished(number, 1000.0 - static_cast<double>(number),
                                          /*verified=*/number < 50)});
  }
  EXPECT_EQ(progress.valid(), 100);
  EXPECT_THAT(NumbersOf(progress.best().trials),
              testing::ElementsAre(99, 98, 97, 96, 95, 49, 48, 47, 46, 45, 0));
}

}  // namespace
}  // namespace burnish::jobs
